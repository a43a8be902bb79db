"""The list of fixtures: file, findings, what it answers, description."""

from __future__ import annotations

from textual.content import Content

from workbench.core.digest import short
from workbench.session.fixture_book import FixtureBook, FixtureEntry
from workbench.tui.inert import one_line
from workbench.tui.row_list import RowList
from workbench.tui.styles import ERROR, MUTED, SUCCESS, WARNING

NAME_WIDTH = 14
FINDINGS_WIDTH = 14


class FixtureList(RowList):
    """Every ``*.json`` file of the fixtures folder; the keys are their names."""

    BINDING_GROUP_TITLE = "List of fixtures"

    def __init__(self, book: FixtureBook, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._book = book
        self.waiting_text: list[Content] = []

    def update_rows(self) -> None:
        self.set_keys(self._book.names())
        self.update_title()
        self.refresh()

    def update_title(self) -> None:
        entries = list(self._book.entries.values())
        bad_names = sum(e.digest is None for e in entries)
        broken = sum(e.is_broken for e in entries)
        errors = sum(e.count("error") > 0 and not e.is_broken for e in entries)
        warnings = sum(
            e.count("warning") > 0 and e.digest is not None and not e.count("error")
            for e in entries
        )
        fine = len(entries) - bad_names - broken - errors - warnings
        facts = [f"{fine:,} fine"]
        counted = (
            (warnings, "with warnings"),
            (errors, "with errors"),
            (broken, "broken"),
            (bad_names, "bad name"),
        )
        facts += [f"{count:,} {what}" for count, what in counted if count]
        self.set_frame(
            Content.styled(f"Fixtures [{self.cursor_place + 1}/{len(entries):,}]", "bold"),
            Content.styled(" · ".join(facts), MUTED),
        )

    def empty_lines(self) -> list[Content]:
        return self.waiting_text

    def row(self, key: str, *, selected: bool) -> Content:
        entry = self._book.entries[key]
        width = self.scrollable_content_region.width
        text, style = _verdict(entry)
        name = short(entry.digest) if entry.digest else entry.name
        line = Content("> " if selected else "  ")
        line += _column(one_line(name), NAME_WIDTH)
        line += _column(Content(text).stylize("" if selected else style), FINDINGS_WIDTH)
        room = max(width - line.cell_length - 1, 0)
        answers = entry.answers or (
            "(request not stored)" if entry.digest else "not a fixture: the name is no digest"
        )
        share = room * 3 // 5
        line += _column(one_line(answers, "" if entry.answers else MUTED), share)
        return line + _column(one_line(entry.description, MUTED), room - share)


def _verdict(entry: FixtureEntry) -> tuple[str, str]:
    if entry.digest is None:
        return "! bad name", WARNING
    if entry.is_broken:
        return "╳ broken", ERROR
    for severity, glyph in (("error", "×"), ("warning", "!")):
        count = entry.count(severity)
        if count:
            return f"{glyph} {count} {severity}{'s' * (count != 1)}", f"$text-{severity}"
    return "✓", SUCCESS


def _column(content: Content, width: int) -> Content:
    cut = content.truncate(max(width - 1, 0), ellipsis=True)
    return cut.pad_right(max(width - cut.cell_length, 0))
