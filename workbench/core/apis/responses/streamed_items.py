"""The items of a streamed response, put together from its events."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from workbench.core.apis.reading import StreamEvent
from workbench.core.json.values import json_type, mapping, string
from workbench.core.replies.response import NotAReplyError

_Item = dict[str, Any]


class _Text(NamedTuple):
    """The place of text that is streamed in pieces.

    Attributes:
        parts: the list of parts in the item; "" if the text belongs to the item itself.
        place: the key of the part's index.
        key: the key of the text.
        type: the type of a part that has it.
        item: the type of the item; "" if an item needs more than the text.
    """

    parts: str
    place: str
    key: str
    type: str
    item: str


# The types of items that fixtures hold.
HELD: Final = ("message", "function_call", "custom_tool_call", "reasoning")
# By the names of their events, without ``.delta`` and ``.done``.
_TEXTS: Final = {
    "response.output_text": _Text("content", "content_index", "text", "output_text", "message"),
    "response.refusal": _Text("content", "content_index", "refusal", "refusal", "message"),
    "response.reasoning_summary_text": _Text(
        "summary", "summary_index", "text", "summary_text", "reasoning"
    ),
    "response.reasoning_text": _Text(
        "content", "content_index", "text", "reasoning_text", "reasoning"
    ),
    "response.function_call_arguments": _Text("", "", "arguments", "", ""),
    "response.custom_tool_call_input": _Text("", "", "input", "", ""),
}
# Events with a part of an item: the list of parts, and the key of the part's place there.
_PARTS: Final = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}
_ABOUT_EVENT: Final = (
    *("type", "sequence_number", "obfuscation", "item_id", "output_index"),
    *("content_index", "summary_index", "name"),
)


class StreamedItems:
    """The items of a stream.

    Args:
        as_client: skip the events that repeat a whole text or part, as the official client does.
    """

    def __init__(self, *, as_client: bool = False) -> None:
        self._as_client = as_client
        self._begun: dict[int, _Item] = {}
        self._done: dict[int, _Item] = {}
        # The places of items by their ids, and of the last item with each number: some upstreams
        # give several items one number.
        self._by_id: dict[str, int] = {}
        self._by_number: dict[int, int] = {}

    @property
    def summed(self) -> list[_Item]:
        """The items as the sums of their pieces."""
        return [self._begun[place] for place in sorted(self._begun)]

    @property
    def done(self) -> list[_Item]:
        """The items that were repeated as a whole."""
        return [self._done[place] for place in sorted(self._done)]

    def add(self, event: StreamEvent) -> None:
        """Add what an event brings. Raises NotAReplyError if it does not fit those before it."""
        name, _, what = event.kind.rpartition(".")
        data = event.data
        if name == "response.output_item":
            items = self._begun if what == "added" else self._done
            self._add_item(items, mapping(data.take("item")), data.count("output_index"))
        elif what in ("added", "delta", "done") and (name in _PARTS or name in _TEXTS):
            try:
                self._add_piece(name, what, event)
            except (LookupError, TypeError, AttributeError):
                raise NotAReplyError(f"{event.where} does not fit those before it") from None
        elif self._is_of_other_item(data.count("output_index")):
            data.take_all()  # the item itself is reported
        data.skip(_ABOUT_EVENT)

    def _is_of_other_item(self, number: int | None) -> bool:
        """True if an item with this number has begun that a fixture cannot contain."""
        item = None if number is None else self._begun.get(self._by_number.get(number, number))
        return item is not None and item.get("type") not in HELD

    def _add_item(self, items: dict[int, _Item], item: _Item, number: int | None) -> None:
        item_id = string(item.get("id"))
        place = self._place(number, item_id)
        if place is None:
            place = len(items) if number is None else number
        if place in items and (not item_id or items[place].get("id") != item_id):
            place = max((*self._begun, *self._done)) + 1
        items[place] = item
        self._by_id[item_id] = place
        if number is not None:
            self._by_number[number] = place

    def _place(self, number: int | None, item_id: str) -> int | None:
        """The place of the item that an event names; None for none so far."""
        by_id = self._by_id.get(item_id) if item_id else None
        by_number = None if number is None else self._by_number.get(number)
        is_same = by_number is not None and self._begun.get(by_number, {}).get("id") == item_id
        # Some upstreams make up an id for each event, others have one for all items.
        return by_number if is_same or by_id is None else by_id

    def _item(self, number: int | None, item_id: str, kind: str) -> _Item:
        """The item to which an event adds. Raises LookupError if there is none."""
        place = self._place(number, item_id)
        if place is not None:
            return self._begun[place]
        if not kind or self._as_client:
            raise LookupError
        item: _Item = {"type": kind, "id": item_id}  # some upstreams begin no items
        self._add_item(self._begun, item, number)
        return item

    def _add_piece(self, name: str, what: str, event: StreamEvent) -> None:
        data = event.data
        kind = _TEXTS[name].item if name in _TEXTS else ""
        item = self._item(data.count("output_index"), data.text("item_id"), kind)
        if name in _PARTS:
            key, place_key = _PARTS[name]
            part = mapping(data.take("part"))
            if what == "added":
                _list(item, key).append(part)
            elif not self._as_client:
                own = "refusal" if part.get("type") == "refusal" else "text"
                begun = self._part(item, key, data.count(place_key) or 0, part.get("type"))
                begun |= {**part, own: _same(begun.get(own), part.get(own), event.where)}
            return
        text = _TEXTS[name]
        if what == "done" and self._as_client:
            data.take_all()
            return
        grown = item
        if text.parts:
            grown = self._part(item, text.parts, data.count(text.place) or 0, text.type)
        piece = data.take("delta" if what == "delta" else text.key)
        if not isinstance(piece, str):
            raise NotAReplyError(f"{event.where}: {what} is {json_type(piece)}, not a string")
        before = grown.get(text.key) or ""
        grown[text.key] = before + piece if what == "delta" else _same(before, piece, event.where)

    def _part(self, item: _Item, key: str, place: int, kind: Any) -> dict[str, Any]:
        """A part of an item. Raises LookupError if there is none."""
        parts = _list(item, key)
        if place == len(parts) and not self._as_client:  # some upstreams begin no parts
            parts.append({"type": kind})
        return parts[place]  # type: ignore[no-any-return]


def _list(item: _Item, key: str) -> list[Any]:
    """The list of parts of an item, which may begin without one."""
    item[key] = item.get(key) or []
    return item[key]  # type: ignore[no-any-return]


def _same(summed: Any, repeated: Any, where: str) -> Any:
    """A text that was repeated as a whole; some upstreams send no pieces before."""
    if summed and repeated and summed != repeated:
        raise NotAReplyError(f"{where} differs from the pieces before it")
    return repeated or summed
