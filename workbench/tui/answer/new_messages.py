"""The messages since the model's last reply, in a few lines above the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.geometry import Size

from workbench.core.requests.messages import INSTRUCTION_ROLES, Message
from workbench.core.requests.view import RequestView
from workbench.tui.lines.line_layout import row_starts
from workbench.tui.widgets.inert import inert
from workbench.tui.widgets.labels import Buttons
from workbench.tui.widgets.styles import LABEL, LINE, MUTED

# Of the height of the pane, one line in so many, and at most; below the lowest one without a rule.
_SHARE: Final = 6
_LOWEST: Final = 8
_MOST: Final = 6
# A pane with fewer lines has them for the answer alone.
_LEAST: Final = 5
# Cells of the longest role and of the longest name of a tool.
_LONGEST_ROLE, _LONGEST_NAME = 12, 24
_NARROWEST: Final = 12
# A text is cut between words that are no longer.
_WORD: Final = 12
_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_CUT: Final = "…"


class NewMessages(Buttons):
    """Shows the new messages of a request. It takes a share of the height of its container, and no
    more than it needs. Its last line is a rule, if it has more than one line.

    Attributes:
        shown: the request.
    """

    DEFAULT_CSS = """
    NewMessages { display: none; height: auto; width: 1fr; text-wrap: nowrap; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: RequestView | None = None
        self._wait = Content("")

    def show(self, request: RequestView | None) -> None:
        """Show the new messages of a request; nothing for None."""
        before = self._needed(self.size.width)
        self.shown = request
        # The screen is laid out only if the height changes.
        self.refresh(layout=self.display and self._needed(self.size.width) != before)

    def show_wait(self, parts: Sequence[Content]) -> None:
        """Show in the rule how long a client waits: the first part of the text."""
        wait = parts[0] if parts else Content("")
        if not wait.is_same(self._wait):
            self._wait = wait
            self.refresh()

    def _needed(self, width: int) -> int:
        return len(self._rows(width, _MOST))

    def _rows(self, width: int, most: int) -> list[Content]:
        return [] if self.shown is None else new_rows(self.shown, width, most)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        needed = self._needed(width) if container.height >= _LEAST else 0
        if not needed or container.height < _LOWEST:
            return min(needed, 1)
        return min(needed, max(container.height // _SHARE, 1)) + 1

    def render(self) -> Content:
        width, height = self.size
        if height == 1:
            return Content("\n").join(self._rows(width, height))
        rows = self._rows(width, height - 1)
        blank = [Content("")] * (height - 1 - len(rows))
        end = Content(" ") + self._wait + Content.styled(" ──", LINE) if self._wait else Content("")
        rule = Content.styled("─" * max(width - end.cell_length, 0), LINE) + end
        return Content("\n").join([*rows, *blank, rule.truncate(width)])


def new_rows(request: RequestView, width: int, most: int) -> list[Content]:
    """The new messages of a request in at most ``most`` rows, the last ones if there are more: the
    role, then the text, cut in the middle if it is long. Results of tools follow the question. The
    first row ends with the number of messages left out.
    """
    messages = _shown(request, most)
    if not messages or most < 1 or width < _NARROWEST:
        return []
    left_out = len(request.messages) - len(messages)
    more = Content(f"  ↑ {left_out:,} more") if left_out else Content("")
    roles = [inert(m.role, LABEL).truncate(_LONGEST_ROLE, ellipsis=True) for m in messages]
    indent = max(role.cell_length for role in roles) + 2
    rooms = [width - indent - (more.cell_length if m is messages[0] else 0) for m in messages]
    texts = [
        _text(request, message, max(room, 1), most)
        for message, room in zip(messages, rooms, strict=True)
    ]
    rows: list[Content] = []
    spare = most - len(messages)
    # The last one first: it is the newest.
    for text, role, room in reversed([*zip(texts, roles, rooms, strict=True)]):
        lines = _cut_to(text, max(room, 1), 1 + spare)
        spare -= len(lines) - 1
        first = role.pad_right(indent - role.cell_length) + lines[0]
        rows = [first, *(line.pad_left(indent) for line in lines[1:]), *rows]
    if left_out:
        button = more.stylize(f"{MUTED} @click=screen.choose_pane(0)", 2)
        rows[0] = rows[0].pad_right(width - rows[0].cell_length - more.cell_length) + button
    return rows


def _shown(request: RequestView, most: int) -> list[Message]:
    """The last ``most`` new messages, without the instructions that a conversation begins with; if
    there is room, the last question before them.
    """
    messages = request.messages
    new = request.new_messages or messages[-1:]
    if not request.answers:
        new = [m for m in new if m.role not in INSTRUCTION_ROLES] or new
    shown = new[-most:]
    if len(shown) < most and all(message.role != "user" for message in new):
        shown = [*[m for m in messages if m.role == "user"][-1:], *shown]
    return shown


def _text(request: RequestView, message: Message, room: int, most: int) -> Content:
    """The text of a message on one line, long ones cut already: ``get_weather → 21 degrees``."""
    text = message.brief or ", ".join(call.brief for call in message.tool_calls)
    enough = room * most  # at both ends: what is between is cut in any case
    if len(text) > 2 * enough:
        line = _one_line(text[:enough]) + Content(_CUT) + _one_line(text[-enough:])
    else:
        line = _one_line(text)
    call = request.answered_call(message)
    name = call.name if call is not None else message.name
    if not name or message.role == "user":
        return line
    named = inert(name, LABEL).truncate(_LONGEST_NAME, ellipsis=True)
    return named + Content.styled(" → ", MUTED) + line


def _one_line(text: str) -> Content:
    return inert(_BLANKS.sub(" ", text.strip(" \t\r\n"))) or Content.styled("(empty)", MUTED)


def _cut_to(text: Content, width: int, most: int) -> list[Content]:
    """A text in at most ``most`` rows; a longer one without its middle."""
    cells = most * width
    lines = _wrapped(text, width)
    while len(lines) > most:
        head, tail = _beginning(text, cells * 2 // 3 - 2), _end(text, cells // 3 - 1)
        lines = _wrapped(head + Content.styled(f" {_CUT} ", MUTED) + tail, width)
        # Rows are broken at blanks, so that less than all cells may fit.
        cells -= max(width // 8, 1)
    return lines


def _wrapped(text: Content, width: int) -> list[Content]:
    starts = [*row_starts(text.plain, width)]
    ends = [*starts[1:], len(text)]
    return [text[start:end].rstrip() for start, end in zip(starts, ends, strict=True)]


def _beginning(text: Content, cells: int) -> Content:
    """The first ``cells`` of text, to the end of a word if one ends near."""
    end = len(text.truncate(max(cells, 1)))
    blank = text.plain.rfind(" ", end - _WORD, end + 1)
    return text[: blank if blank > 0 else end]


def _end(text: Content, cells: int) -> Content:
    """The last ``cells`` of text, from the beginning of a word if one begins near."""
    start = max(len(text) - max(cells, 1), 0)
    while text[start:].cell_length > cells and start < len(text):
        start += 1
    blank = text.plain.find(" ", start - 1, start + _WORD)
    return text[blank + 1 if blank > 0 else start :]
