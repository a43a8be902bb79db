"""Saving, skipping, ignoring; and taking it back, with files as they were."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.core.fixture.rules.rule_cases import KEY
from tests.session.support import (
    answer_with,
    asked,
    chat,
    delete,
    full_disk,
    open_session,
    take,
    tool,
    undo,
    words_of,
    write,
)
from workbench.core.fixture.request_storage import STORED_REQUEST_LIMIT
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.text.digests import short
from workbench.io.fixture.ignore_list import FILE_NAME as IGNORE_FILE
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.answers.decisions import SaveRefusedError, SecretFoundError
from workbench.session.drafts import editing
from workbench.session.drafts.store import DraftStore
from workbench.session.misses.states import open_misses, open_unsupported, state_of
from workbench.session.session import Session
from workbench.session.undo import NothingToUndoError, UndoEntry

THEIRS = '{"response": {"content": "theirs"}}'


def content(session: Session, digest: str) -> object:
    data = session.store.read(digest)
    assert data is not None
    return json.loads(data)["response"]["content"]


def saved(
    session: Session,
    text: str = "hello",
    answer: str = "an answer",
    decision: list[UndoEntry] | None = None,
) -> str:
    """The digest of a miss that was answered and saved."""
    (digest,) = asked(session, chat(text))
    answer_with(session, digest, answer)
    session.save(digest, decision=decision)
    return digest


def ignore_file(session: Session) -> Path:
    return session.store.folder / IGNORE_FILE


# A new file


def test_a_save_writes_the_fixture_of_its_digest(session: Session) -> None:
    payload = chat("weather?", tools=[tool()])
    (digest,) = asked(session, payload)
    draft = session.drafting.open(digest)
    value = {**draft.document.value, "description": "a note"}
    draft.set_text(draft.document.with_value(value).text)
    answer_with(session, digest, "naïve café 🚀")
    session.save(digest)

    text = session.store.path(digest).read_text("utf-8")
    written = json.loads(text)
    assert written == {
        "request_digest": digest,
        "response": {"content": "naïve café 🚀", "finish_reason": "stop"},
        "description": "a note",
        "request": payload,
        "workbench": {"source": "edited"},
    }
    assert text == json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    assert words_of(session, [digest]) == ["saved"]
    assert session.decisions.saved == {digest: 1}


def test_a_skeleton_has_its_keys_in_the_agreed_order(session: Session) -> None:
    digest = saved(session)
    keys = list(json.loads(session.store.path(digest).read_bytes()))
    assert keys == [key for key in FIXTURE_FORM.names if key in keys]


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_the_umask_leaves(session: Session, umask: int) -> None:
    before = os.umask(umask)
    try:
        digest = saved(session)
    finally:
        os.umask(before)
    assert stat.S_IMODE(session.store.path(digest).stat().st_mode) == 0o666 & ~umask


def test_an_edited_file_keeps_its_mode(session: Session) -> None:
    (digest,) = asked(session, chat())
    path = write(session, digest, THEIRS)
    path.chmod(0o640)
    answer_with(session, digest, "ours")
    session.save(digest)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_saved_draft_is_gone(session: Session) -> None:
    (digest,) = asked(session, chat())
    answer_with(session, digest, "x")
    session.drafts.store(digest)
    session.save(digest)
    assert session.drafts.get(digest) is None
    assert os.listdir(session.drafts.folder) == []


def test_an_untouched_skeleton_can_be_saved(session: Session) -> None:
    (digest,) = asked(session, chat())
    draft = session.drafting.open(digest)
    session.save(digest)
    assert not draft.touched
    assert session.store.current(digest) == {
        **draft.document.value,
        "description": 'turn 1: "hello"',
    }


def test_what_is_not_filled_in_is_not_saved(session: Session) -> None:
    forced, other = asked(session, chat(tools=[tool()], tool_choice="required"), chat("other"))
    draft = session.drafting.open(forced)
    assert "‹text›" in draft.text
    draft.set_text(draft.text.replace("stop", "tool_calls") + "\n")
    answer_with(session, other, "fine")
    assert state_of(session, forced).kind == "draft"
    with pytest.raises(SaveRefusedError, match=r"^1 to fill: not saved\.$"):
        session.save(forced)
    assert state_of(session, forced).kind == "draft"
    assert list(session.save_many([forced, other])) == [(forced, False), (other, True)]
    session.drafts.store_changed()
    drafts = DraftStore(session.state_folder, session.store.folder)
    drafts.recover()
    assert drafts.drafts[forced].text == draft.text
    draft.set_text(draft.text.replace("‹text›", r"\"Ulm\""))
    session.save(forced)


# The stored request


def sized(size: int) -> dict[str, object]:
    """A request of so many bytes."""
    empty = len(json.dumps(chat(""), ensure_ascii=False).encode())
    return chat("x" * (size - empty))


@pytest.mark.parametrize(("more", "is_whole"), [(0, True), (1, False), (10**6, False)])
def test_requests_are_stored_up_to_a_size(session: Session, more: int, is_whole: bool) -> None:
    assert STORED_REQUEST_LIMIT == 1024 * 1024
    payload = sized(STORED_REQUEST_LIMIT + more)
    (digest,) = asked(session, payload)
    session.save(digest)
    written = json.loads(session.store.path(digest).read_bytes())
    partial = {"model": payload["model"], "_left_out": ["messages"]}
    assert written["request"] == (payload if is_whole else partial)
    said = session.drafting.not_stored(digest)
    assert said.startswith("" if is_whole else "The fixture leaves out the messages of its request")
    assert bool(said) != is_whole


def test_requests_are_not_stored_where_the_project_says_so(tmp_path: Path) -> None:
    session = open_session(tmp_path, store_request=False)
    digest = saved(session)
    session.close()
    assert "request" not in json.loads(session.store.path(digest).read_bytes())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_request_that_json_cannot_hold_is_not_stored(session: Session, value: float) -> None:
    (digest,) = asked(session, chat(temperature=value))
    answer_with(session, digest, "x")
    session.save(digest)
    assert "request" not in json.loads(session.store.path(digest).read_bytes())


def test_a_lone_surrogate_outside_the_digest_can_be_stored(session: Session) -> None:
    payload = chat(metadata={"half": "\ud83d"})
    (digest,) = asked(session, payload)
    session.save(digest)
    assert json.loads(session.store.path(digest).read_bytes())["request"] == payload


# Refusals


def test_a_draft_with_errors_is_refused_and_kept(session: Session) -> None:
    (digest,) = asked(session, chat())
    draft = session.drafting.open(digest)
    draft.set_text('{"response": {"content": 5, "tool_calls": "x"}}')
    with pytest.raises(SaveRefusedError, match=r"^\d errors: not saved\.$") as caught:
        session.save(digest)
    rules = {finding.rule for finding in caught.value.errors}
    assert {"content-not-string", "tool-calls-shape"} <= rules
    assert session.store.read(digest) is None
    assert session.drafting.open(digest) is draft
    assert state_of(session, digest).has_errors
    assert session.decisions.saved == {}
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_one_error_is_told_in_the_singular(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.drafting.open(digest).set_text("{")
    with pytest.raises(SaveRefusedError, match=r"^1 error: not saved\.$"):
        session.save(digest)


def test_warnings_refuse_nothing(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.drafting.open(digest).set_text('{"response": {"content": "x", "finish_reason": "odd"}}')
    assert any(f.severity == "warning" for f in session.drafting.assess(digest).findings)
    session.save(digest)
    assert content(session, digest) == "x"


def test_a_file_that_appeared_meanwhile_is_not_overwritten(session: Session) -> None:
    (digest,) = asked(session, chat())
    answer_with(session, digest, "ours")
    write(session, digest, THEIRS)
    for _ in range(2):
        with pytest.raises(FixtureChangedError, match="was changed by another program"):
            session.save(digest)
        assert content(session, digest) == "theirs"
    assert session.drafting.open(digest).document.response["content"] == "ours"
    session.save(digest, overwrite=True)
    assert content(session, digest) == "ours"
    undo(session)
    assert content(session, digest) == "theirs"
    assert session.store.path(digest).read_text() == THEIRS


def test_a_file_that_changed_meanwhile_is_not_overwritten(session: Session) -> None:
    (digest,) = asked(session, chat())
    write(session, digest, '{"response": {"content": "before"}}')
    answer_with(session, digest, "ours")
    write(session, digest, THEIRS)
    with pytest.raises(FixtureChangedError):
        session.save(digest)
    assert content(session, digest) == "theirs"
    session.save(digest, overwrite=True)
    assert content(session, digest) == "ours"


def test_a_file_that_was_deleted_meanwhile_does_not_come_back_unasked(session: Session) -> None:
    (digest,) = asked(session, chat())
    write(session, digest, THEIRS)
    answer_with(session, digest, "ours")
    delete(session, digest)
    with pytest.raises(FixtureChangedError, match="was deleted by another program"):
        session.save(digest)
    assert session.store.read(digest) is None
    session.save(digest, overwrite=True)
    assert content(session, digest) == "ours"
    undo(session)
    assert session.store.read(digest) is None


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_keeps_the_draft(session: Session, exists: bool) -> None:
    (digest,) = asked(session, chat())
    if exists:
        write(session, digest, THEIRS)
    answer_with(session, digest, "ours")
    session.drafts.store(digest)
    with full_disk(), pytest.raises(OSError, match=r"large|space"):
        session.save(digest)
    assert os.listdir(session.store.folder) == [f"{digest}.json"] * exists
    assert session.store.read(digest) == (THEIRS.encode() if exists else None)
    assert session.drafting.open(digest).document.response["content"] == "ours"
    assert session.drafts.path(digest).exists()
    assert session.decisions.saved == {}
    session.save(digest)
    assert content(session, digest) == "ours"


def test_a_file_in_place_of_the_folder_keeps_the_draft(session: Session) -> None:
    (digest,) = asked(session, chat())
    answer_with(session, digest, "ours")
    session.store.folder.write_text("a file in its place")
    with pytest.raises(OSError, match="fixtures"):
        session.save(digest)
    assert session.drafting.open(digest).document.response["content"] == "ours"


def test_a_folder_in_place_of_the_file_is_never_written_over(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.store.path(digest).mkdir(parents=True)
    session.take_files([f"{digest}.json"])
    assert words_of(session, [digest]) == ["broken"]
    answer_with(session, digest, "ours")
    with pytest.raises(OSError, match="directory"):
        session.save(digest)
    assert session.drafting.open(digest).document.response["content"] == "ours"


def test_a_draft_file_that_cannot_go_is_no_reason_not_to_save(session: Session) -> None:
    (digest,) = asked(session, chat())
    answer_with(session, digest, "ours")
    (session.drafts.path(digest) / "in the way").mkdir(parents=True)
    session.save(digest)
    assert content(session, digest) == "ours"
    assert words_of(session, [digest]) == ["saved"]
    assert session.drafts.get(digest) is None
    # Nor is it one for the way back.
    undo(session)
    assert session.store.read(digest) is None
    assert session.drafting.open(digest).document.response["content"] == "ours"


# Undo of saves


def test_undo_of_a_new_file(session: Session) -> None:
    (digest,) = asked(session, chat())
    answer_with(session, digest, "mine")
    draft = session.drafting.open(digest)
    session.save(digest)
    sentence, undone = undo(session)
    assert (sentence, undone) == (
        f"Undid the save of {short(digest)}. Its draft is back.",
        [digest],
    )
    assert session.store.read(digest) is None
    assert os.listdir(session.store.folder) == []
    assert session.drafting.open(digest) is draft
    assert words_of(session, [digest]) == ["draft"]
    assert session.decisions.saved == {}
    # The draft is kept again, for the next session too.
    assert json.loads(session.drafts.path(digest).read_bytes())["text"] == draft.text
    session.save(digest)
    assert content(session, digest) == "mine"


def test_undo_of_an_edit_brings_the_bytes_back(session: Session) -> None:
    data = b'{"_comment": "caf\xc3\xa9",\r\n\t"response":{"content":"theirs"}  }'
    (digest,) = asked(session, chat())
    path = write(session, digest, data)
    answer_with(session, digest, "mine")
    session.save(digest)
    assert path.read_bytes() == data.replace(b"theirs", b"mine")
    undo(session)
    assert path.read_bytes() == data
    assert session.drafting.open(digest).document.response["content"] == "mine"
    assert words_of(session, [digest]) == ["elsewhere"]
    # And forth again, without anything about another program.
    session.save(digest)
    assert path.read_bytes() == data.replace(b"theirs", b"mine")


def test_undo_of_a_mended_file_brings_the_broken_one_back(session: Session) -> None:
    (digest,) = asked(session, chat())
    write(session, digest, "{broken")
    session.drafting.open(digest).set_text(THEIRS)
    session.save(digest)
    assert words_of(session, [digest]) == ["saved"]
    undo(session)
    assert session.store.read(digest) == b"{broken"
    assert words_of(session, [digest]) == ["broken"]


def test_several_undos_go_back_one_by_one(session: Session) -> None:
    digests = [saved(session, text) for text in "abc"]
    assert words_of(session, digests) == ["saved"] * 3
    for left in (2, 1, 0):
        assert undo(session)[1] == [digests[left]]
        assert list(session.decisions.saved) == digests[:left]
        assert words_of(session, digests) == ["saved"] * left + ["draft"] * (3 - left)
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_several_saves_of_one_fixture_are_taken_back_one_by_one(session: Session) -> None:
    digest = saved(session, answer="first")
    texts = [session.store.read(digest)]
    for answer in ("second", "third"):
        answer_with(session, digest, answer)
        session.save(digest)
        texts.append(session.store.read(digest))
    for before in (texts[1], texts[0]):
        undo(session)
        assert session.store.read(digest) == before
        assert digest in session.decisions.saved
    undo(session)
    assert session.store.read(digest) is None
    assert session.decisions.saved == {}


def test_what_another_program_wrote_between_two_saves_is_not_undone(session: Session) -> None:
    digest = saved(session, answer="first")
    write(session, digest, THEIRS)
    answer_with(session, digest, "second")
    session.save(digest)
    undo(session)
    assert content(session, digest) == "theirs"
    with pytest.raises(FixtureChangedError):
        undo(session)
    assert content(session, digest) == "theirs"


@pytest.mark.parametrize("deleted", [False, True])
def test_undo_is_refused_when_the_file_changed_since(session: Session, deleted: bool) -> None:
    first, second = saved(session, "a"), saved(session, "b")
    if deleted:
        delete(session, second)
    else:
        write(session, second, THEIRS)
    with pytest.raises(FixtureChangedError):
        undo(session)
    assert session.store.read(second) == (None if deleted else THEIRS.encode())
    assert session.drafts.get(second) is None
    # The one before is still possible.
    assert undo(session)[1] == [first]
    assert session.store.read(first) is None
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_an_undo_that_cannot_be_written_can_be_tried_again(session: Session) -> None:
    (digest,) = asked(session, chat())
    path = write(session, digest, THEIRS)
    answer_with(session, digest, "mine")
    session.save(digest)
    with full_disk(), pytest.raises(OSError, match=r"large|space"):
        undo(session)
    assert content(session, digest) == "mine"
    assert words_of(session, [digest]) == ["saved"]
    undo(session)
    assert path.read_text() == THEIRS


def test_what_was_typed_since_the_save_is_not_lost(session: Session) -> None:
    digest = saved(session, answer="first")
    answer_with(session, digest, "typed since")
    undo(session)
    assert session.store.read(digest) is None
    assert session.drafting.open(digest).document.response["content"] == "typed since"
    session.save(digest)
    assert content(session, digest) == "typed since"


def test_what_is_kept_on_disk_knows_the_file_an_undo_left(session: Session) -> None:
    (digest,) = asked(session, chat())
    write(session, digest, THEIRS)
    answer_with(session, digest, "first")
    session.save(digest)
    answer_with(session, digest, "typed since")
    session.drafts.store(digest)
    undo(session)
    again = DraftStore(session.state_folder, session.store.folder)
    assert again.recover() == []
    assert again.drafts[digest].base == session.store.stamp(digest)


# Many at once


def test_many_saves_are_one_decision(session: Session) -> None:
    digests = asked(session, *(chat(text) for text in "abcd"))
    a, b, c, d = digests
    for digest in digests:
        answer_with(session, digest, "x")
        session.decisions.marked.add(digest)
    session.drafting.open(b).set_text("{")
    write(session, c, THEIRS)
    assert list(session.save_many(digests)) == [(a, True), (b, False), (c, False), (d, True)]
    assert content(session, c) == "theirs"
    assert session.decisions.marked == {b, c}
    assert words_of(session, digests) == ["saved", "errors", "elsewhere", "saved"]
    sentence, undone = undo(session)
    assert (sentence, undone) == ("Undid 2 decisions. Their drafts are back.", [d, a])
    assert words_of(session, digests) == ["draft", "errors", "elsewhere", "draft"]
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_one_decision_does_not_take_the_next_along(session: Session) -> None:
    a, b, c = asked(session, *(chat(text) for text in "abc"))
    for digest in (a, b, c):
        answer_with(session, digest, "x")
    assert all(is_saved for _, is_saved in session.save_many([a, b]))
    session.save(c)
    session.decisions.ignore(c, "too")
    assert [undo(session)[1] for _ in range(3)] == [[c], [c], [b, a]]


def test_what_nobody_wrote_is_not_saved_with_others(session: Session) -> None:
    written, looked_at, unseen = asked(session, *(chat(text) for text in "abc"))
    answer_with(session, written, "x")
    session.drafting.open(looked_at)
    digests = [written, looked_at, unseen]
    assert list(session.save_many(digests)) == [
        (written, True),
        (looked_at, False),
        (unseen, False),
    ]
    assert words_of(session, digests) == ["saved", "missing", "missing"]


def test_nothing_saved_is_nothing_to_undo(session: Session) -> None:
    digest = saved(session)
    (other,) = asked(session, chat("other"))
    session.drafting.open(other).set_text("{")
    assert list(session.save_many([other])) == [(other, False)]
    assert list(session.save_many([])) == []
    assert undo(session)[1] == [digest]


def test_of_many_one_that_changed_since_stays_and_the_rest_can_go(session: Session) -> None:
    digests = asked(session, *(chat(text) for text in "abc"))
    for digest in digests:
        answer_with(session, digest, "x")
    assert all(is_saved for _, is_saved in session.save_many(digests))
    write(session, digests[1], THEIRS)
    with pytest.raises(FixtureChangedError):
        undo(session)
    assert words_of(session, digests) == ["saved", "saved", "draft"]
    assert undo(session)[1] == [digests[0]]
    assert words_of(session, digests) == ["draft", "saved", "draft"]
    assert content(session, digests[1]) == "theirs"


def test_nothing_to_undo(session: Session) -> None:
    with pytest.raises(NothingToUndoError):
        undo(session)


# Skipping


def test_skipped_is_put_aside_until_it_is_taken_back(session: Session) -> None:
    first, second = asked(session, chat("a"), chat("b"))
    assert session.decisions.skip(first)
    assert words_of(session, [first, second]) == ["skipped", "missing"]
    assert [miss.digest for miss in open_misses(session)] == [second]
    assert not session.decisions.skip(first)
    assert words_of(session, [first, second]) == ["missing", "missing"]


def test_skipping_and_taking_it_back_are_undone_one_by_one(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.skip(digest)
    session.decisions.skip(digest)
    session.decisions.skip(digest)
    for state, said in (("missing", "open"), ("skipped", "skipped"), ("missing", "open")):
        assert undo(session) == (f"{short(digest)} is {said} again.", [digest])
        assert words_of(session, [digest]) == [state]
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_an_unsupported_request_on_the_ignore_list_is_done(session: Session) -> None:
    take(session, "[mock-llm] unsupported request POST /v1/moderations: it is not supported here\n")
    [key] = session.miss_index.unsupported
    session.ignore.path.parent.mkdir(exist_ok=True)
    session.ignore.path.write_text("POST /v1/moderations does no harm\n")
    assert session.take_files([session.ignore.path.name]) == {key}
    assert state_of(session, key).kind == "ignored"
    assert open_unsupported(session) == []
    session.ignore.path.unlink()
    assert session.take_files([session.ignore.path.name]) == {key}
    assert state_of(session, key).kind == "unsupported"


def test_skipping_an_unsupported_request_is_undone(session: Session) -> None:
    take(
        session, "[mock-llm] unsupported request POST /v1/audio/speech: it is not supported here\n"
    )
    [key] = session.miss_index.unsupported
    session.decisions.skip(key)
    assert undo(session) == (f"{key} is open again.", [key])
    assert state_of(session, key).kind == "unsupported"


def test_a_save_of_what_was_skipped_is_undone_before_the_skip(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.skip(digest)
    answer_with(session, digest, "x")
    session.save(digest)
    undo(session)
    undo(session)
    assert words_of(session, [digest]) == ["draft"]


def test_saving_what_was_skipped_ends_that(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.skip(digest)
    answer_with(session, digest, "x")
    session.save(digest)
    undo(session)
    assert words_of(session, [digest]) == ["draft"]


# Ignoring


def test_ignored_and_back(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.ignore(digest, "the fallback is fine")
    assert ignore_file(session).read_text("utf-8").endswith(f"{digest} the fallback is fine\n")
    assert words_of(session, [digest]) == ["ignored"]
    assert open_misses(session) == []
    assert list(session.decisions.ignored) == [digest]
    session.decisions.ignore(digest, None)
    assert words_of(session, [digest]) == ["missing"]
    assert digest not in session.ignore.reasons


def test_undo_of_ignoring(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.ignore(digest, "wanted")
    assert undo(session) == (f"{short(digest)} is no longer ignored.", [digest])
    assert words_of(session, [digest]) == ["missing"]
    # As it was: there was no such file.
    assert os.listdir(session.store.folder) == []


def test_undo_of_no_longer_ignoring(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.ignore(digest, "wanted")
    session.decisions.ignore(digest, None)
    assert undo(session) == (f"{short(digest)} is ignored again.", [digest])
    assert session.ignore.reasons == {digest: "wanted"}
    assert words_of(session, [digest]) == ["ignored"]


def test_undo_of_another_reason(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.ignore(digest, "first")
    session.decisions.ignore(digest, "second")
    assert undo(session) == (f"{short(digest)} is ignored again.", [digest])
    assert session.ignore.reasons == {digest: "first"}


def test_a_decision_that_changes_nothing_is_none(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.decisions.ignore(digest, None)
    assert not session.store.folder.exists()
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_a_list_that_cannot_be_written_changes_nothing(session: Session) -> None:
    (digest,) = asked(session, chat())
    session.store.folder.write_text("a file in its place")
    with pytest.raises(OSError, match="fixtures"):
        session.decisions.ignore(digest, "wanted")
    assert words_of(session, [digest]) == ["missing"]
    with pytest.raises(NothingToUndoError):
        undo(session)


def test_saving_what_was_ignored_takes_it_off_the_list(session: Session) -> None:
    digest, other = asked(session, chat("a"), chat("b"))
    session.decisions.ignore(digest, "wanted")
    session.decisions.ignore(other, "too")
    answer_with(session, digest, "an answer after all")
    session.save(digest)
    assert session.ignore.reasons == {other: "too"}
    assert digest not in ignore_file(session).read_text("utf-8")
    assert words_of(session, [digest, other]) == ["saved", "ignored"]
    undo(session)
    assert session.ignore.reasons == {digest: "wanted", other: "too"}
    assert digest in ignore_file(session).read_text("utf-8")
    assert words_of(session, [digest, other]) == ["ignored", "ignored"]
    assert session.drafting.open(digest).document.response["content"] == "an answer after all"


def test_saves_and_ignores_are_taken_back_in_turn(session: Session) -> None:
    first = saved(session, "a")
    (second,) = asked(session, chat("b"))
    session.decisions.ignore(second, "wanted")
    third = saved(session, "c")
    assert [undo(session)[1] for _ in range(3)] == [[third], [second], [first]]


def test_decisions_made_together_are_taken_back_together(session: Session) -> None:
    first = saved(session, "a")
    decision: list[UndoEntry] = []
    second, third = (saved(session, name, decision=decision) for name in "bc")
    sentence, undone = undo(session)
    assert sentence == "Undid 2 decisions. Their drafts are back."
    assert undone == [third, second]
    assert session.store.fixtures() == {first}
    assert undo(session)[1] == [first]


def test_a_save_of_a_mended_file_is_taken_back_before_the_mending(session: Session) -> None:
    (digest,) = asked(session, chat())
    write(session, digest, THEIRS)
    base = session.store.stamp(digest)
    assert base is not None
    session.decisions.rewrite(digest, THEIRS.replace("theirs", "mended").encode(), base=base)
    answer_with(session, digest, "ours")
    session.save(digest)
    assert undo(session)[0] == f"Undid the save of {short(digest)}. Its draft is back."
    assert content(session, digest) == "mended"
    assert undo(session)[0] == f"Restored {short(digest)}."
    assert content(session, digest) == "theirs"


# Secrets


def with_key(session: Session, answer: str = "fine", system: str = f"the key is {KEY}") -> str:
    """The digest of an answered miss whose prompt holds a key."""
    messages = [{"role": "system", "content": system}, *chat()["messages"]]
    (digest,) = asked(session, {**chat(), "messages": messages})
    answer_with(session, digest, answer)
    return digest


def test_a_prompt_with_a_secret_is_not_saved_unasked(session: Session) -> None:
    digest = with_key(session)
    with pytest.raises(SecretFoundError) as caught:
        session.save(digest)
    assert str(caught.value) == (
        "messages[0].content contains what looks like an API key (sk-…f3a). It would be stored."
    )
    assert caught.value.in_request
    assert session.store.read(digest) is None
    assert session.drafting.open(digest).touched
    session.save(digest, secrets=True)
    assert KEY.encode() in (session.store.read(digest) or b"")


def test_a_reply_with_a_secret_is_not_saved_unasked(session: Session) -> None:
    digest = with_key(session, answer=f"take {KEY}", system="Be brief.")
    with pytest.raises(SecretFoundError) as caught:
        session.save(digest)
    assert str(caught.value).startswith("response.content contains what looks like")
    assert not caught.value.in_request
    both = with_key(session, answer=f"take {KEY}")
    with pytest.raises(SecretFoundError, match=r"\. 1 more like it\. It would be stored\.$") as two:
        session.save(both)
    assert not two.value.in_request


def test_without_its_request_the_secret_is_not_stored(session: Session) -> None:
    digest = with_key(session)
    draft = session.drafting.open(digest)
    draft.set_text(editing.without_request(draft.document).text)
    session.save(digest)
    data = session.store.read(digest) or b""
    assert KEY.encode() not in data
    assert content(session, digest) == "fine"


def test_errors_come_before_secrets(session: Session) -> None:
    digest = with_key(session)
    draft = session.drafting.open(digest)
    draft.set_text(draft.document.with_response({"content": 1}).text)
    with pytest.raises(SaveRefusedError):
        session.save(digest)


def test_of_many_those_with_secrets_are_left(session: Session) -> None:
    digest = with_key(session)
    (other,) = asked(session, chat("other"))
    answer_with(session, other, "fine")
    assert list(session.save_many([digest, other])) == [(digest, False), (other, True)]
