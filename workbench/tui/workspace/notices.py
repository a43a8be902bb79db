"""Texts about a miss or a fixture: below its request, and before and after a save."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content

from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.fixture.findings import Finding
from workbench.core.fixture.names import digest_of, short_name
from workbench.core.replies.response import FixtureError
from workbench.core.request_body import RequestError
from workbench.core.requests.nearest import describe
from workbench.core.text.digests import short
from workbench.core.text.wording import brief_time, countdown
from workbench.session.misses.other_server import other_digest, other_folder
from workbench.session.misses.states import is_answered, state_of, turn_to_answer
from workbench.session.session import Session
from workbench.tui.widgets.glyphs import ARROW, SEVERITIES
from workbench.tui.widgets.inert import inert
from workbench.tui.widgets.styles import ACCENT, ERROR, HELD, MUTED, SUCCESS, WARNING

# More findings are only counted.
MOST_FINDINGS = 5
# More differences of an equivalent request are only counted.
MOST_DIFFERENCES = 3
# How many characters of a broken line are shown before and after the error. A narrow pane needs
# two lines for them.
BEFORE_ERROR, AFTER_ERROR = 30, 60

OUTDATED = (
    "↳ This turn contains an answer that has since been changed or undone. The next run of the "
    "suite will not send it."
)
OPEN = (
    "! The fixture calls a tool that request {} does not offer. That request needs an answer of "
    "its own."
)


STALE = "≈ A fixture answers the same request, apart from a date, an ID or the like."


class Notice(NamedTuple):
    """Messages about a row.

    Attributes:
        lines: about its request, shown below it; or instead of an unknown request.
        nearest: about the nearest fixture, shown before the lines; not needed in the view of that
            fixture.
        wait: the wait of its client, or the end of the wait: text in parts, of which the first is
            sufficient.
    """

    lines: Sequence[Content] = ()
    wait: Sequence[Content] = ()
    nearest: Sequence[Content] = ()


def miss_notice(session: Session, digest: str) -> Notice:
    """The messages about a miss: waiting clients, a fault in its file, missing data."""
    lines, nearest = _miss_lines(session, digest), _nearest_lines(session, digest)
    return Notice(lines, _wait(session, digest), nearest)


def _nearest_lines(session: Session, digest: str) -> list[Content]:
    """That a fixture answers a miss which is written differently, or is for it but for a date."""
    fixtures = session.miss_fixtures
    if fixtures.broken(digest) is not None:
        return []
    if digest not in fixtures and (other := session.stale.equivalent(digest)) is not None:
        return _equivalent_notice(session, digest, other)
    is_stale = state_of(session, digest).kind == "stale"
    return [Content.styled(STALE, WARNING)] if is_stale else []


def _miss_lines(session: Session, digest: str) -> list[Content]:
    lines: list[Content] = []
    fixtures = session.miss_fixtures
    broken = fixtures.broken(digest)
    if broken is not None:
        lines += broken_notice(session, digest, broken)
    if (number := fixtures.first_open(digest)) is not None:
        lines.append(Content.styled(OPEN.format(number + 1), WARNING))
    miss = session.miss_index.misses.get(digest)
    if miss is not None and miss.texts is None:
        lines.append(
            Content(
                "The log contains the digest of this request, but not the request. You can write "
                "an answer, but its tools and format are unknown."
            )
        )
    if warning := other_digest(session.miss_index, digest):
        lines.append(Content.styled(f"! {warning}", WARNING))
    if miss is not None and miss.texts is not None and miss.texts.quotes_fallback:
        lines.append(Content.styled(f"↳ {_blocked(session, digest)}", WARNING))
    elif digest in session.outdated:
        lines.append(Content.styled(OUTDATED, WARNING))
    return lines


def _equivalent_notice(session: Session, digest: str, fixture: str) -> list[Content]:
    """Which fixture answers a miss, and how its request is written."""
    head = f"≡ Equivalent to {short_name(fixture)}, which answers it"
    try:
        payload = session.miss_index.payload(digest) or {}
        differing = session.nearest.differences(fixture, view(payload))
    except RequestError:
        differing = ()
    described = [describe(difference, ARROW) for difference in differing[:MOST_DIFFERENCES]]
    more = len(differing) - len(described)
    described += [f"{more} more"] if more else []
    written = f"; written differently: {', '.join(described)}" if described else ""
    return [Content.styled(head, SUCCESS) + inert(f"{written}.")]


def unsupported_notice(request: UnsupportedRequest) -> list[Content]:
    """The requirement of an unsupported request, and the alternative."""
    switches = [Content.styled("  ", MUTED) + inert(line) for line in request.advice]
    return [
        inert(f"⊘ {request.line}", ERROR),
        inert(f"{request.reason[:1].upper()}{request.reason[1:]}."),
        Content(""),
        Content.styled("A fixture cannot answer it. Instead:", MUTED),
        *switches,
    ]


def _blocked(session: Session, digest: str) -> str:
    """Advice for a request that quotes the fallback."""
    earlier = turn_to_answer(session, digest)
    if earlier is None:
        return (
            "This turn contains the fallback (the placeholder reply). Answer the earlier turn "
            "first; then this request disappears."
        )
    miss = session.miss_index.misses.get(earlier)
    name = short(earlier) if miss is None else f"turn {miss.turn} ({short(earlier)})"
    if is_answered(session, earlier):
        return (
            f"This turn contains the fallback, but {name} before it is answered now. Run the suite "
            "again; then this request disappears."
        )
    if earlier in session.ignore.reasons:
        return f"This turn contains the fallback, because you ignore {name} before it."
    return (
        "This turn contains the fallback (the placeholder reply). "
        f"Answer {name} first; then this request disappears."
    )


def broken_notice(session: Session, digest: str, broken: FixtureError) -> list[Content]:
    """Why a file cannot be used, with the place of the error, and what to do."""
    lines = [
        Content.styled("╳ Its fixture is broken: ", ERROR)
        + inert(f"{broken} ({broken.place}).", ERROR),
        # Precedes the lines that the key bar also shows, because a low pane has no room for all.
        _around(broken.text, broken.line, broken.column),
        Content("Enter opens its text there. The server cannot use it until you mend it."),
    ]
    if broken.rule == "not-utf8" and "\ufffd" in broken.text:
        line = "Bytes that are not UTF-8 are shown and saved as \ufffd."
        lines.append(Content.styled(line, WARNING))
    return [*lines, inert(str(session.store.path(digest)), MUTED)]


def findings_notice(findings: Sequence[Finding]) -> list[Content]:
    """The first findings of a fixture, each with its place and fix."""
    worse = [finding for finding in findings if finding.severity != "info"]
    lines = []
    for finding in worse[:MOST_FINDINGS]:
        glyph, style = SEVERITIES[finding.severity]
        line = Content.styled(f"{glyph} {finding.rule}  ", style)
        line += Content.styled(f"line {finding.line}, column {finding.column}  ", MUTED)
        line += inert(finding.message)
        if finding.fix is not None:
            line += inert(f"  fix: {finding.fix.title}", ACCENT)
        lines.append(line)
    if len(worse) > MOST_FINDINGS:
        lines.append(Content.styled(f"… and {len(worse) - MOST_FINDINGS} more", MUTED))
    return lines


def status_sent(session: Session, digest: str | None) -> str:
    """How the client of a held request gets an error after status 200, which keeps it waiting; ""
    where no status was sent.
    """
    held = session.held.get(digest) if digest is not None else None
    if held is None or not held.begun:
        return ""
    if held.stream:
        return "HTTP 200 is already out, so the client gets the error as an event of the stream."
    return "HTTP 200 is already out, so the client gets the error when it asks again."


def _wait(session: Session, digest: str) -> Sequence[Content]:
    """How long the client of a miss waits; or how that ended, as long as no fixture answers it."""
    held, ended = session.held.get(digest), session.held.ended.get(digest)
    if held is not None:
        clients = held.clients
        who = "Client waiting" if clients == 1 else f"{clients} clients waiting"
        reply = session.server.miss_reply.removeprefix("the ")  # the line has little room
        text = f"‖ {who} {brief_time(held.waited)}, {reply} in {countdown(held.left)}"
        return [Content.styled(text, HELD)]
    if ended is None or is_answered(session, digest):
        return []
    return [
        Content.styled(f"‖ {ended.words}", WARNING),
        Content.styled(", the next run gets your answer", MUTED),
    ]


def _around(text: str, line: int, column: int) -> Content:
    """The line of an error around its column, which is marked."""
    whole = "".join(text.split("\n")[line - 1 : line])
    begin, place, end = max(column - 1 - BEFORE_ERROR, 0), column - 1, column + AFTER_ERROR
    return Content.assemble(
        (f"{line:>5} {'…' * (begin > 0)}", MUTED),
        inert(whole[begin:place]),
        inert(whole[place:column] or " ", f"{ERROR} reverse"),
        inert(whole[column:end]),
        ("…" * (end < len(whole)), MUTED),
    )


def saved_sentence(session: Session, name: str) -> str:
    """The effect of saving a fixture, and whether the server answers with it."""
    digest, sentence = digest_of(name), f"Saved {short_name(name)}. u undoes."
    if session.miss_fixtures.first_open(digest) is not None:
        return f"{sentence} Another request with this digest still needs an answer."
    if remark := session.drafting.not_stored(digest):
        sentence += f" {remark}"
    if session.server.url is None:
        return sentence
    if session.server.is_up is False:
        return f"{sentence} No server runs at {session.server.host} now."
    if folder := other_folder(session):
        return f"{sentence} The server reads {folder} and will not see it."
    listening = session.miss_index.listening
    if listening is None or not listening.fixtures:
        return sentence  # which folder it reads is not known
    return f"{sentence} The server answers with it from now on."


def difference_lines(before: str, after: str) -> list[Content]:
    """The lines in which two texts differ, with their signs and the lines around them."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2)
    styles = {"-": ERROR, "+": SUCCESS, "@": MUTED}
    return [inert(line, styles.get(line[:1], "")) for line in list(lines)[2:]]
