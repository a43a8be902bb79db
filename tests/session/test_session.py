"""The session: what misses, fixtures, drafts and decisions make of each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tests import reference
from tests.session.support import (
    answer_with,
    asked,
    chat,
    delete,
    dump_line,
    hash_line,
    missed,
    open_session,
    second_turn,
    take,
    tool,
    undo,
    words_of,
    write,
)
from workbench.core.digest import digest
from workbench.core.log import lines
from workbench.core.replies.response import FixtureError
from workbench.io.fixture.ignore_list import FILE_NAME as IGNORE_FILE
from workbench.session.answers.decisions import SaveRefusedError
from workbench.session.drafts import editing
from workbench.session.misses.listing import find_miss
from workbench.session.misses.states import (
    DONE,
    MissState,
    StateKind,
    open_misses,
    state_of,
    turn_to_answer,
)
from workbench.session.preview.preview import Assessment, assess
from workbench.session.session import Session

GOOD = '{"response": {"content": "theirs"}}'
UNUSABLE = {
    "not JSON": ('{\n  "response": {\n    "content": "a" "b"\n  }\n}', "invalid-json", (3, 20)),
    "empty": ("", "invalid-json", (1, 1)),
    "a merge conflict": (
        '{\n<<<<<<< HEAD\n"response": {}\n=======\n>>>>>>> b\n}',
        "invalid-json",
        (2, 1),
    ),
    "a list": ("\n []", "not-an-object", (2, 2)),
    "a byte order mark": ("\ufeff{}", "not-utf8", (1, 1)),
    "not UTF-8": (b'{"response":\n {"content": "caf\xe9"}}', "not-utf8", (2, 18)),
    "100,000 deep": ("[" * 100_000, "invalid-json", (1, 301)),
    "content a number": ('{"response":\n  {"content": 5}}', "content-not-string", (2, 15)),
    "an error that is a text": ('{"response":\n  {"error": "x"}}', "not-an-object", (2, 13)),
    "an odd status": ('{"response":\n  {"error": {"status": 7}}}', "reply-shape", (2, 24)),
    "usage a list": ('{"response":\n {"content": "",\n "usage": [1]}}', "usage-shape", (3, 11)),
    "tokens no number": (
        '{"response": {"usage":\n {"prompt_tokens": "many"}}}',
        "usage-shape",
        (2, 20),
    ),
    "response a list": ('{\n "response": [1]}', "not-an-object", (2, 14)),
}


# States: each situation that has one


def test_missing(session: Session) -> None:
    (found,) = asked(session, chat())
    assert state_of(session, found) == MissState("missing")
    assert state_of(session, found).word == "missing"
    session.drafting.open(found)  # a skeleton nobody touched counts as nothing
    session.drafting.assess(found)
    assert state_of(session, found) == MissState("missing")


def test_no_dump(session: Session) -> None:
    take(session, hash_line(chat()))
    assert words_of(session, [digest(chat())]) == ["unlogged"]
    take(session, dump_line(chat()))
    assert words_of(session, [digest(chat())]) == ["missing"]


def test_blocked(session: Session) -> None:
    assert words_of(session, asked(session, chat(), second_turn())) == ["missing", "blocked"]


def test_a_draft_is_a_draft_or_has_errors(session: Session) -> None:
    (found,) = asked(session, chat())
    answer_with(session, found, "x")
    assert state_of(session, found) == MissState("draft")
    session.drafting.open(found).set_text('{"response": {"content": 5, "usage": 7}}')
    session.drafting.assess(found)
    state = state_of(session, found)
    assert (state.kind, state.has_errors, state.word) == ("draft", True, "errors")
    session.drafting.open(found).set_text("{")
    session.drafting.assess(found)
    assert state_of(session, found).word == "errors"
    session.drafting.open(found).set_text(GOOD)
    session.drafting.assess(found)
    assert state_of(session, found) == MissState("draft")


def test_a_fixture_of_somebody_else_answers_and_its_deletion_misses(session: Session) -> None:
    (found,) = asked(session, chat())
    write(session, found, GOOD)
    assert state_of(session, found).word == "elsewhere"
    assert words_of(session, [found]) == ["elsewhere"]
    assert open_misses(session) == []
    delete(session, found)
    assert words_of(session, [found]) == ["missing"]
    assert [miss.digest for miss in open_misses(session)] == [found]


def test_a_fixture_that_was_there_before_the_log_answers(session: Session) -> None:
    write(session, digest(chat("a")), GOOD)
    assert words_of(session, asked(session, chat("a"), chat("b"))) == ["elsewhere", "missing"]


@pytest.mark.parametrize(("data", "rule", "place"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_file_that_cannot_be_used_is_broken_and_says_where(
    session: Session, data: bytes | str, rule: str, place: tuple[int, int]
) -> None:
    (found,) = asked(session, chat())
    write(session, found, data)
    assert words_of(session, [found]) == ["broken"]
    assert [miss.digest for miss in open_misses(session)] == [found]
    error = session.miss_fixtures.broken(found)
    assert isinstance(error, FixtureError)
    assert (error.rule, (error.line, error.column)) == (rule, place)
    raw = data if isinstance(data, bytes) else data.encode()
    assert error.text == raw.decode("utf-8", "replace")

    write(session, found, GOOD)
    assert words_of(session, [found]) == ["elsewhere"]
    assert session.miss_fixtures.broken(found) is None
    write(session, found, data)
    assert words_of(session, [found]) == ["broken"]
    delete(session, found)
    assert words_of(session, [found]) == ["missing"]
    assert session.miss_fixtures.broken(found) is None


@pytest.mark.parametrize("key", ["usage", "content", "tool_calls", "finish_reason"])
def test_what_the_server_takes_for_absent_is_not_broken(session: Session, key: str) -> None:
    (found,) = asked(session, chat())
    write(session, found, json.dumps({"response": {key: None}}))
    assert words_of(session, [found]) == ["elsewhere"]


def test_the_topmost_state_is_told(session: Session) -> None:
    (found,) = asked(session, second_turn())
    told = [state_of(session, found).word]
    answer_with(session, found, "x")
    told.append(state_of(session, found).word)
    session.drafting.open(found).set_text("{")
    session.drafting.assess(found)
    told.append(state_of(session, found).word)
    session.decisions.skip(found)
    told.append(state_of(session, found).word)
    session.decisions.ignore(found, "wanted")
    told.append(state_of(session, found).word)
    write(session, found, GOOD)
    told.append(state_of(session, found).word)
    write(session, found, "[")
    told.append(state_of(session, found).word)
    assert told == ["blocked", "draft", "errors", "skipped", "ignored", "elsewhere", "broken"]
    session.drafting.open(found).set_text(GOOD)
    session.save(found, overwrite=True)
    assert state_of(session, found).word == "saved"
    write(session, found, "[")
    assert state_of(session, found).kind == "broken"


def test_what_needs_nothing_more_is_shown_on_request_only(session: Session) -> None:
    payloads = [chat(text) for text in "abcdef"]
    a, b, c, d, e, f = digests = asked(session, *payloads)
    answer_with(session, a, "x")
    session.save(a)
    write(session, b, GOOD)
    session.decisions.ignore(c, "wanted")
    session.decisions.skip(d)
    write(session, e, "[")
    assert words_of(session, digests) == [
        "saved", "elsewhere", "ignored", "skipped", "broken", "missing",
    ]  # fmt: skip
    assert [miss.digest for miss in open_misses(session)] == [e, f]


def test_every_kind_has_a_word() -> None:
    for kind in get_args(StateKind):
        state = MissState(kind)
        assert state.word
        assert state.is_done == (kind in DONE)


# Files


def test_files_that_are_no_miss_concern_nobody(session: Session) -> None:
    (found,) = asked(session, chat())
    assert session.take_files(["notes.json", f"{'a' * 64}.json", found, "x", ".json"]) == set()
    assert session.take_files([f"{found}.json"]) == {found}
    assert session.take_files([]) == set()


def test_the_ignore_list_of_somebody_else_shows_up(session: Session) -> None:
    first, second = asked(session, chat("a"), chat("b"))
    path = session.store.folder / IGNORE_FILE
    path.parent.mkdir()
    path.write_text(f"# wanted\n{first} slow\n{'c' * 64} not asked here\n")
    assert session.take_files([IGNORE_FILE]) == {first}
    assert words_of(session, [first, second]) == ["ignored", "missing"]
    path.write_text(f"{first} fast\n{second}\n")
    assert session.take_files([IGNORE_FILE]) == {first, second}
    assert session.ignore.reasons == {first: "fast", second: ""}
    assert session.take_files([IGNORE_FILE]) == set()
    path.unlink()
    assert session.take_files([IGNORE_FILE]) == {first, second}
    assert words_of(session, [first, second]) == ["missing", "missing"]


def test_an_ignore_list_that_cannot_be_read_changes_nothing(session: Session) -> None:
    (found,) = asked(session, chat())
    session.decisions.ignore(found, "wanted")
    path = session.store.folder / IGNORE_FILE
    path.unlink()
    path.mkdir()
    assert session.take_files([IGNORE_FILE]) == set()
    assert words_of(session, [found]) == ["ignored"]


# Drafts


def test_a_skeleton_is_made_for_the_request(session: Session) -> None:
    plain, forced = asked(session, chat("a"), chat("b", tools=[tool()], tool_choice="required"))
    assert session.drafting.open(plain).document.response == {
        "content": "",
        "finish_reason": "stop",
    }
    calls = editing.calls(session.drafting.open(forced).document)
    assert [(call.name, call.arguments) for call in calls] == [("get_weather", '{"city": ‹text›}')]
    assert session.drafting.open(forced).document.request == chat(
        "b", tools=[tool()], tool_choice="required"
    )
    assert not session.drafting.open(forced).touched
    assert session.drafting.open(forced) is session.drafting.open(forced)


def test_an_untouched_skeleton_follows_a_dump_that_comes_late(session: Session) -> None:
    payload = chat(tools=[tool()], tool_choice="required")
    take(session, hash_line(payload))
    draft = session.drafting.open(digest(payload))
    assert editing.calls(draft.document) == []
    revision = draft.revision
    take(session, dump_line(payload))
    assert draft is session.drafting.open(digest(payload))
    assert [call.name for call in editing.calls(draft.document)] == ["get_weather"]
    assert draft.document.request == payload
    assert not draft.touched
    assert draft.revision > revision
    assert words_of(session, [digest(payload)]) == ["missing"]


def test_what_was_typed_before_a_dump_came_stays(session: Session) -> None:
    take(session, hash_line(chat()))
    answer_with(session, digest(chat()), "typed")
    text = session.drafting.open(digest(chat())).text
    take(session, dump_line(chat()))
    assert session.drafting.open(digest(chat())).text == text


def test_the_draft_of_a_file_has_its_text(session: Session) -> None:
    data = b'{ "_comment":"caf\xc3\xa9",\r\n"response" : {"content": "\\u0041"}}'
    (found,) = asked(session, chat())
    write(session, found, data)
    draft = session.drafting.open(found)
    assert (draft.text, draft.touched) == (data.decode(), False)
    # It follows the file until something is typed.
    write(session, found, GOOD)
    assert session.drafting.open(found).text == GOOD
    delete(session, found)
    assert "request_digest" in session.drafting.open(found).text
    write(session, found, GOOD)
    answer_with(session, found, "typed")
    write(session, found, data)
    assert session.drafting.open(found).document.response == {"content": "typed"}


@pytest.mark.parametrize(("data", "_rule", "_place"), UNUSABLE.values(), ids=UNUSABLE)
def test_the_draft_of_a_broken_file_has_its_text(
    session: Session, data: bytes | str, _rule: str, _place: object
) -> None:
    (found,) = asked(session, chat())
    write(session, found, data)
    raw = data if isinstance(data, bytes) else data.encode()
    assert session.drafting.open(found).text == raw.decode("utf-8", "replace")
    assert session.drafting.assess(found).preview.unusable or raw.decode("utf-8", "replace") != data
    # It can be mended, and saved over the broken one.
    session.drafting.open(found).set_text(GOOD)
    session.save(found)
    assert session.store.path(found).read_text() == GOOD
    assert words_of(session, [found]) == ["saved"]


def test_a_draft_of_the_last_session_is_here_again(tmp_path: Path) -> None:
    first = open_session(tmp_path)
    (found,) = asked(first, chat())
    answer_with(first, found, "typed \u2028 🚀")
    first.drafts.store(found)
    text = first.drafting.open(found).text
    first.close()

    second = open_session(tmp_path)
    assert second.drafts.recover() == []
    asked(second, chat())
    assert words_of(second, [found]) == ["draft"]
    assert second.drafting.open(found).text == text
    second.save(found)
    assert second.store.current(found) == {
        **json.loads(text),
        "description": 'turn 1: "hello"',
    }
    second.close()


def test_a_recovered_draft_knows_the_file_it_began_from(tmp_path: Path) -> None:
    first = open_session(tmp_path)
    (found,) = asked(first, chat())
    write(first, found, GOOD)
    answer_with(first, found, "typed")
    first.drafts.store(found)
    first.close()

    second = open_session(tmp_path)
    second.drafts.recover()
    asked(second, chat())
    assert words_of(second, [found]) == ["elsewhere"]
    second.save(found)
    assert json.loads(second.store.path(found).read_bytes())["response"]["content"] == "typed"
    second.close()


# Real fixture files

AGENT_FILES = sorted(reference.AGENT_FIXTURES.iterdir())


@pytest.mark.parametrize("file", AGENT_FILES, ids=[path.name[:12] for path in AGENT_FILES])
@pytest.mark.parametrize("comment", [False, True])
def test_real_files(session: Session, file: Path, comment: bool) -> None:
    data = file.read_bytes()
    if comment:
        data = data.replace(b"{", b'{\n  "_comment": "why \xe2\x80\xa8 this",', 1) + b"\n"
    found = file.stem
    take(session, f"[mock-llm] unknown fixture hash {found}\n")
    path = write(session, found, data)
    assert words_of(session, [found]) == ["elsewhere"]

    # Saving without an edit leaves it byte-identical.
    assert session.drafting.open(found).text.encode() == data
    session.save(found)
    assert path.read_bytes() == data

    # Changing the content changes its line alone.
    draft = session.drafting.open(found)
    edited = editing.with_content(draft.document, 'Another "answer"\nof two lines, naïve 🚀')
    draft.set_text(edited.text)
    session.save(found)
    before, after = data.split(b"\n"), path.read_bytes().split(b"\n")
    changed = [n for n, pair in enumerate(zip(before, after, strict=True)) if len(set(pair)) == 2]
    assert len(changed) == 1
    assert before[changed[0]].lstrip().startswith(b'"content": ')
    assert after[changed[0]].startswith(before[changed[0]].split(b": ")[0] + b": ")
    value = json.loads(path.read_bytes())
    assert value["response"]["content"] == 'Another "answer"\nof two lines, naïve 🚀'
    assert ("_comment" in value) is comment

    # And back again.
    undo(session)
    assert path.read_bytes() == data
    undo(session)
    assert path.read_bytes() == data


def test_the_reference_log_with_its_fixtures(tmp_path: Path) -> None:
    session = open_session(tmp_path)
    session.store.folder.mkdir()
    for file in AGENT_FILES:
        session.store.path(file.stem).write_bytes(file.read_bytes())
    changed = take(session, reference.LOG.read_bytes())
    assert len(changed) == 108
    states = [state_of(session, found).kind for found in changed]
    assert states.count("answered") == len(AGENT_FILES) == 18
    assert len(open_misses(session)) == 90
    session.close()


# The whole way


def test_every_miss_of_the_reference_log_can_be_answered(session: Session) -> None:
    take(session, reference.LOG.read_bytes())
    for miss in open_misses(session):
        assessment = session.drafting.assess(miss.digest)
        assert assessment.preview.unusable is None
        # Skeletons of forced calls and formats have holes, and nothing that is wrong.
        assert assessment.faults == 0
        if assessment.errors:
            draft = session.drafting.open(miss.digest)
            draft.set_text(draft.document.with_response({"content": "", "refusal": "No."}).text)
        session.save(miss.digest)
    assert [miss.digest for miss in open_misses(session)] == []
    assert len(session.store.fixtures()) == 108
    for found in session.store.fixtures():
        value = session.store.load(found)
        assert value is not None
        assert digest(value["request"]) == found


# Knock-ons


def test_a_blocked_miss_names_the_turn_that_was_answered_with_the_fallback(
    session: Session,
) -> None:
    first, second = chat(), second_turn()
    third = {**second, "messages": [*second["messages"], second["messages"][1], {"role": "user"}]}
    asked(session, chat("something else"), first, second, third)
    assert turn_to_answer(session, digest(second)) == digest(first)
    assert turn_to_answer(session, digest(third)) == digest(first)
    assert turn_to_answer(session, digest(first)) is None


def test_a_turn_that_was_answered_well_is_not_the_one(session: Session) -> None:
    second = second_turn(answer="12 degrees")
    third = {**second, "messages": [*second["messages"], second_turn()["messages"][1]]}
    asked(session, chat(), second, third)
    assert turn_to_answer(session, digest(third)) == digest(second)


def test_an_earlier_turn_that_is_not_listed_has_no_name(session: Session) -> None:
    asked(session, second_turn(), {}, {"messages": []})
    take(session, hash_line(chat()))
    payloads: list[dict[str, object]] = [second_turn(), chat(), {}, {"messages": []}]
    for payload in payloads:
        assert turn_to_answer(session, digest(payload)) is None
    assert turn_to_answer(session, "0" * 64) is None


# Asking


def test_a_digest_is_found_by_its_first_digits(session: Session) -> None:
    digests = asked(session, *(chat(str(number)) for number in range(40)))
    assert find_miss(session, digests[5]) == digests[5]
    assert find_miss(session, digests[5][:12]) == digests[5]


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        ("xyz", "xyz is not a digest"),
        ("0" * 64, "no miss in the log begins with 0"),
        ("", "the digest is empty"),
        ("2", "2 is too short for a digest"),
    ],
)
def test_what_names_no_miss_says_so(session: Session, prefix: str, words: str) -> None:
    asked(session, *(chat(str(number)) for number in range(40)))
    with pytest.raises(LookupError) as caught:
        find_miss(session, prefix)
    assert words in str(caught.value)


def test_a_miss_that_is_logged_again_changes_its_row(session: Session) -> None:
    (found,) = asked(session, chat())
    assert take(session, missed(chat())) == {found}
    assert take(session, lines.served_line(found)) == set()
    assert session.miss_index.misses[found].count == 2


# Saving


def written(session: Session, text: str = "an answer") -> str:
    """The digest of a miss whose draft somebody wrote."""
    (found,) = asked(session, chat())
    answer = {"content": text}
    session.drafting.open(found).set_text(
        session.drafting.open(found).document.with_response(answer).text
    )
    return found


def test_saving_uses_the_assessment_of_the_same_text(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = written(session)
    assessed: list[str] = []

    def count(text: str, *args: Any, **options: Any) -> Assessment:
        assessed.append(text)
        return assess(text, *args, **options)

    monkeypatch.setattr("workbench.session.preview.preview.assess", count)
    session.drafting.assess(found)
    session.save(found)
    assert len(assessed) == 1
    session.drafting.open(found).set_text(
        session.drafting.open(found).text.replace("an answer", "another")
    )
    session.save(found)
    assert len(assessed) == 2


def test_a_request_that_comes_late_is_checked_against_at_the_save(session: Session) -> None:
    found = written(session)
    assert not session.drafting.assess(found).errors
    schema = {"type": "json_schema", "json_schema": {"name": "Plan", "schema": {"type": "object"}}}
    take(session, missed(chat(response_format=schema)))
    with pytest.raises(SaveRefusedError):
        session.save(found)


def test_what_was_saved_here_is_not_somebody_elses_change(session: Session) -> None:
    found = written(session)
    session.save(found)
    name = f"{found}.json"
    assert session.take_files([name]) == set()
    write(session, found, GOOD)
    assert session.take_files([name]) == {found}
    session.drafting.open(found).set_text(GOOD.replace("theirs", "ours"))
    session.save(found)
    write(session, found, GOOD)  # before the news of our own write
    assert session.take_files([name]) == {found}
