"""Answers that later requests refer to are found in memory and, by their digests, elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.apis import earlier
from workbench.core.apis.earlier import EarlierAnswers
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer


def answered(text: str) -> Answer:
    asking = view({"api": "responses", "input": text})
    return find_answer(asking, asking.digest, lambda _: {"response": {"content": text.upper()}})


def test_an_answer_is_found_by_the_ids_of_its_reply_and_of_its_items() -> None:
    one, other = answered("one"), answered("other")
    answers = EarlierAnswers({other.digest: other}.get)
    answers.add(one, 10)
    ids = [f"resp_{one.digest}", f"fc_{one.digest}12", f"resp_{other.digest}"]
    unknown = ["resp_1", f"resp_{'a' * 64}", one.digest, f"resp_{one.digest}x"]
    assert answers.find([*ids, *unknown]) == dict(zip(ids, [one, one, other], strict=True))


def test_the_last_answer_to_a_request_counts() -> None:
    first, second = answered("one"), answered("one")
    answers = EarlierAnswers({first.digest: first}.get)
    answers.add(second, 10)
    assert answers.find([f"resp_{first.digest}"])[f"resp_{first.digest}"] is second


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "MAX_BYTES", 25)
    answers = EarlierAnswers(lambda _: None)
    made = [answered(text) for text in "abc"]
    for each in [*made, made[1]]:
        answers.add(each, 10)
    kept: Any = answers.find([f"resp_{each.digest}" for each in made])
    assert list(kept.values()) == made[1:]


def test_replies_of_another_server_to_one_request_are_told_apart() -> None:
    first, second, own = answered("one"), answered("one"), answered("one")
    answers = EarlierAnswers(lambda _: None)
    answers.add(first, 10, "resp_first")
    answers.add(second, 10, "resp_second")
    answers.add(own, 10)
    expected = {"resp_first": first, "resp_second": second, f"resp_{own.digest}": own}
    found = answers.find(expected)
    assert found.keys() == expected.keys()
    assert all(found[given] is expected[given] for given in expected)
