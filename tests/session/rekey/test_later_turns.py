"""A later turn of a conversation whose beginning was changed."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.session.rekey.later_turns import with_beginning

USER = {"role": "user", "content": "hello"}
MORE = [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "and?"}]


def chat(prompt: str, *more: dict[str, str], **settings: Any) -> dict[str, Any]:
    system = {"role": "system", "content": prompt}
    return {"model": "m", "messages": [system, USER, *more], **settings}


def messages(prompt: str, *more: dict[str, str]) -> dict[str, Any]:
    return {"api": "messages", "model": "m", "system": prompt, "messages": [USER, *more]}


@pytest.mark.parametrize("request_of", [chat, messages])
def test_the_beginning_is_changed_and_the_rest_stays(request_of: Any) -> None:
    later = request_of("Be brief.", *MORE)
    made = with_beginning(later, request_of("Be brief."), request_of("Be polite."))
    assert made == request_of("Be polite.", *MORE)


def test_a_setting_may_change_come_or_go() -> None:
    later, before = chat("x", *MORE, seed=1), chat("x", seed=1)
    assert with_beginning(later, before, {**chat("x"), "model": "n"}) == {
        **chat("x", *MORE),
        "model": "n",
    }
    assert with_beginning(later, before, chat("x", seed=1, top_p=0)) == {**later, "top_p": 0}


def test_what_a_later_turn_has_for_itself_is_kept() -> None:
    later = chat("x", *MORE, temperature=1)
    assert with_beginning(later, chat("x"), chat("y")) == chat("y", *MORE, temperature=1)


@pytest.mark.parametrize(
    ("later", "after"),
    [
        (chat("x"), chat("y")),  # the same turn
        (chat("z", *MORE), chat("y")),  # of another conversation
        (chat("x", *MORE, seed=2), chat("y", seed=3)),  # what it has in place of the old setting
        (chat("x", *MORE), {**chat("y"), "messages": "?"}),
    ],
)
def test_other_requests_do_not_continue_it(later: dict[str, Any], after: dict[str, Any]) -> None:
    assert with_beginning(later, chat("x", seed=1) if "seed" in after else chat("x"), after) is None
