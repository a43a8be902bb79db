"""The fixture nearest to a miss as sections: what differs, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from textual.content import Content

from workbench.core.fixture.names import is_variant, short_name
from workbench.core.replies.response import calls
from workbench.core.requests.differences import Difference
from workbench.core.requests.nearest import Nearest, describe
from workbench.core.requests.request_change import is_volatile
from workbench.core.requests.volatile import KIND_NAMES, cure, setting
from workbench.core.text.digests import short
from workbench.core.text.inert import visible_blanks
from workbench.core.text.wording import counted, sentence
from workbench.session.misses.nearest_result import NearestResult
from workbench.session.rekey.plan import Rekey, RekeyPlan
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.lines.sections import Section
from workbench.tui.lines.text_lines import capped, safe
from workbench.tui.widgets.glyphs import ARROW
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING

# Characters shown before a change in its line, and of each side of it.
_BEFORE = 32
_SHOWN = 400
# Lines shown of one change.
_MOST_LINES = 40


def nearest_name(result: NearestResult | None) -> str:
    """The name of the view: ``Nearest 0.71``, ``Nearest ≈``, ``Nearest …`` while searching."""
    if result is None:
        return "Nearest …"
    if result.nearest is None:
        return "Nearest none"
    if result.nearest.is_guess:
        return "Nearest ?"
    if result.nearest.is_equivalent:
        return "Nearest ≡"
    return (
        "Nearest ≈" if result.nearest.same_but_volatile else f"Nearest {result.nearest.score:.2f}"
    )


def nearest_sections(result: NearestResult | None) -> Iterator[Section]:
    """The nearest fixture.

    Args:
        result: the result of the search; None while it runs.
    """
    if result is None:
        yield _plain("Looking for the nearest fixture …")
    elif result.nearest is None:
        yield from map(_plain, _nothing(result))
    else:
        head = _head(result.nearest) + _saved(result)
        yield Section("", head, body=partial(_below_head, result))
        for number, difference in enumerate(result.nearest.differences):
            yield _difference(number, difference)
        cures = partial(_cures, result.nearest)
        copied = partial(_answer_text, result.response)
        yield Section("answer", _answer(result.response), body=cures, copied=copied)


def _plain(text: str) -> Section:
    return Section("", Content.styled(text, MUTED))


def _nothing(result: NearestResult) -> Iterator[str]:
    if result.fixtures == 0:
        yield "No fixture to compare with."
        return
    if result.without_request < result.fixtures:
        yield "No similar fixture."
    if result.without_request:
        have = "fixture has" if result.without_request == 1 else "fixtures have"
        yield f"{result.without_request} {have} no request to compare with."
        yield "workbench adopt adds them from a log."


def _head(nearest: Nearest) -> Content:
    if nearest.is_guess:
        return Content.styled("? Perhaps this one, going by its description.", WARNING)
    if nearest.is_equivalent:
        same = "≡ The same request, written differently. This fixture answers it."
        return Content.styled(same, SUCCESS)
    if nearest.same_but_volatile:
        return Content.styled(f"≈ {sentence(nearest.same_but_for)}", WARNING)
    shared = f"{nearest.shared} of {counted(nearest.messages, 'message')}"
    head = Content.styled(f"Nearest {nearest.score:.2f}", ACCENT)
    return head + Content(f"  {short_name(nearest.name)} · {shared} shared")


def _saved(result: NearestResult) -> Content:
    if result.modified is None:
        return Content("")
    try:
        saved = datetime.fromtimestamp(result.modified)
    except (ValueError, OverflowError):  # file systems have years beyond 9999
        return Content("")
    return Content.styled(f"   fixture saved {saved.day} {saved:%b %Y, %H:%M}", MUTED)


def _below_head(result: NearestResult) -> Iterator[Line]:
    nearest = result.nearest
    if nearest is None:
        return
    if nearest.is_guess:
        yield Content.styled(
            f"  {short_name(nearest.name)} contains no request to compare with.", MUTED
        )
    elif nearest.same_but_volatile:
        count = len(nearest.differences)
        spans = f"{counted(count, 'span')} differ{'s' * (count == 1)}, nothing else"
        line = f"  {short_name(nearest.name)} → {short(result.digest)}  {spans}"
        yield Content.styled(line, MUTED)
    for other in nearest.others:
        yield Content.styled(f"  {short(other)} differs only in such text as well.", MUTED)
    yield TextLine()


# Differences


def _difference(number: int, difference: Difference) -> Section:
    head = one_line(difference.where.removesuffix(".content"), "bold")
    if difference.role:
        head += one_line(f" {difference.role}", MUTED)
    if difference.after_text and difference.after is not None:
        start = difference.after_start
        end = start + len(difference.after)
        if (start, end) != (0, len(difference.after_text)):
            head += Content.styled(f", characters {start}-{end}", MUTED)
    if difference.kind is not None:
        head += Content.styled(f", {KIND_NAMES[difference.kind]}", MUTED)
    return Section(
        f"difference {number}",
        head,
        folded=lambda: OneRow(head + Content.styled("  ▸ ", MUTED) + _brief(difference)),
        body=partial(_difference_lines, difference),
        copied=lambda: f"- {difference.before or ''}\n+ {difference.after or ''}",
    )


def _brief(difference: Difference) -> Content:
    return one_line(" → ".join(_sides(difference, _SHOWN)))


def _sides(difference: Difference, limit: int) -> tuple[str, str]:
    """The two sides of a difference, each cut to ``limit`` characters."""
    if difference.is_blank:
        return difference.sides(limit)
    return (difference.before or "nothing")[:limit], (difference.after or "nothing")[:limit]


def _difference_lines(difference: Difference) -> Iterator[Line]:
    before, after, is_blank = difference.before, difference.after, difference.is_blank
    if before is not None:
        text, start = difference.before_text or before, difference.before_start
        yield from _side("- ", ERROR, text, start, len(before), is_blank=is_blank)
    if after is not None:
        text, start = difference.after_text or after, difference.after_start
        yield from _side("+ ", SUCCESS, text, start, len(after), is_blank=is_blank)
        if before is not None and not is_blank and "\n" not in before + after:
            yield from _mark(text, start, len(after))
    yield TextLine()


def _side(
    sign: str, style: str, text: str, start: int, length: int, *, is_blank: bool
) -> Iterator[Line]:
    """The lines of ``text`` that contain a part; the part is marked if it is on one line. A
    difference in white space is on one line, with visible white space.
    """
    end = start + length
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if "\n" in text[start:end] and not is_blank:
        lines = text[text.rfind("\n", 0, start) + 1 : line_end].split("\n")
        yield from capped(
            (safe(f"  {sign}{line}") for line in lines[:_MOST_LINES]), "    ", advice=""
        )
        if len(lines) > _MOST_LINES:
            more = counted(len(lines) - _MOST_LINES, "more line")
            yield Content.styled(f"    {more}", MUTED)
        return
    part = visible_blanks(text[start:end], _SHOWN) if is_blank else text[start:end][:_SHOWN]
    shown = inert(part, f"{style} underline")
    after = inert(text[end : min(line_end, end + _SHOWN)])
    yield OneRow(Content.styled(f"  {sign}", style) + _lead(text, start) + shown + after)


def _lead(text: str, start: int) -> Content:
    """The text before a part in its line, cut from the left."""
    line = text.rfind("\n", 0, start) + 1
    begin = max(line, start - _BEFORE)
    return inert(("…" if begin > line else "") + text[begin:start])


def _mark(text: str, start: int, length: int) -> Iterator[Line]:
    """A line that marks the part above it, for terminals without colours."""
    width = inert(text[start : start + min(length, _SHOWN)]).cell_length
    if 0 < length < len(text):
        pad = " " * (4 + _lead(text, start).cell_length)
        yield OneRow(Content(pad) + Content.styled("▔" * width, SUCCESS))


# Its answer, and how to keep it


def _answer(response: dict[str, Any]) -> Content:
    finish = response.get("finish_reason")
    text = one_line(_answer_text(response)[:_SHOWN])
    head = Content.styled("its answer  ", LABEL) + text
    if isinstance(finish, str):
        head += one_line(f"   finish {finish[:_SHOWN]}", MUTED)
    return head


def _answer_text(response: dict[str, Any]) -> str:
    called = [f"{call.name}({call.arguments})" for call in calls(response)]
    content = response.get("content")
    return ", ".join(called) or (content if isinstance(content, str) else "") or "(empty)"


def _cures(nearest: Nearest) -> Iterator[Line]:
    if nearest.same_but_volatile and nearest.kinds:
        cures = f"{cure(nearest.kinds)}, or set {setting(nearest.kinds)}"
        yield Content.styled(f"To keep it from changing again, {cures}.", MUTED)


# Re-keying many


def plan_lines(plan: RekeyPlan, *, is_same: bool) -> list[Content]:
    """The files that re-keying many would change, the differences of each, and the files left out.

    Args:
        is_same: the requests of all were changed by the same words, which are shown first.
    """
    lines = []
    if is_same:
        lines.append(Content("The same change in all:"))
        lines += [one_line(f"  {describe(difference, ARROW)}") for difference in plan.changes]
        lines.append(Content(""))
    for rekey in plan.rekeys:
        stays = "   (a copy; the old file stays)" if rekey.is_copy else ""
        line = Content(f"{short(rekey.old)} → {short(rekey.new)}{_variants(rekey)}{stays}  ")
        shown = [d for d in rekey.differences if not is_same or is_volatile(d)]
        lines.append(line + Content(", ").join(map(_spans, shown[:3])))
    if plan.left_out:
        lines.append(Content(""))
        lines.append(Content.styled("Left out (press r on one to decide):", WARNING))
    lines += [
        Content(f"{short(left_out.new)}   ") + Content.styled(left_out.reason, MUTED)
        for left_out in plan.left_out
    ]
    return lines


def _variants(rekey: Rekey) -> str:
    """How many variants go along."""
    count = sum(is_variant(new) for _, new in rekey.files)
    return f" with {counted(count, 'variant')}" if count else ""


def _spans(difference: Difference) -> Content:
    # Not broken at the arrow: without room for it, it is on the next line as a whole.
    return one_line("\u00a0→\u00a0".join(_sides(difference, 40)), MUTED)
