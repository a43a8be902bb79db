"""A line of a command's output, with the colours it was written in."""

from __future__ import annotations

from typing import Self

from rich.text import Text
from textual.content import Content

from workbench.session.suite_output import STYLE
from workbench.tui.lines.line_layout import TextLine
from workbench.tui.widgets.inert import picture


class OutputLine(TextLine):
    """The text of a line, ``written`` with the escape sequences of its styles. Its colours are read
    only when a part of it is drawn.
    """

    __slots__ = ("written",)

    written: str

    @classmethod
    def of(cls, line: str) -> Self:
        """A line of ``SuiteOutput``. An escape character that begins no style becomes visible."""
        line = line.expandtabs(8)
        parts = STYLE.split(line)
        if len(parts) == 1:
            made = cls(_visible(line))
            made.written = str(made)
            return made
        texts = list(map(_visible, parts))
        made = cls("".join(texts))
        styles = [*STYLE.findall(line), ""]
        made.written = "".join(text + style for text, style in zip(texts, styles, strict=True))
        return made

    def cut(self, start: int, end: int) -> Content:
        return Content.from_rich_text(Text.from_ansi(self.written))[start:end]


def _visible(text: str) -> str:
    return text if text.isprintable() else text.translate(_PICTURES)


_PICTURES = {code: picture(chr(code)) for code in (*range(0x20), *range(0x7F, 0xA0))}
