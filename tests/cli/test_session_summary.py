"""The summary of a session: what was saved, what is left, and where it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.session.support import answer_with, asked, chat, open_session, store, take, tool
from workbench.cli.session_summary import AFTER_DEMO, closing_lines
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.fixture.names import short_name
from workbench.core.log.lines import unsupported_line
from workbench.core.text.digests import short
from workbench.session.drafts import editing
from workbench.session.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(open_session(tmp_path)) as opened:
        yield opened


LEFT = "0 of 2 misses left"


def answered_and_skipped(session: Session) -> str:
    """Answer one of two misses and skip the other; returns the digest of the first."""
    first, second = asked(session, chat("hello"), chat("world"))
    answer_with(session, first, "It is 12 C")
    session.save(first)
    session.decisions.skip(second)
    return first


def test_it_names_what_was_saved_and_what_is_left(session: Session) -> None:
    command = "workbench --log a.log"
    assert closing_lines(session, command) == []
    saved = answered_and_skipped(session)
    file = session.store.path(saved)
    head, line, last = closing_lines(session, command)
    assert head == f"1 saved, 0 ignored, 1 skipped. {LEFT}, 0 drafts kept."
    assert line.split()[:2] == ["saved", short(saved)]
    assert '"It is 12 C"' in line
    assert line.endswith(str(session.store.folder))
    assert last.startswith(f"check the fixtures: workbench validate {session.store.folder}  ")
    assert last.endswith(f"continue: {command}")
    file.unlink()
    line = closing_lines(session, "workbench")[1]
    assert line.split() == ["saved", short(saved), "moved", "or", "deleted", "since"]


def test_each_variant_that_was_saved_is_counted_and_named(session: Session) -> None:
    requests = [chat(tools=[tool(name)]) for name in ("weather", "time", "news")]
    digest = store(session, requests[0], "Rain.")
    asked(session, *requests)
    names = []
    for request in requests[1:]:
        draft = session.drafting.choose(digest, request)
        draft.set_document(editing.with_content(draft.document, "Noon."))
        names.append(session.drafting.keep_both(draft, request).name)
        session.save(names[-1])
    head, *lines, _ = closing_lines(session, "workbench")
    assert head.startswith("2 saved, ")
    words = [line.split() for line in lines]
    assert [(said[1], said[-1]) for said in words] == [
        (short_name(name), str(session.store.folder)) for name in names
    ]
    list(session.undo())
    assert closing_lines(session, "workbench")[0].startswith("1 saved, ")


def test_that_of_the_demo_names_no_file_that_goes_with_it(session: Session) -> None:
    assert closing_lines(session, None) == [AFTER_DEMO]
    answered_and_skipped(session)
    answer_with(session, asked(session, chat("third"))[0], "more")
    session.drafts.store_changed()
    head, last = closing_lines(session, None)
    assert head.startswith("1 saved, ")
    assert head.endswith("misses left, all deleted with the demo.")
    assert last == AFTER_DEMO


def test_unsupported_requests_are_counted(session: Session) -> None:
    answered_and_skipped(session)
    for path in ("/v1/completions", "/v1/moderations"):
        request = UnsupportedRequest.of("POST", path)
        assert request is not None
        take(session, unsupported_line(request))
    head = closing_lines(session, "workbench")[0]
    assert head.endswith(f"1 skipped. {LEFT}, 2 unsupported, 0 drafts kept.")


def test_a_draft_that_could_not_be_kept_is_lost(tmp_path: Path) -> None:
    (tmp_path / ".workbench").write_text("a file where the folder of the drafts would be")
    session = open_session(tmp_path)
    [found] = asked(session, chat())
    answer_with(session, found, "typed")
    head, draft, _ = closing_lines(session, "workbench")
    assert head.endswith("1 of 1 misses left, 0 drafts kept.")
    assert draft.split() == ["lost", short(found), "draft"]
    session.close()
