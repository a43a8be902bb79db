"""Actions called by others than their keys."""

from __future__ import annotations

from inspect import isawaitable

from textual.dom import DOMNode


async def perform(owner: DOMNode, name: str, *parameters: object) -> None:
    """Perform an action of a widget, also where its key does not act: that is what ``run_action``
    would ask, and where somebody types a letter is text.
    """
    result = getattr(owner, f"action_{name}")(*parameters)
    if isawaitable(result):
        await result
