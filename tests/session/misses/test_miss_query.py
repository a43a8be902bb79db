"""The filter language: what each part of it means, alone, together and misspelt."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.session.support import (
    LISTENING,
    answer_with,
    asked,
    chat,
    hash_line,
    missed,
    second_turn,
    take,
    tool,
    write,
)
from workbench.core.digest import digest
from workbench.core.log.lines import asked_line
from workbench.core.misses.miss import Miss
from workbench.session.lists.filters import Filter, FilterError
from workbench.session.misses import miss_query
from workbench.session.misses.miss_query import language
from workbench.session.misses.states import AnsweredBy, MissState, StateKind, state_of
from workbench.session.session import Session

WEATHER = chat("Weather in LONDON, straße 12?", tools=[tool("get_weather"), tool("ask_user")])
JOKE = {**chat("tell me a joke about 10:30"), "model": "gpt-4o-mini"}
FOLLOW_UP = second_turn("weather in Paris", answer="12 degrees")
IMAGE = chat("x")
ALL = {"weather": WEATHER, "joke": JOKE, "follow-up": FOLLOW_UP, "image": IMAGE}
# The last is known by its hash line alone.
UNSEEN = chat("never dumped")


def parse(text: str, session: Any = None) -> Filter[Miss]:
    """The filter in a text; a session is needed only to ask for states and runs."""
    return language(session).parse(text)


def found(session: Session, text: str) -> set[str]:
    """The names of the misses that match."""
    wanted = parse(text, session)
    names = {digest(payload): name for name, payload in ALL.items()}
    names[digest(UNSEEN)] = "unseen"
    misses = session.miss_index.misses.values()
    return {names[miss.digest] for miss in misses if wanted.matches(miss)}


def dressed(source: str, payload: dict[str, Any]) -> str:
    """The lines of a miss as compose writes them."""
    return "".join(f"{source}  | {line}\n" for line in missed(payload).splitlines())


@pytest.fixture
def listed(session: Session) -> Session:
    asked(session, *ALL.values())
    take(session, hash_line(UNSEEN))
    return session


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", {*ALL, "unseen"}),
        ("   ", {*ALL, "unseen"}),
        ("london", {"weather"}),
        ("LONDON weather", {"weather"}),
        ("weather london joke", set()),
        ('"in london"', {"weather"}),
        ('"london in"', set()),
        ('"in lon', {"weather"}),
        ("STRASSE", {"weather"}),
        ("10:30", {"joke"}),
        ("get_weather", {"weather"}),
        ("4o-mini", {"joke"}),
        ("api:chat", set(ALL)),
        ("api:gemini", set()),
        ("-weather -joke", {"image", "follow-up", "unseen"}),
        ('-"tell me" -x -now', {"weather", "unseen"}),
        ("-", {*ALL, "unseen"}),
        ('""', {*ALL, "unseen"}),
        ("model:mini", {"joke"}),
        ("MODEL:Mini", {"joke"}),
        ("-model:mini", {"weather", "follow-up", "image", "unseen"}),
        ("tool:ask", {"weather"}),
        ("tool:user tool:weather", {"weather"}),
        ("turn:2", {"follow-up"}),
        ("turn:>1", {"follow-up"}),
        ("turn:>=1", set(ALL)),
        ("turn:<2 -tool:ask", {"joke", "image"}),
        ("turn:<=1", {"weather", "joke", "image"}),
        ("turn:=2", {"follow-up"}),
        ("state:missing", set(ALL)),
        ("state:unl", {"unseen"}),
        ("state:unlogged", {"unseen"}),
        ("unlogged", {"unseen"}),
        ("-state:missing", {"unseen"}),
        ("model:4o turn:1 -x london", {"weather"}),
    ],
)
def test_what_a_filter_finds(listed: Session, text: str, names: set[str]) -> None:
    assert found(listed, text) == names


def test_a_digest_is_found_by_how_it_begins(listed: Session) -> None:
    whole = digest(UNSEEN)
    assert found(listed, whole) == found(listed, whole[:12]) == {"unseen"}
    assert found(listed, whole[:12].upper()) == {"unseen"}
    assert found(listed, whole[1:13]) == set()


def test_states(listed: Session) -> None:
    write(listed, digest(JOKE), "{")
    answer_with(listed, digest(IMAGE), "an answer")
    listed.decisions.skip(digest(WEATHER))
    assert found(listed, "state:broken") == {"joke"}
    assert found(listed, "state:draft") == {"image"}
    assert found(listed, "state:skip") == {"weather"}
    assert found(listed, "state:d -state:draft") == set()
    assert found(listed, "state:m") == {"follow-up"}


@pytest.mark.parametrize(
    "state",
    [
        *(MissState(kind) for kind in get_args(StateKind) if kind != "blocked"),
        *(MissState("answered", by) for by in get_args(AnsweredBy)),
        MissState("draft", has_errors=True),
        MissState("blocked", is_outdated=True),
    ],
)
def test_the_word_that_is_shown_for_a_state_is_one_of_a_filter(
    session: Session, monkeypatch: pytest.MonkeyPatch, state: MissState
) -> None:
    row = Miss("0" * 64, count=1, first_seen=None, last_seen=None)
    monkeypatch.setattr(miss_query, "state_of", lambda _session, _key: state)
    shown = state.word
    assert " " not in shown
    for word in (shown, f'"{shown}"', shown.upper(), f"-nothing {shown}"):
        wanted = parse(word, session)
        assert wanted.matches(row)
        assert wanted.is_volatile
        assert wanted.wants_done is state.is_done
    assert not parse(f"-{shown}", session).matches(row)
    assert not parse("verifying", session).matches(row)


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("state:", "state:missing"),
        ("paris -STATE:Bro", "paris -STATE:broken"),
        ("is:un", "is:unsupported"),
        ("is:unl", "is:unlogged"),
        *(
            (text, "")
            for text in ("", "held", "state:held", "state:x", "state:sk paris", "model:g")
        ),
    ],
)
def test_the_word_for_a_state_is_completed(session: Session, text: str, completed: str) -> None:
    assert language(session).completed(text) == completed


def test_texts_tests_and_reasons_are_found_whatever_states_are_called(listed: Session) -> None:
    stale = digest(chat("a stale joke"))
    take(listed, missed(chat("a stale joke")))
    take(listed, asked_line("tests/test_it.py::test_jokes", stale))
    (row,) = (miss for miss in listed.miss_index.misses.values() if miss.digest == stale)
    assert parse("stale", listed).matches(row)
    assert parse("test_jokes", listed).matches(row)
    listed.decisions.skip(digest(JOKE))
    assert found(listed, "skipped") == {"joke"}


def test_a_file_of_somebody_else_is_found_by_the_word_of_the_list(listed: Session) -> None:
    write(listed, digest(JOKE), '{"response": {"content": "ha"}}')
    assert state_of(listed, digest(JOKE)).word == "elsewhere"
    assert found(listed, "state:elsewhere") == found(listed, "state:answered") == {"joke"}


def test_a_draft_with_errors_is_found_as_such_and_as_a_draft(listed: Session) -> None:
    listed.drafting.open(digest(IMAGE)).set_text("{")
    listed.drafting.assess(digest(IMAGE))
    assert state_of(listed, digest(IMAGE)).word == "errors"
    for text in ("state:error", "state:errors", "state:draft"):
        assert found(listed, text) == {"image"}


def test_what_was_verified_is_found(listed: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    row = listed.miss_index.misses[digest(JOKE)]
    verified = MissState("answered", "saved", is_verified=True)
    monkeypatch.setattr(miss_query, "state_of", lambda _session, _key: verified)
    for text in ("verified", "state:verified", "state:saved", "state:answered"):
        assert parse(text, listed).matches(row)
        assert parse(text, listed).wants_done


def test_runs(session: Session) -> None:
    take(session, LISTENING, missed(WEATHER, JOKE), LISTENING, missed(JOKE, IMAGE))
    assert found(session, "run:last") == found(session, "run:2") == {"joke", "image"}
    assert found(session, "run:1") == found(session, "-run:l") == {"weather"}
    assert found(session, "run:3") == set()


def test_who_wrote_of_it(session: Session) -> None:
    take(session, dressed("mock-llm-1", WEATHER), dressed("mock-llm-2", JOKE), missed(IMAGE))
    assert found(session, "from:llm-2") == {"joke"}
    assert found(session, "from:MOCK") == {"weather", "joke"}
    assert found(session, "-from:mock") == {"image"}


def test_which_test_asked(session: Session) -> None:
    asked_by = [asked_line(f"tests/{test}", digest(WEATHER)) for test in ("a.py::x", "b.py::y")]
    take(session, missed(WEATHER, JOKE), *asked_by)
    assert found(session, "test:A.PY") == found(session, "test:::y") == {"weather"}
    assert found(session, "-test:a.py") == {"joke"}
    assert found(session, "test:c") == set()


def test_unsupported_requests(session: Session) -> None:
    take(session, missed(chat("responses")))
    take(session, "[mock-llm] unsupported request POST /v1/responses: not supported\n")
    key = "POST /v1/responses: not supported"
    row = session.miss_index.rows[key]
    for text in ("state:unsupported", "post", "/v1/resp", "SUPPORTED", "run:last", "-model:gpt"):
        assert parse(text, session).matches(row), text
    for text in ("state:missing", "model:gpt", "turn:1", "tool:x", "hello"):
        assert not parse(text, session).matches(row), text
    miss = session.miss_index.misses[digest(chat("responses"))]
    assert not parse("state:unsupported", session).matches(miss)
    session.decisions.skip(key)
    assert parse("state:skipped", session).matches(row)


def test_what_asks_for_done_rows_says_so() -> None:
    assert parse("state:saved").wants_done
    assert parse("state:s").wants_done
    assert not parse("-state:saved").wants_done
    assert parse("saved").wants_done
    assert not parse("-saved").wants_done
    assert not parse("state:missing hello").wants_done


def test_a_filter_without_words_is_none() -> None:
    assert not parse("")
    assert not parse("  -  ")
    assert parse("a")


@each_case(
    "text, said",
    [
        ("state:", "state: takes one of missing, stale, "),
        ("state:x", '"x" is not a state. States: missing, stale, held, draft, broken, '),
        ("-state:unknown", '"unknown" is not a state. States: missing, '),
        ("state:stalle", '"stalle" is not a state. Did you mean state:stale?'),
        ("turn:", "turn: takes a number"),
        ("turn:two", "turn: takes a number"),
        ("turn:>", "like turn:2 or turn:>1"),
        ("turn:12345678901", "turn: takes a number"),
        ("run:", "run: takes last or a number"),
        ("run:first", "run: takes last or a number"),
        ("model:", "model: takes a part of a name"),
        ("from:", "from: takes a part of a name, like from:mock-llm."),
        ("test:", "test: takes a part of a name, like test:test_weather."),
        ("form:mock", "Did you mean from:?"),
        ("tool: weather", "tool: takes a part of a name"),
        ("modle:gpt", "There is no filter modle: here. Did you mean model:?"),
        ("ok stat:missing", "Did you mean state:?"),
    ],
)
def test_a_filter_that_means_nothing_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(FilterError) as error:
        parse(text)
    assert said in str(error.value)


@pytest.mark.parametrize("text", ["http://x", "note:this", "a:b", '"model:x"', "x:"])
def test_a_colon_in_text_is_text(text: str, session: Session) -> None:
    quoted = text.strip('"')
    names = asked(session, chat(f"see {quoted} there"), chat("see nothing"))
    wanted = parse(text)
    assert [wanted.matches(session.miss_index.misses[name]) for name in names] == [True, False]


def test_unknown_fields_are_searched_for_whole(session: Session) -> None:
    names = asked(session, chat("see http://example.org/a:b"), chat("see nothing"))
    wanted = parse("http://example.org")
    assert [wanted.matches(session.miss_index.misses[name]) for name in names] == [True, False]


@given(st.text(alphabet=st.sampled_from('ab:"- <>=1\n\u2028modelstaturn'), max_size=40))
def test_any_text_is_a_filter_or_is_told_why_not(text: str) -> None:
    told = ""
    try:
        parse(text)
    except FilterError as error:
        told = str(error)
    assert told == "" or told.endswith((".", "?"))


@given(st.text(min_size=1, max_size=20).filter(lambda t: '"' not in t))
def test_a_quoted_text_is_a_phrase(text: str) -> None:
    assert len(parse(f'"{text}"').tests) == 1
