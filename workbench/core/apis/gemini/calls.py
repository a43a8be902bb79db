"""Read the calls in the parts of a reply, whole or in pieces.

A call in pieces begins with its name and ``willContinue``. Each of its ``partialArgs`` has a JSON
path and a value; text continues in the next one with that path. A call ends with a piece without
``willContinue``, which may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from workbench.core.apis.reading import ReplyObject
from workbench.core.json.values import compact, json_type, same
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

_VALUES: Final = ("stringValue", "numberValue", "boolValue", "nullValue")
# A step of a JSON path: ``.city``, ``['city']`` or ``[0]``.
_STEP: Final = re.compile(r"""\.([^.\[\]]+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]""")

_Step = str | int


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    args: dict[str, Any] = field(default_factory=dict)

    def finished(self) -> dict[str, Any]:
        return chat_call(self.id or None, self.name, compact(self.args))


class Calls:
    """The calls of a reply so far."""

    def __init__(self) -> None:
        self._ended: list[_Call] = []
        self._open: _Call | None = None

    def add(self, function_call: ReplyObject, where: str) -> None:
        """Add a ``functionCall``. Raises NotAReplyError if it does not fit those before it."""
        call_id, name = function_call.text("id"), function_call.text("name")
        args = function_call.take("args")
        pieces = function_call.objects("partialArgs", "functionCall.partialArgs.")
        goes_on = [piece.take("willContinue") is True for piece in (function_call, *pieces)]
        call = self._open
        if call is None:
            if not name and not args and not pieces:
                return  # the end of a call that has ended
            if not name:
                raise NotAReplyError(f"{where}: a functionCall has no name")
            call = _Call(call_id, name)
        elif name and not (call_id and call_id == call.id):
            raise NotAReplyError(f"{where}: a functionCall begins before that of {call.name} ends")
        _merge(call.args, args, where)
        for piece in pieces:
            _add_piece(call.args, piece, where)
        self._open = call if any(goes_on) else None
        if self._open is None:
            self._ended.append(call)

    def finished(self) -> list[dict[str, Any]]:
        """The calls as fixtures have them. Raises NotAReplyError if the last one has no end."""
        if self._open is not None:
            raise NotAReplyError(f"the stream broke off in the functionCall of {self._open.name}")
        return [call.finished() for call in self._ended]


def _merge(before: dict[str, Any], args: Any, where: str) -> None:
    """Add whole arguments to those that are known."""
    if args is not None and not isinstance(args, dict):
        raise NotAReplyError(f"{where}: args is {json_type(args)}, not an object")
    for name, value in (args or {}).items():
        if not same(before.setdefault(name, value), value):
            raise NotAReplyError(f"{where}: the argument {name[:100]!r} has two values")


def _add_piece(args: dict[str, Any], piece: ReplyObject, where: str) -> None:
    path = piece.text("jsonPath")
    problem = NotAReplyError(f"{where}: the piece of an argument at {path[:100]!r} does not fit")
    keys = [key for key in _VALUES if piece.is_given(key)]
    steps = _steps(path)
    if len(keys) != 1 or not steps or not isinstance(steps[0], str):
        raise problem
    value = piece.take(keys[0])
    if keys == ["nullValue"]:
        value = None
    holder: Any = args
    for step, following in pairwise(steps):
        holder = _at(holder, step, list if isinstance(following, int) else dict, problem)
    last = steps[-1]
    before = _at(holder, last, lambda: "" if isinstance(value, str) else value, problem)
    if isinstance(before, str) and isinstance(value, str):
        holder[last] = before + value
    elif not same(before, value):
        raise problem


def _steps(path: str) -> list[_Step]:
    """The steps of a JSON path; none if it cannot be read."""
    remaining = path.removeprefix("$")
    steps: list[_Step] = []
    while match := _STEP.match(remaining):
        name, quoted, double_quoted, number = match.groups()
        text = next((text for text in (name, quoted, double_quoted) if text is not None), "")
        steps.append(text if number is None else int(number))
        remaining = remaining[match.end() :]
    return [] if remaining else steps


def _at(holder: Any, step: _Step, made: Callable[[], Any], problem: NotAReplyError) -> Any:
    """The value at a step, made if it is the next one. Raises ``problem`` if none can be there."""
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.setdefault(step, made())
    if isinstance(holder, list) and isinstance(step, int) and step <= len(holder):
        if step == len(holder):
            holder.append(made())
        return holder[step]
    raise problem
