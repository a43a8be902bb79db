"""Calling actions without their keys."""

from __future__ import annotations

from inspect import isawaitable


async def perform(owner: object, name: str, *parameters: object) -> None:
    """Run ``owner.action_<name>``, also where its key is disabled: Textual's ``run_action`` asks
    ``check_action`` first, which refuses letters in a text field.
    """
    result = getattr(owner, f"action_{name}")(*parameters)
    if isawaitable(result):
        await result
