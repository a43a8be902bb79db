"""The index of stored requests: what it finds follows what was added and removed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import payloads
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.differences import ReadRequest
from workbench.core.requests.index import RequestIndex


def chat(system: str, user: str) -> dict[str, Any]:
    said = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return {"model": "gpt-4o", "messages": said}


@given(st.lists(payloads, min_size=1, max_size=6), st.data())
def test_adding_and_removing_leaves_nothing_behind(
    stored: list[dict[str, Any]], data: st.DataObject
) -> None:
    index = RequestIndex()
    for payload in stored:
        index.add(digest(payload), view(payload))
    for found in data.draw(st.permutations(sorted({digest(p) for p in stored}))):
        index.remove(found)
    assert vars(index) == vars(RequestIndex())


def test_adding_again_replaces() -> None:
    index = RequestIndex()
    index.add("a", view(chat("Be brief.", "on 2026-11-19")))
    first = index.masked_digest("a")
    index.add("a", view(chat("Be brief.", "another")))
    assert first is not None
    assert index.same_but_volatile(first) == []
    assert index.masked_digest("a") != first
    index.add_description("a", "no request any more")
    assert index.masked_digest("a") is None
    assert len(index) == 0


def test_likely_are_those_that_share_messages_then_those_that_share_words() -> None:
    index = RequestIndex()
    index.add("words", view(chat("Another prompt.", "weather in Paris?")))
    index.add("message", view(chat("Be brief.", "a joke")))
    index.add("both", view(chat("Be brief.", "weather in Rome?")))
    index.add("none", view(chat("Something else.", "red wine under 30")))
    likely = index.likely(ReadRequest(view(chat("Be brief.", "weather in London?"))))
    assert likely == ["both", "message", "words"]


def test_of_messages_that_share_words_the_likely_have_few_others() -> None:
    index = RequestIndex()
    others = " ".join(f"other{number}" for number in range(20))
    index.add("long", view(chat("A", f"weather in London today {others}")))
    index.add("short", view(chat("B", "weather in London")))
    likely = index.likely(ReadRequest(view(chat("C", "weather in London today?"))))
    assert likely == ["short", "long"]


def test_of_many_only_a_few_are_likely_and_the_closest_is_among_them() -> None:
    index = RequestIndex()
    for number in range(500):
        index.add(
            f"{number}",
            view(chat("The same prompt for all.", f"question {number} about item{number}")),
        )
    likely = index.likely(
        ReadRequest(view(chat("The same prompt for all.", "a question about item321")))
    )
    assert len(likely) < 20
    assert likely[0] == "321"
