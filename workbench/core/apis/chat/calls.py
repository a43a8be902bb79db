"""The calls of a streamed reply, put together from their pieces.

The API numbers the calls, and gives a call its id and its name once. Other upstreams leave out the
number, use one for all calls, repeat the id or the name, or split the name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from workbench.core.apis.reading import ReplyObject
from workbench.core.json.values import compact, json_type
from workbench.core.replies.response import NotAReplyError

# By the kind of the tool: the key of the call, and the key of its arguments.
_ARGUMENTS: Final = {"function": "arguments", "custom": "input"}


@dataclass(slots=True)
class Piece:
    """A piece of a call, or a whole one.

    Attributes:
        where: the place, for messages.
        index, id, kind, name: fields of the call that the piece contains.
        arguments: the arguments: a string or, from some upstreams, an object.
    """

    where: str
    index: int | None
    id: str
    kind: str
    name: str
    arguments: str | dict[str, Any] | None

    @property
    def is_named(self) -> bool:
        """True if it identifies its call or begins one."""
        return self.index is not None or bool(self.id or self.name)


def read_piece(part: ReplyObject, where: str) -> Piece:
    """A piece of a call, from an item of ``tool_calls``. Raises NotAReplyError."""
    index, call_id, kind = part.take("index"), part.take("id"), part.text("type")
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    kind = kind or next(filter(part.has, _ARGUMENTS), "")
    called, key = part.mapping(kind or "function", "tool_calls.function."), _key(kind)
    arguments = called.take(key)
    if arguments is not None and not isinstance(arguments, str | dict):
        raise NotAReplyError(f"{where}: {key} is {json_type(arguments)}, not a string")
    return Piece(
        where,
        index if type(index) is int else None,
        "" if call_id is None else str(call_id),
        kind,
        called.text("name"),
        arguments,
    )


def _key(kind: str) -> str:
    return _ARGUMENTS.get(kind, "arguments")


@dataclass(slots=True)
class _Call:
    index: int | None
    id: str = ""
    kind: str = ""
    name: str = ""
    text: str = ""
    object: dict[str, Any] | None = None

    def is_another(self, piece: Piece) -> bool:
        """True if a piece with the number of this call begins another call. Raises NotAReplyError
        if it is ambiguous.
        """
        is_another_id = bool(piece.id) and piece.id != self.id
        if piece.name and piece.arguments and self._is_complete and (is_another_id or not piece.id):
            if not piece.id and (piece.name, piece.arguments) == (self.name, self.text):
                raise NotAReplyError(f"{piece.where}: a call without an id appears twice")
            return True
        # Some upstreams make up an id for each piece.
        return is_another_id and bool(self.id) and (bool(piece.name) or not piece.arguments)

    def add(self, piece: Piece) -> None:
        """Add a piece. Raises NotAReplyError if it does not fit those before it."""
        if piece.id and piece.id == self.id and piece.arguments == self.text and self._is_complete:
            return  # all of the call, once more
        self.id = self.id or piece.id
        self.kind = self.kind or piece.kind
        if piece.name != self.name:  # some upstreams repeat it in each piece
            self.name += piece.name
        what = f"{piece.where}: {_key(self.kind)}"
        if isinstance(piece.arguments, dict):
            self._add_object(piece.arguments, what)
        elif piece.arguments:
            self._add_text(piece.arguments, what)

    def _add_text(self, text: str, what: str) -> None:
        if self.object is None:
            self.text += text
        elif _value(text) != self.object:
            raise NotAReplyError(f"{what} is an object, but a later piece is text")

    def _add_object(self, arguments: dict[str, Any], what: str) -> None:
        if self.text and _value(self.text) != arguments:
            raise NotAReplyError(f"{what} is text, but a later piece is an object")
        before = self.object or {}
        if any(key in before and before[key] != value for key, value in arguments.items()):
            raise NotAReplyError(f"{what} has a key with two values")
        if not self.text:
            self.object = {**before, **arguments}

    @property
    def _is_complete(self) -> bool:
        """True if the arguments are a whole object, to which nothing can be added."""
        return self.text.rstrip().endswith("}") and isinstance(_value(self.text), dict)

    def finished(self, place: str) -> dict[str, Any]:
        """The call as a fixture has it. Raises NotAReplyError if it is none."""
        arguments = self.text if self.object is None else compact(self.object)
        kind = self.kind or "function"
        if kind not in _ARGUMENTS:
            raise NotAReplyError(f"{place} is a call of a {kind[:40]}, not of a function")
        if kind == "function" and _are_several(arguments):
            raise NotAReplyError(f"the arguments of {place} are several objects")
        called = {"name": self.name, _ARGUMENTS[kind]: arguments}
        return {"id": self.id or None, "type": kind, kind: called}


def whole(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """The calls of a reply that was not streamed. Raises NotAReplyError."""
    calls = []
    for piece in pieces:
        calls.append(_Call(piece.index))
        calls[-1].add(piece)
    return _finished(calls)


def put_together(frames: Iterable[list[Piece]], *, as_client: bool) -> list[dict[str, Any]]:
    """The calls of a streamed reply.

    Args:
        frames: the pieces of each.
        as_client: go only by the numbers, as the official client does.

    Raises:
        NotAReplyError: a piece has no place, or a call is none.
    """
    calls: list[_Call] = []
    placed: dict[int, _Call] = {}  # by its place in a frame, the last call with a piece there
    guessed = ""
    for pieces in frames:
        for place, piece in enumerate(pieces):
            if as_client:
                piece.index = place if piece.index is None else piece.index
                call = _numbered(calls, piece.index)
            elif piece.is_named:
                call = _call_of(calls, piece)
            else:
                call = placed.get(place)
                guessed = guessed or (piece.where if len(calls) > 1 else "")
            if call is None:
                call = _Call(piece.index)
                calls.append(call)
            placed[place] = call
            call.add(piece)
    if guessed and any(call.text and _value(call.text) is None for call in calls):
        raise NotAReplyError(f"{guessed}: a piece of a call has no index and no id")
    return _finished(sorted(calls, key=lambda call: call.index or 0))


def _call_of(calls: list[_Call], piece: Piece) -> _Call | None:
    """The call that a piece belongs to; None for a piece that begins one."""
    if piece.index is not None:
        call = _numbered(calls, piece.index)
        return None if call is None or call.is_another(piece) else call
    if piece.id:
        return next((call for call in calls if call.id == piece.id), None)
    call = calls[-1] if calls else None
    if call is not None and not call.text and call.object is None:
        raise NotAReplyError(f"{piece.where}: the name of a call has no index and no id")
    return None


def _numbered(calls: list[_Call], index: int | None) -> _Call | None:
    """The last call with a number."""
    return next((call for call in reversed(calls) if call.index == index), None)


def _finished(calls: Iterable[_Call]) -> list[dict[str, Any]]:
    return [call.finished(f"tool_calls[{place}]") for place, call in enumerate(calls)]


def _value(text: str) -> Any:
    """The value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _are_several(text: str) -> bool:
    """True if text is an object followed by another: two calls that were merged, or one that was
    sent twice.
    """
    try:
        first, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and text[end:].lstrip().startswith("{")
