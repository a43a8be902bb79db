"""Recorded replies, given out again in the order of the recording."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.equivalent_requests import conversation
from workbench.core.digest import digest
from workbench.core.recordings.exchanges import Exchange, Returned, Sent
from workbench.core.recordings.replay import MissingReplyError, RecordedReplies


def payload(text: str) -> dict[str, Any]:
    system = {"role": "system", "content": "You plan."}
    return {"model": "gpt-4o", "messages": [system, {"role": "user", "content": text}]}


def chat(position: int, node: str, call: int, text: str) -> Exchange:
    request = payload(text)
    return Exchange(position, node, call, request, Sent(200, "", b""), digest(request))


RUN = [
    chat(1, "planner", 1, "plan CRISPR"),
    chat(2, "critic", 1, "judge the plan"),
    Exchange(3, "search", 1, {"query": "CRISPR"}, Returned(["a"])),
    chat(4, "planner", 2, "plan again: too thin"),
]


def ask(index: RecordedReplies, node: str, text: str) -> tuple[int, str]:
    taken = index.take(node, payload(text), digest(payload(text)))
    return taken.exchange.position, str(taken)


def test_the_kth_call_of_a_node_gets_its_kth_reply() -> None:
    index = RecordedReplies(RUN)
    assert ask(index, "planner", "plan CRISPR") == (1, "")
    assert ask(index, "planner", "plan again: too thin") == (4, "")
    assert ask(index, "critic", "judge the plan") == (2, "")
    assert [exchange.position for exchange in index.unused()] == [3]
    taken = index.take("search", {"query": "CRISPR"})
    assert (taken.exchange.outcome, str(taken)) == (Returned(["a"]), "")
    assert index.unused() == []


def test_a_request_that_changed_is_answered_and_its_first_difference_named() -> None:
    index = RecordedReplies(RUN)
    assert ask(index, "planner", "plan mRNA") == (
        1,
        'planner, call 1: differs from exchange 1: messages[1].content: "…CRISPR" -> "…mRNA"',
    )
    changed = index.take("search", {"query": "mRNA"})
    assert str(changed) == 'search, call 1: differs from exchange 3: query: "CRISPR" -> "mRNA"'


def test_what_does_not_decide_the_answer_is_no_difference() -> None:
    request = payload("plan CRISPR") | {"temperature": 1, "stream": True}
    taken = RecordedReplies(RUN).take("planner", request, digest(request))
    assert (taken.exchange.position, taken.divergence) == (1, None)


def test_a_request_without_ids_of_calls_is_no_difference() -> None:
    """Nor is one with ids, if the recorded one has none. The exchange with the same ids goes
    first.
    """

    def talk(name: str) -> dict[str, Any]:
        return conversation("stub", ids=(name,))

    def recorded(*names: str) -> RecordedReplies:
        return RecordedReplies(
            Exchange(position, "", position, talk(name), Sent(200, "", b""), digest(talk(name)))
            for position, name in enumerate(names, 1)
        )

    def ask(index: RecordedReplies, name: str) -> tuple[int, str]:
        taken = index.take("", talk(name), digest(talk(name)))
        return taken.exchange.position, taken.divergence.where if taken.divergence else ""

    assert ask(recorded("toolu_a"), "call_0") == (1, "")
    assert ask(recorded("call_0"), "toolu_a") == (1, "")
    assert ask(recorded("call_0", "toolu_a"), "toolu_a") == (2, "")
    assert ask(recorded("toolu_b"), "toolu_a") == (1, "messages[1].tool_calls[0].id")


def test_a_request_that_is_written_differently_is_no_difference() -> None:
    first, second = conversation("stub", said="first?"), conversation("stub", said="second?")
    index = RecordedReplies(
        Exchange(position, "", position, request, Sent(200, "", b""), digest(request))
        for position, request in enumerate((first, second), 1)
    )
    for said, position in (("second?", 2), ("first?", 1)):
        request = conversation("openai", said=said)
        taken = index.take("", request, digest(request))
        assert (taken.exchange.position, taken.divergence) == (position, None)


def test_calls_in_another_order_get_their_own_replies_and_are_named() -> None:
    index = RecordedReplies(RUN)
    assert ask(index, "planner", "plan again: too thin") == (
        4,
        "planner, call 1: out of order: this is exchange 4; expected exchange 1",
    )
    assert ask(index, "planner", "plan CRISPR") == (1, "")


def test_calls_that_were_made_side_by_side_have_no_order() -> None:
    slow = replace(chat(2, "critic", 2, "slow"), at_ms=0.0, ms=30.0)
    fast = replace(chat(1, "critic", 1, "fast"), at_ms=1.0, ms=9.0)
    later = replace(chat(3, "critic", 3, "later"), at_ms=30.0, ms=9.0)
    assert ask(RecordedReplies([fast, slow, later]), "critic", "slow") == (2, "")
    assert ask(RecordedReplies([slow, later]), "critic", "later") == (
        3,
        "critic, call 1: out of order: this is exchange 3; expected exchange 2",
    )


def test_a_missing_reply_is_named_with_node_call_nearest_and_difference() -> None:
    index = RecordedReplies(RUN)
    ask(index, "critic", "judge the plan")
    with pytest.raises(MissingReplyError) as caught:
        ask(index, "critic", "judge the plan")
    assert str(caught.value) == (
        "critic, call 2: the recording has 1 reply for it, and all are used. Nearest: exchange 2, "
        "the same request"
    )
    assert (caught.value.node, caught.value.call) == ("critic", 2)
    with pytest.raises(MissingReplyError) as caught:
        ask(index, "finalizer", "plan CRISPR fast")
    assert str(caught.value) == (
        "finalizer, call 1: the recording has no such call, only calls of critic, planner, "
        "search. Nearest: exchange 1, which differs at messages[1].content: "
        '"…CRISPR" -> "…CRISPR fast"'
    )


def test_a_call_that_is_no_llm_call_is_not_compared_with_one() -> None:
    with pytest.raises(MissingReplyError) as caught:
        RecordedReplies(RUN[:1]).take("look_up", {"args": ["CRISPR"]})
    assert caught.value.nearest is None
    assert str(caught.value).endswith("has no such call, only calls of planner.")


def test_a_reply_without_a_request_is_not_compared() -> None:
    """A reply written by hand has none, or a text instead of the request of an LLM call."""
    written = [
        Exchange(1, "planner", 1, None, Returned("yes")),
        Exchange(2, "planner", 2, "plan CRISPR", Returned("yes")),
    ]
    index = RecordedReplies(written)
    assert ask(index, "planner", "plan CRISPR") == (1, "")
    assert ask(index, "planner", "plan CRISPR") == (2, "")
    with pytest.raises(MissingReplyError) as caught:
        ask(index, "planner", "plan CRISPR")
    assert (
        str(caught.value)
        == "planner, call 3: the recording has 2 replies for it, and all are used."
    )


def test_an_empty_recording_has_no_nearest() -> None:
    with pytest.raises(MissingReplyError) as caught:
        RecordedReplies([]).take("", {})
    assert caught.value.nearest is None
    said = "a call without a node, call 1: the recording has no reply that can be replayed."
    assert str(caught.value) == said


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y"])), max_size=12))
def test_the_same_calls_in_the_same_order_get_all_replies_in_order(
    calls: list[tuple[str, str]],
) -> None:
    recorded = [chat(i, node, 1, text) for i, (node, text) in enumerate(calls, 1)]
    index = RecordedReplies(recorded)
    assert [ask(index, node, text) for node, text in calls] == [
        (i, "") for i in range(1, len(calls) + 1)
    ]
    assert index.unused() == []
