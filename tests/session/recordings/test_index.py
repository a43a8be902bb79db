"""The list of recordings and what can be made of them: forks, differences, promotions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.recorded import FIRST, SECOND, WEATHER, chat, user, write_recording
from tests.recorded import ask as asked
from tests.session.support import full_disk, undo
from workbench.core.apis.chat import API as CHAT
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import variant_name
from workbench.core.fixture.recorded import NoFixtureError
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Parent,
    Raised,
    Returned,
    Sent,
)
from workbench.core.replies.response import FixtureError
from workbench.io.fixture.reply_saver import HasFixtureError
from workbench.io.recordings.journal import JournalWriter
from workbench.session.answers.promotion import promote_recorded
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.session.recordings.exchange_rows import ExchangeRows
from workbench.session.recordings.fork_replies import ForkError, draft_of
from workbench.session.recordings.index import RecordingIndex
from workbench.session.recordings.recording_query import recording_query
from workbench.session.session import Session


def read(folder: Path) -> RecordingIndex:
    """The index of all files of ``folder``."""
    index = RecordingIndex(folder)
    index.apply(index.read(sorted(path.name for path in folder.iterdir())))
    return index


def ids(index: RecordingIndex, sort: str = "newest first", words: str = "") -> list[str]:
    query = recording_query()
    query.set_items(index.rows())
    query.set_order(sort)
    query.set_filter_text(words)
    return [f"{'  ' * query.items[key].depth}{key}" for key in query.keys]


@pytest.fixture
def index(tmp_path: Path) -> RecordingIndex:
    """A recording, a fork of it, and a fork of that."""
    write_recording(tmp_path, "aa")
    assert isinstance(WEATHER[2], Exchange)
    sunny = replace(WEATHER[2], outcome=Returned("24C sun"), source="replaced")
    after = chat(3, SECOND, {"content": "Sunny."}, call=2)
    write_recording(
        tmp_path, "bb", [sunny, after], name="sunny", started="2026-11-20T10:14:05+01:00",
        parent=Parent("aa", 2),
    )  # fmt: skip
    write_recording(
        tmp_path, "cc", [after, End("RuntimeError: no")], name="later",
        started="2026-11-20T10:15:00+01:00", parent=Parent("bb", 3),
    )  # fmt: skip
    return read(tmp_path)


def test_recordings_stand_newest_first_each_with_its_forks(
    index: RecordingIndex, tmp_path: Path
) -> None:
    records = [*WEATHER[:1], End("KeyError: 'city'")]
    write_recording(tmp_path, "dd", records, name="before", started="2026-11-20T07:00:00+00:00")
    index = read(tmp_path)
    assert ids(index) == ["aa", "  bb", "    cc", "dd"]
    assert ids(index, sort="by name") == ["dd", "aa", "  bb", "    cc"]
    assert ids(index, sort="most calls first") == ["aa", "  bb", "    cc", "dd"]
    assert ids(index, sort="those that died first") == ["dd", "aa", "  bb", "    cc"]
    assert ids(index, words="SUNNY") == ["  bb"]
    assert ids(index, words="died runtimeerror") == ["    cc"]
    assert ids(index, words="nothing") == []


def test_runs_of_one_second_keep_their_places(tmp_path: Path) -> None:
    for recording in ("aa", "bb", "cc"):
        write_recording(tmp_path, recording)
    index = read(tmp_path)
    assert ids(index) == ["aa", "bb", "cc"]
    index.apply(index.read(["aa.jsonl"]))
    assert ids(index) == ["aa", "bb", "cc"]


def test_a_recording_that_goes_on_after_its_end_has_none_until_it_ends_again(
    tmp_path: Path,
) -> None:
    path = write_recording(tmp_path, "aa", [*WEATHER[:1], End("TimeoutError: no power")])
    index, states = read(tmp_path), []
    states.append(index.facts["aa"].state)
    writer = JournalWriter(path)
    for record in (WEATHER[2], End()):
        writer.append(record)
        index.apply(index.read([path.name]))
        states.append(index.facts["aa"].state)
    writer.close()
    assert states == ["died", "no end yet", "complete"]


def test_what_a_row_says(index: RecordingIndex) -> None:
    weather, sunny, later = (index.facts[recording] for recording in ("aa", "bb", "cc"))
    assert (weather.calls, weather.checkpoints, weather.ended) == (3, 2, "complete")
    assert (sunny.calls, sunny.checkpoints, sunny.state) == (3, 1, "no end yet")
    assert later.ended == "died at ask, call 2: RuntimeError: no"


def test_what_cannot_be_read_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    torn = write_recording(tmp_path, "aa", WEATHER[:-1])
    torn.write_bytes(torn.read_bytes()[:-5])
    damaged = write_recording(tmp_path, "bb")
    lines = damaged.read_bytes().split(b"\n")
    damaged.write_bytes(b"\n".join([*lines[:5], b"{nonsense", *lines[5:]]))
    (tmp_path / "cc.jsonl").write_text(
        '{"type":"run","format":3,"id":"cc","name":"","started":""}\n'
    )
    write_recording(tmp_path, "dd", [], parent=Parent("gone", 1))
    (tmp_path / "notes.txt").write_text("no journal")
    index = read(tmp_path)
    assert index.unreadable == {
        "cc": "written in format 3; this workbench only reads up to format 1",
        "dd": f"its parent recording gone is not in {tmp_path}",
    }
    assert ids(index) == ["aa", "bb", "cc", "dd"]
    assert index.facts["aa"].state == "was cut"
    assert "was cut after" in index.facts["aa"].problems[0]
    assert index.facts["bb"].problems[0].startswith("line 6: not JSON")
    assert index.facts["bb"].state == "complete"
    query = recording_query()
    query.set_items(index.rows())
    for text, found in (
        ("not opened", ["cc", "dd"]),
        ('"not opened"', ["cc", "dd"]),
        ("is:not", ["cc", "dd"]),
        ("state:was", ["aa"]),
        ("was cut", ["aa"]),
        ("complete", ["bb"]),
    ):
        query.set_filter_text(text)
        assert sorted(query.keys) == found


def test_a_fork_is_read_when_its_parent_comes(index: RecordingIndex) -> None:
    files = {path.name: path.read_bytes() for path in index.folder.iterdir()}
    (index.folder / "aa.jsonl").unlink()
    late = read(index.folder)
    assert late.unreadable == dict.fromkeys(
        ("bb", "cc"), f"its parent recording aa is not in {index.folder}"
    )
    # It is there before it can be read.
    for data in (b"", files["aa.jsonl"]):
        (index.folder / "aa.jsonl").write_bytes(data)
        late.apply(late.read(["aa.jsonl"]))
    assert ids(late) == ["aa", "  bb", "    cc"]
    assert not late.unreadable
    assert late.recordings["bb"].parent is late.recordings["aa"]


def test_a_recording_grows_is_replaced_and_goes(tmp_path: Path) -> None:
    path = write_recording(tmp_path, "aa", WEATHER[:1])
    index = read(tmp_path)
    first = index.recordings["aa"]
    writer = JournalWriter(path)
    writer.append(WEATHER[2])
    writer.append(End())
    writer.close()
    index.apply(index.read([path.name]))
    assert (index.facts["aa"].calls, index.facts["aa"].state) == (2, "complete")
    assert index.recordings["aa"] is first
    path.unlink()
    write_recording(tmp_path, "aa", [], name="another")
    index.apply(index.read([path.name]))
    assert (index.facts["aa"].name, index.facts["aa"].calls) == ("another", 0)
    path.unlink()
    index.marked.append("aa")
    index.apply(index.read([path.name]))
    assert (ids(index), index.marked, len(index)) == ([], [], 0)


def test_a_parent_is_read_once_whichever_comes_first(tmp_path: Path) -> None:
    write_recording(tmp_path, "bb", WEATHER[:1])
    for fork in ("aa", "cc"):
        write_recording(tmp_path, fork, [], parent=Parent("bb", 1))
    index = read(tmp_path)
    assert index.recordings["aa"].parent is index.recordings["cc"].parent is index.recordings["bb"]
    late = write_recording(tmp_path, "dd", [], parent=Parent("aa", 1))
    index.apply(index.read([late.name]))
    assert index.recordings["dd"].parent is index.recordings["aa"]


def test_the_lines_of_a_recording(index: RecordingIndex) -> None:
    rows = ExchangeRows(index, "aa")
    rows.refresh()
    assert list(rows.query.keys) == [
        "1",
        "1 checkpoint first",
        "2",
        "2 fork bb",
        "3",
        "3 checkpoint second",
    ]
    assert rows.facts(1).reply == "get_weather(city=London)"
    assert (rows.facts(2).request, rows.facts(2).reply) == (
        '{"city": "London"}',
        '"12C rain"',
    )
    assert rows.facts(3).reply == "12 degrees and rain."
    assert rows.replaced("bb", 2) == '"24C sun"'
    assert rows.facts(3).request == "weather in London?"
    rows.texts |= rows.read_texts()
    assert rows.is_read
    for text, found in (
        ("LONDON get_weather", ["1", "2"]),
        (digest(SECOND)[:12], ["3"]),
        ("paris", []),
        ("checkpoint", ["1 checkpoint first", "3 checkpoint second"]),
        ("fork", ["2 fork bb"]),
        ("fork " + index.facts["bb"].name, ["2 fork bb"]),
    ):
        rows.query.set_filter_text(text)
        assert list(rows.query.keys) == found


def test_stepping_says_what_is_next_and_where_a_fork_parts(index: RecordingIndex) -> None:
    assert index.stepped("aa", 1) == "At 1 of 3, next is 2 (get_weather)."
    assert index.stepped("aa", 3) == "At 3 of 3: complete."
    assert index.stepped("bb", 1).endswith('Shared with "weather-agent".')
    assert 'Not as in "weather-agent": exchange 2 (get_weather): reply: ' in index.stepped("bb", 2)


def test_where_recordings_part(index: RecordingIndex) -> None:
    assert [(p.position, p.kind) for p in index.differences("aa", "bb")] == [
        (2, "reply"),
        (3, "reply"),
    ]
    assert index.differences("bb", "bb") == []
    assert [p.position for p in index.differences("bb", "aa")] == [2, 3]


def test_a_fork_of_a_call_has_another_value_and_its_parent_stays(index: RecordingIndex) -> None:
    before = index.recordings["aa"].path.read_bytes()
    draft = draft_of(index.recordings["aa"].exchange(2))
    assert draft.text == '"12C rain"'
    draft.set_text('{"degrees": 30}')
    child = index.fork("aa", 2, draft, "hot")
    assert index.recordings["aa"].path.read_bytes() == before
    forked = index.recordings[child].exchange(2)
    assert forked.outcome == Returned({"degrees": 30})
    assert (forked.source, forked.node, forked.request) == (
        "replaced",
        "get_weather",
        {"city": "London"},
    )
    assert (index.facts[child].name, len(index.recordings[child])) == ("hot", 2)
    assert f"  {child}" in ids(index)


def test_a_fork_of_an_llm_call_has_another_response(index: RecordingIndex) -> None:
    draft = draft_of(index.recordings["aa"].exchange(3))
    assert draft.document.response["content"] == "12 degrees and rain."
    draft.set_document(editing.with_content(draft.document, "12 degrees and hail."))
    child = index.fork("aa", 3, draft, "hail")
    sent = index.recordings[child].exchange(3).outcome
    assert isinstance(sent, Sent)
    assert sent.content_type.startswith("text/event-stream")
    assert (
        CHAT.replies.read(sent.content_type, sent.body).response["content"]
        == "12 degrees and hail."
    )


@pytest.mark.parametrize(
    ("at", "text", "said"),
    [
        (3, '{"response": ', "the text ends where a value is expected"),
        (3, '"text"', "object"),
        (3, '{"response": {"content": "x", "usage": 1}}', "usage"),
        (2, "NaN", "NaN is not a JSON value"),
        (2, "[" * 100_000, "nested more than 300 deep"),
    ],
)
def test_what_is_no_reply_is_refused_and_nothing_written(
    index: RecordingIndex, at: int, text: str, said: str
) -> None:
    before = set(index.folder.iterdir())
    with pytest.raises((ForkError, FixtureError), match=said):
        index.fork("aa", at, Draft("", text), "bad")
    assert set(index.folder.iterdir()) == before


def test_a_full_disk_leaves_no_half_a_fork(index: RecordingIndex) -> None:
    before = set(index.folder.iterdir())
    with full_disk(), pytest.raises(OSError, match="File too large"):
        index.fork("aa", 2, Draft("", "1"), "no room")
    assert set(index.folder.iterdir()) == before
    assert "no room" not in {facts.name for facts in index.facts.values()}


def test_the_reply_of_an_error_and_of_a_failed_call_can_be_forked(tmp_path: Path) -> None:
    error = b'{"error": {"message": "slow down", "type": "rate_limit", "code": null}}'
    sent = Sent(429, "application/json", error)
    first = Exchange(1, "ask", 1, FIRST, sent, digest(FIRST))
    second = Exchange(2, "ask", 2, FIRST, Raised("Timeout", "late"), digest(FIRST))
    third = Exchange(3, "look", 1, {}, Raised("KeyError", "'x'"))
    write_recording(tmp_path, "aa", [first, second, third])
    index = read(tmp_path)
    told = {"error": {"status": 429, "message": "slow down", "type": "rate_limit"}}
    drafts = [draft_of(index.recordings["aa"].exchange(at)) for at in (1, 2, 3)]
    assert [draft.document.response for draft in drafts[:2]] == [told, {"content": ""}]
    assert drafts[2].text == "null"
    child = index.fork("aa", 1, drafts[0], "again")
    again = index.recordings[child].exchange(1).outcome
    assert isinstance(again, Sent)
    assert again.status == 429


# Promotion


def test_an_exchange_becomes_a_fixture_and_undo_takes_it_back(session: Session) -> None:
    assert isinstance(WEATHER[3], Exchange)
    exchange = replace(WEATHER[3], test="test_weather.py::test_it")
    assert promote_recorded(session, exchange) == ""
    path = session.store.path(digest(SECOND))
    saved = json.loads(path.read_bytes())
    assert saved["response"]["content"] == "12 degrees and rain."
    assert saved["request"] == SECOND
    assert saved["description"].startswith("test_weather.py::test_it, turn ")
    with pytest.raises(HasFixtureError):
        promote_recorded(session, exchange)
    promote_recorded(session, exchange, overwrite=True)
    undo(session)
    assert path.exists()
    undo(session)
    assert not path.exists()
    promote_recorded(session, exchange)
    assert path.exists()


def test_an_exchange_with_other_tools_becomes_a_variant(session: Session) -> None:
    promote_recorded(session, chat(1, FIRST, {"content": "without"}))
    offered = {**FIRST, "tools": [{"type": "function", "function": {"name": "f"}}]}
    promote_recorded(session, chat(2, offered, {"content": "with"}))
    saved = json.loads(session.store.path(digest(FIRST)).read_bytes())
    assert saved["response"]["content"] == "without"
    variant = session.store.path(variant_name(digest(FIRST), view(offered)))
    assert json.loads(variant.read_bytes())["response"]["content"] == "with"
    before = variant.read_bytes()
    promote_recorded(session, chat(3, FIRST, {"content": "anew"}), overwrite=True)
    after = json.loads(session.store.path(digest(FIRST)).read_bytes())
    assert (after["response"]["content"], variant.read_bytes()) == ("anew", before)
    undo(session)
    undo(session)
    assert not variant.exists()
    assert json.loads(session.store.path(digest(FIRST)).read_bytes()) == saved


def test_what_cannot_be_promoted_is_named(session: Session) -> None:
    with pytest.raises(NoFixtureError, match="it is not an LLM call"):
        promote_recorded(session, Exchange(1, "n", 1, {}, Returned(1)))
    raised = Exchange(1, "n", 1, FIRST, Raised("E", "m"), digest(FIRST))
    with pytest.raises(NoFixtureError, match="the call failed"):
        promote_recorded(session, raised)
    with pytest.raises(NoFixtureError, match="it has no"):
        promote_recorded(session, replace(raised, outcome=Sent(200, "application/json", b"{}")))
    secret = {"content": "sk-proj-" + "a1B2c3D4e5" * 5}
    with pytest.raises(NoFixtureError):
        promote_recorded(session, chat(1, FIRST, secret))
    payload = asked(user("key " + secret["content"]))
    assert "without its request" in promote_recorded(session, chat(1, payload, {"content": "x"}))
    assert "request" not in json.loads(session.store.path(digest(payload)).read_bytes())


def test_a_draft_is_not_written_over(session: Session) -> None:
    session.drafting.open(digest(FIRST)).set_text('{"response": {"content": "mine"}}')
    with pytest.raises(NoFixtureError, match="its request has a draft"):
        promote_recorded(session, chat(1, FIRST, {"content": "theirs"}))
    assert session.drafts.drafts[digest(FIRST)].text == '{"response": {"content": "mine"}}'


def test_what_a_fork_has_in_a_parent_that_was_deleted_cannot_be_read(index: RecordingIndex) -> None:
    rows = ExchangeRows(index, "bb")
    (index.folder / "aa.jsonl").unlink()
    assert rows.facts(1).problem == "cannot be read: aa.jsonl: No such file or directory"
    assert not rows.facts(2).problem


def test_marks_before_the_first_exchange_stand_first(tmp_path: Path) -> None:
    write_recording(tmp_path, "aa", [CheckpointMark("zero", 0, 0), WEATHER[2]])
    rows = ExchangeRows(read(tmp_path), "aa")
    rows.refresh()
    keys = rows.query.keys
    assert keys == ["0 checkpoint zero", "1"]
    assert [rows.query.items[key].position for key in keys] == [0, 1]
