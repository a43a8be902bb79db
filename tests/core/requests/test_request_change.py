"""The change from one request to another, found in other pairs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.apis.table import view
from workbench.core.requests.differences import ReadRequest, differences
from workbench.core.requests.request_change import RequestChange

PROMPT = "You help Ann.\nBe brief. Today is 2026-11-19."


def conversation(prompt: str = PROMPT, *more: Any, **settings: Any) -> ReadRequest:
    said = [{"role": "system", "content": prompt}, {"role": "user", "content": "hello"}, *more]
    return ReadRequest(view({"model": "gpt-4o", "messages": said, **settings}))


def called(tool: str) -> list[dict[str, Any]]:
    """Two turns in which a tool is called."""
    return [
        message
        for n in (1, 2)
        for message in (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": f"call_{n}",
                        "type": "function",
                        "function": {"name": tool, "arguments": '{"city": "Oslo"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": f"call_{n}", "content": "12 °C"},
        )
    ]


def change(before: ReadRequest, after: ReadRequest) -> RequestChange:
    return RequestChange.of(differences(before, after))


def is_made(made: RequestChange, before: ReadRequest, after: ReadRequest) -> bool:
    """Whether a pair of requests has a change; requests that have it are found by the rest."""
    explained = made.explains(differences(before, after), before)
    assert not explained or made.rest(before) == made.rest(after)
    return explained


BRIEF = change(conversation(), conversation(PROMPT.replace("brief", "short and polite")))


def test_the_words_are_those_that_differ_each_once() -> None:
    assert [tuple(pair) for pair in BRIEF.words] == [("brief", "short and polite")]
    renamed = change(
        conversation(PROMPT, *called("get_weather")), conversation(PROMPT, *called("weather_now"))
    )
    assert [tuple(pair) for pair in renamed.words] == [("get_weather", "weather_now")]
    model = change(conversation(), conversation(model="gpt-4o-2026-11-19"))
    assert [tuple(pair) for pair in model.words] == [("gpt-4o", "gpt-4o-2026-11-19")]


def test_dates_are_no_words() -> None:
    assert change(conversation(), conversation(PROMPT.replace("-19", "-20"))).words == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The prompt of another user, a later turn, another day.
        (PROMPT.replace("Ann", "Bob"), PROMPT.replace("Ann", "Bob").replace("brief", "X")),
        (PROMPT, PROMPT.replace("brief", "X").replace("-19", "-20")),
        ("In short: be brief, brief!", "In short: be X, X!"),
    ],
)
def test_other_requests_may_have_the_same_change(before: str, after: str) -> None:
    after = after.replace("X", "short and polite")
    later = [{"role": "assistant", "content": "Hi."}, {"role": "user", "content": "brief?"}]
    for more in ([], later):
        assert is_made(BRIEF, conversation(before, *more), conversation(after, *more))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PROMPT, PROMPT),
        (PROMPT, PROMPT.replace("-19", "-20")),
        (PROMPT, PROMPT.replace("brief", "short")),
        (PROMPT, PROMPT.replace("brief", "short and polite").replace("Ann", "Bob")),
        (PROMPT.replace("brief", "short and polite"), PROMPT),
    ],
)
def test_another_change_is_not_the_same(before: str, after: str) -> None:
    assert not is_made(BRIEF, conversation(before), conversation(after))


def test_of_two_words_those_count_that_a_request_has() -> None:
    both = change(
        conversation(PROMPT, *called("get_weather")),
        conversation(PROMPT, *called("weather_now"), model="gpt-5"),
    )
    assert is_made(both, conversation(), conversation(model="gpt-5"))
    before = conversation(PROMPT, *called("get_weather"))
    assert is_made(both, before, conversation(PROMPT, *called("weather_now"), model="gpt-5"))
    # One that has both, of which only one was changed, has another change.
    assert not is_made(both, before, conversation(PROMPT, *called("get_weather"), model="gpt-5"))
    assert not is_made(both, before, conversation(PROMPT, *called("weather_now")))


def test_words_close_together_are_words_of_their_own() -> None:
    tools = {"get_weather": "weather_now", "get_time": "time_now"}
    before = after = "Tools: get_weather, get_time"
    for tool, renamed in tools.items():
        after = after.replace(tool, renamed)
    prompt = change(conversation(before), conversation(after))
    assert [tuple(pair) for pair in prompt.words] == list(tools.items())
    later = conversation(before, *called("get_time"))
    assert is_made(prompt, later, conversation(after, *called("time_now")))


def test_messages_that_were_added_or_left_out_are_words() -> None:
    policy = {"role": "developer", "content": "No prices, please."}
    added = change(conversation(), conversation(PROMPT, policy))
    assert [tuple(pair) for pair in added.words] == [(None, "No prices, please.")]
    other = PROMPT.replace("Ann", "Bob")
    assert is_made(added, conversation(other), conversation(other, policy))
    assert not is_made(
        added, conversation(other), conversation(other, {**policy, "content": "No."})
    )
    gone = change(conversation(PROMPT, policy), conversation())
    assert is_made(gone, conversation(other, policy), conversation(other))


texts = st.lists(st.sampled_from(["be", "brief", "Ann", ".", " ", "\n", "2026-11-19", "é"])).map(
    "".join
)


@given(prompt=texts, word=st.sampled_from(["brief", "Ann", ".", "be"]), other=texts)
def test_requests_that_have_a_change_are_found_by_the_rest(
    prompt: str, word: str, other: str
) -> None:
    before, after = conversation(prompt), conversation(prompt.replace(word, "short"))
    made = change(before, after)
    if made.words:
        assert is_made(made, before, after)
        is_made(made, conversation(other), conversation(other.replace(word, "short")))
