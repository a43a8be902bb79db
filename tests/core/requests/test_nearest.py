"""The nearest fixture: the right one of many, with what differs; and none where none is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.other_day import agent_requests, pairs
from tests.strategies import payloads
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.differences import Difference, ReadRequest, differences
from workbench.core.requests.index import RequestIndex
from workbench.core.requests.nearest import Nearest, comparison, describe, find_nearest, find_same
from workbench.core.requests.view import RequestView


def chat(*said: str, **more: object) -> dict[str, Any]:
    messages = [dict(zip(("role", "content"), one.split(": ", 1), strict=True)) for one in said]
    return {"model": "gpt-4o", "messages": messages, **more}


class Fixtures:
    """Requests that have fixtures."""

    def __init__(self, *payloads: dict[str, Any]) -> None:
        self.requests = {digest(payload): payload for payload in payloads}
        self.index = RequestIndex()
        for found, payload in self.requests.items():
            self.index.add(found, view(payload))

    def stored(self, found: str) -> RequestView | None:
        payload = self.requests.get(found)
        return None if payload is None else view(payload)

    def nearest(self, payload: dict[str, Any], **more: Any) -> Nearest | None:
        return find_nearest(
            digest(payload), ReadRequest(view(payload)), self.index, self.stored, **more
        )


WEATHER = chat("system: You are a helpful assistant.", "user: weather in London?")


def test_the_same_request_on_another_day_is_found_among_all_and_its_span_is_named() -> None:
    days = list(pairs())
    fixtures = Fixtures(*(day.before for day in days))
    found = named = 0
    for day in days:
        nearest = fixtures.nearest(day.after)
        assert nearest is not None
        found += nearest.name == digest(day.before) and nearest.same_but_volatile
        said = [(d.role, d.kind, d.before, d.after) for d in nearest.differences]
        first = day.after["messages"][0]
        where = "messages[0].content" + "[0].text" * isinstance(first["content"], list)
        named += (
            said == [(first["role"], day.kind, day.was, day.is_now)]
            and nearest.differences[0].where == where
        )
    assert len(days) == 864
    assert (found, named) == (864, 864)


def test_a_changed_request_finds_the_one_it_was() -> None:
    """One word of an agent's last message, or its model, is another one."""
    requests = list(agent_requests().values())[:18]  # of agents; the rest is a burst of one kind
    fixtures = Fixtures(*requests)
    right = 0
    for payload in requests:
        messages = [*payload["messages"][:-1], {**payload["messages"][-1], "name": "somebody"}]
        for changed in ({**payload, "messages": messages}, {**payload, "model": "another-model"}):
            nearest = fixtures.nearest(changed)
            right += nearest is not None and nearest.name == digest(payload)
    assert right == 36


def test_the_nearest_shares_the_most_messages_then_has_the_closest_text() -> None:
    turn = chat(
        "system: Be brief.", "user: weather in London?", "assistant: Rain.", "user: and now?"
    )
    other = chat("system: Be brief.", "user: weather in Paris?")
    fixtures = Fixtures(turn, other, chat("system: Be brief.", "user: a joke about the weather"))
    longer = chat(*(f"{m['role']}: {m['content']}" for m in turn["messages"]), "assistant: Sun.")
    nearest = fixtures.nearest(longer)
    assert nearest is not None
    assert (nearest.name, nearest.shared, nearest.messages) == (digest(turn), 4, 5)
    nearest = fixtures.nearest(chat("system: Be brief.", "user: weather in Rome?"))
    assert nearest is not None
    assert nearest.name == digest(other)
    assert [(d.where, d.before, d.after) for d in nearest.differences] == [
        ("messages[1].content", "Paris", "Rome")
    ]
    assert 0.55 <= nearest.score < 1


@pytest.mark.parametrize(
    "unrelated",
    [
        chat("user: tell me a joke"),
        chat("system: You are a helpful assistant.", "user: tell me a joke"),
        chat("system: You are a sommelier who knows a catalogue of wines.", "user: red, under 30"),
        chat("user: what is the capital of France?"),
        chat("user: hello"),
        {},
        {"messages": []},
    ],
)
def test_of_unrelated_requests_nothing_is_claimed(unrelated: dict[str, Any]) -> None:
    assert Fixtures(WEATHER, chat("user: what is the answer?")).nearest(unrelated) is None


def test_of_the_requests_of_unrelated_agents_nothing_is_claimed() -> None:
    requests = list(agent_requests().items())[:18]
    answered = Fixtures(*(payload for _, payload in requests))
    claims = 0
    for found, payload in requests:
        nearest = answered.nearest(payload)
        if nearest is not None:
            claims += 1
            said = {str(m["content"]) for m in payload["messages"] if m["role"] == "user"}
            theirs = answered.requests[nearest.name]["messages"]
            assert said & {str(m["content"]) for m in theirs}, (found, nearest.name)
    assert claims == 12  # those that ask what another one asks, or continue it


def weather_on(day: str, content: str | None, **call: object) -> dict[str, Any]:
    """Turn 2 of a conversation; ``content`` and ``call`` are what a client echoes of the reply."""
    function = {"name": "get_weather", "arguments": f'{{"day": "{day}"}}'}
    calls = [{"id": "call_7", "type": "function", "function": function, **call}]
    told = chat(f"system: Today is {day}.", "user: weather in London?")
    told["messages"] += [
        {"role": "assistant", "content": content, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_7", "content": "Rain"},
    ]
    return told


def test_a_turn_that_echoes_its_call_otherwise_is_the_same_on_another_day() -> None:
    """A recorded turn has content null and no index; the stub's reply has "" and one."""
    recorded = weather_on("2026-11-19", None)
    nearest = Fixtures(recorded).nearest(weather_on("2026-11-20", "", index=0))
    assert nearest is not None
    assert nearest.same_but_volatile
    assert nearest.kinds == ("date",)
    assert [(d.before, d.after) for d in nearest.differences] == [("2026-11-19", "2026-11-20")] * 2


def test_a_text_that_is_too_long_to_compare_is_the_same_on_another_day() -> None:
    """A null character hides which of its parts are volatile."""
    text = f"\0 on {{day}} {'word ' * 50_000} on {{day}}"
    first, second = (chat(f"user: {text.format(day=f'2026-11-{day}')}") for day in (19, 20))
    nearest = Fixtures(first).nearest(second)
    assert nearest is not None
    assert (nearest.same_but_volatile, nearest.kinds) == (True, ())


def test_how_a_request_is_written_is_a_difference_where_there_is_no_other() -> None:
    stored = ReadRequest(view(weather_on("2026-11-19", None)))
    echoed = ReadRequest(view(weather_on("2026-11-19", "", index=0)))
    assert [d.where for d in differences(stored, echoed)] == [
        "messages[2].content",
        "messages[2].tool_calls[0].index",
    ]


def test_requests_of_one_run_are_not_each_other_on_another_day() -> None:
    """Two questions that differ by their date alone."""
    first, second = chat("user: news of 2026-11-19"), chat("user: news of 2026-11-20")
    fixtures = Fixtures(first)
    beside = {digest(first)}
    nearest = fixtures.nearest(second, in_same_run=beside.__contains__)
    assert nearest is not None
    assert (nearest.name, nearest.same_but_volatile) == (digest(first), False)
    assert nearest.score < 1
    nearest = fixtures.nearest(second)
    assert nearest is not None
    assert nearest.same_but_volatile
    assert nearest.kinds == ("date",)


def test_after_one_that_is_beside_the_others_are_found_too() -> None:
    days = [chat(f"user: news of 2026-11-{day}") for day in range(18, 22)]
    fixtures = Fixtures(*days)
    for asked in days:
        beside, *others = (digest(day) for day in days if day != asked)
        nearest = fixtures.nearest(asked, in_same_run=beside.__eq__)
        assert nearest is not None
        assert nearest.same_but_volatile
        assert {nearest.name, *nearest.others} == set(others)


def test_several_that_are_the_same_are_told() -> None:
    fixtures = Fixtures(chat("user: at 10:00 on 2026-11-18"), chat("user: at 10:00 on 2026-11-19"))
    asked = chat("user: at 10:05 on 2026-11-19")
    nearest = fixtures.nearest(asked)
    assert nearest is not None
    first, second = fixtures.requests
    assert nearest.name == second  # the fewest differences
    assert nearest.others == (first,)
    same = find_same(digest(asked), ReadRequest(view(asked)), fixtures.index, fixtures.stored)
    assert [one.name for one in same] == [second, first]


def test_of_hundreds_that_are_the_same_a_few_are_compared() -> None:
    fixtures = Fixtures(
        *(chat(f"user: news of 2026-{m}-{d}") for m in range(10, 13) for d in range(10, 28))
    )
    asked = chat("user: news of 2026-12-28")
    read: list[str] = []

    def stored(found: str) -> RequestView | None:
        read.append(found)
        return fixtures.stored(found)

    nearest = find_nearest(digest(asked), ReadRequest(view(asked)), fixtures.index, stored)
    assert nearest is not None
    assert nearest.same_but_volatile
    assert {nearest.name, *nearest.others} == set(read)
    assert 1 < len(read) < 20


def test_the_fixture_of_the_request_itself_is_not_its_nearest() -> None:
    assert Fixtures(WEATHER).nearest(WEATHER) is None


def test_what_was_removed_is_not_found() -> None:
    fixtures = Fixtures(WEATHER, chat("user: weather in Paris?"))
    fixtures.index.remove(digest(WEATHER))
    fixtures.index.remove("unknown")
    assert len(fixtures.index) == 1
    nearest = fixtures.nearest(
        chat("system: You are a helpful assistant.", "user: rain in London?")
    )
    assert nearest is None or nearest.name != digest(WEATHER)
    fixtures.index.add(digest(WEATHER), view(WEATHER))
    assert fixtures.nearest({**WEATHER, "model": "o3"}) is not None


def test_a_file_that_is_gone_meanwhile_is_not_the_nearest() -> None:
    fixtures = Fixtures(WEATHER)
    fixtures.requests.clear()
    assert fixtures.nearest({**WEATHER, "model": "o3"}) is None


@pytest.mark.parametrize(
    "said",
    [
        ["user: write a poem"],
        ["system: Rhyme.", "user: a poem of 2026-11-19!"],
        ["system: Rhyme.", "user: a song of 2026-11-19!"],
    ],
)
def test_a_file_that_holds_another_request_meanwhile_is_not_the_same(said: list[str]) -> None:
    fixtures = Fixtures(chat("system: Be brief.", "user: news of 2026-11-19?"))
    [other] = fixtures.requests
    fixtures.requests[other] = chat(*said)
    assert fixtures.nearest(chat("system: Be brief.", "user: news of 2026-11-20?")) is None


def test_a_description_suggests_a_fixture_and_is_marked_as_a_guess() -> None:
    index = RequestIndex()
    index.add_description("a" * 64, "Answers 'please water the plants on my balcony'")
    index.add_description("b" * 64, "Answers 'please count the plants on my balcony'")

    def guess(text: str) -> Nearest | None:
        asked = chat(f"user: {text}")
        return find_nearest(digest(asked), ReadRequest(view(asked)), index, lambda _: None)

    nearest = guess("please count the plants on my balcony")
    assert nearest is not None
    assert (nearest.name, nearest.is_guess, nearest.same_but_volatile) == ("b" * 64, True, False)
    assert (nearest.shared, nearest.messages) == (0, 0)
    assert comparison(nearest) == f"Fixture {'b' * 12} has a description that fits this request."
    assert guess("what is the weather?") is None
    assert guess("please") is None


@given(st.lists(payloads, min_size=1, max_size=6), payloads)
def test_whatever_is_asked_the_nearest_is_one_of_the_others(
    stored: list[dict[str, Any]], asked: dict[str, Any]
) -> None:
    fixtures = Fixtures(*stored)
    nearest = fixtures.nearest(asked)
    if nearest is not None:
        assert nearest.name in fixtures.requests
        assert nearest.name != digest(asked)
        assert nearest.differences
        assert nearest.same_but_volatile == (nearest.score == 1)
        assert comparison(nearest).count("\n") == 0


def test_the_sentence_has_the_nearest_fixture_and_the_first_difference() -> None:
    nearest = Fixtures(chat("system: Today is 2026-11-19.", "user: hello")).nearest(
        chat("system: Today is 2026-11-20.", "user: hello")
    )
    assert nearest is not None
    assert comparison(nearest) == (
        f"Fixture {nearest.name[:12]} is the same request but for a date: "
        "messages[0] system: 2026-11-19 -> 2026-11-20."
    )
    assert describe(nearest.differences[0]) == "messages[0] system: 2026-11-19 -> 2026-11-20"
    for more, said in ((1, "1 more difference"), (2, "2 more differences")):
        several = nearest._replace(differences=nearest.differences * (1 + more))
        assert comparison(several).endswith(f" -> 2026-11-20, and {said}.")
    assert comparison(None) == "No similar fixture."


@pytest.mark.parametrize(
    ("stored", "asked", "said"),
    [
        ((), ("user: more",), "messages[2] user is not in the fixture's request: more"),
        (("user: more",), (), "messages[2] user is only in the fixture's request: more"),
    ],
)
def test_a_message_that_one_of_the_two_lacks_is_said_to_be_missing(
    stored: Sequence[str], asked: Sequence[str], said: str
) -> None:
    both = ("system: You answer in one sentence.", "user: hello")
    nearest = Fixtures(chat(*both, *stored)).nearest(chat(*both, *asked))
    assert nearest is not None
    assert [describe(difference) for difference in nearest.differences] == [said]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("hello world", "hello  world", "· -> ··"),
        ("hello", "hello\n", '"" -> \\n'),
        ("a\r\nb", "a\nb", '\\r -> ""'),
        ("a b", "a\tb", "· -> \\t"),
        ("a\u00a0b", "a b", "\\xa0 -> ·"),
        ("a", "a" + " " * 200, '"" -> ' + "·" * 59 + "…"),
        ("a  b", "a b c", "a b -> a b c"),
        ("", "word", '"" -> word'),
        ("Find for me.", "Find a book for me.", "Find for me. -> Find a book for me."),
        (
            "Say it now in one word of yours",
            "Say it now in many words of yours",
            "…now in one word of yours -> …now in many words of yours",
        ),
    ],
)
def test_a_difference_is_seen_with_the_words_around_it(before: str, after: str, said: str) -> None:
    one, other = (ReadRequest(view(chat(f"user: {text}"))) for text in (before, after))
    (difference,) = differences(one, other)
    assert describe(difference) == f"messages[0] user: {said}"


@pytest.mark.parametrize(
    ("key", "before", "after", "profile"),
    [
        ("content", "null", "", "stub"),
        ("content", "", "null", "openai"),
        ("content", "", "Hi", ""),
        ("tool_calls[0].index", None, "0", "stub"),
        ("tool_calls[0].index", "0", None, "openai"),
        ("tool_calls[0].index", "0", "1", ""),
        ("tool_calls[0].id", None, "a", ""),
    ],
)
def test_the_profile_whose_replies_a_request_quotes(
    key: str, before: str | None, after: str | None, profile: str
) -> None:
    where = f"messages[1].{key}"
    for role, expected in (("assistant", profile), ("user", "")):
        difference = Difference(where, role, before, after)
        nearest = Nearest("a" * 64, False, 0.9, (difference,), is_equivalent=True)
        assert nearest.echoed_profile == expected
        assert nearest._replace(is_equivalent=False).echoed_profile == ""
