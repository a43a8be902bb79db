"""Texts about a miss or a fixture: above its request, and before and after a save."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from textual.content import Content

from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.fixture.findings import Finding
from workbench.core.fixture.names import digest_of, short_name
from workbench.core.replies.response import FixtureError
from workbench.core.request_body import RequestError
from workbench.core.requests.nearest import describe
from workbench.core.text.digests import short
from workbench.core.text.wording import brief_time, countdown, sentence
from workbench.session.misses.other_server import other_digest, other_folder
from workbench.session.misses.states import is_answered, turn_to_answer
from workbench.session.session import Session
from workbench.tui.widgets.glyphs import SEVERITIES
from workbench.tui.widgets.inert import inert
from workbench.tui.widgets.styles import ACCENT, ERROR, HELD, MUTED, SUCCESS, WARNING

# More findings are only counted.
MOST_FINDINGS = 5
# More differences of an equivalent request are only counted.
MOST_DIFFERENCES = 3
# The width of the progress bar of a wait.
WAIT_WIDTH = 10


OUTDATED = (
    "↳ It quotes an answer that was changed or undone since: the next run of the suite will "
    "not send it."
)
OPEN = "! Its fixture calls a tool that request {} does not offer: that one needs an answer, too."


def miss_notice(session: Session, digest: str) -> list[Content]:
    """Lines above the request of a miss: clients that wait for it, why its file cannot be used,
    what is not known.
    """
    lines = [*_held_notice(session, digest), *_ended_notice(session, digest)]
    fixtures = session.miss_fixtures
    broken = fixtures.broken(digest)
    if broken is not None:
        lines += broken_notice(session, digest, broken)
    elif digest not in fixtures and (other := session.stale.equivalent(digest)) is not None:
        lines += _equivalent_notice(session, digest, other)
    if (number := fixtures.first_open(digest)) is not None:
        lines.append(Content.styled(OPEN.format(number + 1), WARNING))
    miss = session.miss_index.misses.get(digest)
    if miss is not None and miss.texts is None:
        lines.append(
            Content(
                "The log has the hash but not the request. An answer can be written; "
                "its tools and schema are not known."
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
    described = [describe(difference) for difference in differing[:MOST_DIFFERENCES]]
    more = len(differing) - len(described)
    described += [f"{more} more"] if more else []
    written = f"; written differently: {', '.join(described)}" if described else ""
    return [Content.styled(head, SUCCESS) + inert(f"{written}.")]


def unsupported_notice(request: UnsupportedRequest) -> list[Content]:
    """What an unsupported request needs, and what to switch to."""
    switches = [Content.styled("  ", MUTED) + inert(line) for line in request.advice]
    return [
        inert(f"⊘ {request.line}", ERROR),
        inert(f"{request.reason[:1].upper()}{request.reason[1:]}."),
        Content(""),
        Content.styled("No fixture answers it. Instead:", MUTED),
        *switches,
        Content(""),
        Content.styled("s skips the row", MUTED),
    ]


def _blocked(session: Session, digest: str) -> str:
    """What to do about a request that quotes the fallback."""
    earlier = turn_to_answer(session, digest)
    if earlier is None:
        return "It quotes the fallback: it goes away when an earlier turn is answered."
    if is_answered(session, earlier):
        return (
            f"It quotes the fallback, but its earlier turn {short(earlier)} is answered now: run "
            "the suite again, and it does not come."
        )
    if earlier in session.ignore.reasons:
        return f"It quotes the fallback, which is wanted: {short(earlier)} is ignored."
    return (
        "It quotes the fallback: it goes away when an earlier turn is answered. "
        f"Answer {short(earlier)} first."
    )


def broken_notice(session: Session, digest: str, broken: FixtureError) -> list[Content]:
    """Why a file cannot be used, with the place of the error."""
    lines = [
        Content.styled(
            "The fixture exists but cannot be used: for the server its request is a miss.", ERROR
        ),
        inert(f"{session.store.path(digest)}  {broken.place}", MUTED),
        *_around(broken.text, broken.line, broken.column, str(broken)),
    ]
    if broken.rule == "not-utf8" and "\ufffd" in broken.text:
        lines.append(Content.styled("What is not UTF-8 is shown, and saved, as \ufffd.", WARNING))
    return [*lines, Content.styled("Enter edits the file as text", MUTED)]


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


def _held_notice(session: Session, digest: str) -> list[Content]:
    held = session.held.get(digest)
    if held is None:
        return []
    clients = held.clients
    who = "Its client waits" if clients == 1 else f"{clients} clients wait"
    gone = round(WAIT_WIDTH * held.waited / max(held.waited + held.left, 1))
    bar = Content.styled("━" * gone, HELD) + Content.styled("─" * (WAIT_WIDTH - gone), MUTED)
    reply = session.server.miss_reply
    text = f"‖ {who} {brief_time(held.waited)}; {reply} in {countdown(held.left)}  "
    return [Content.styled(text, HELD) + bar]


def status_sent(session: Session, digest: str | None) -> str:
    """How the client of a held request gets an error after status 200, which keeps it waiting; ""
    where no status was sent.
    """
    held = session.held.get(digest) if digest is not None else None
    if held is None or not held.begun:
        return ""
    if held.stream:
        return "Status 200 was sent to keep it waiting: the error is an event of its stream."
    return "Status 200 was sent to keep it waiting: it gets the error when it asks again."


def _ended_notice(session: Session, digest: str) -> list[Content]:
    """How its client's wait ended, as long as no fixture answers it."""
    ended = session.held.ended.get(digest)
    if ended is None or is_answered(session, digest):
        return []
    text = f"‖ {sentence(ended.words)}"
    advice = "You can still save an answer: the next run of the suite gets it."
    return [Content.styled(text, WARNING), Content.styled(advice, MUTED)]


def _around(text: str, line: int, column: int, message: str) -> list[Content]:
    """The line of an error and the one before, with the column marked below."""
    lines = text.split("\n")
    first = max(line - 1, 1)
    around = [
        Content.styled(f"{number:>5} ", MUTED) + inert(text[:500])
        for number, text in enumerate(lines[first - 1 : line], start=first)
    ]
    mark = Content.styled(f"{' ' * (5 + min(column, 500))}▔ {message}", ERROR)
    return [*around, mark]


def saved_sentence(session: Session, name: str) -> str:
    """What the save of a fixture did, and whether the server answers with it."""
    digest, sentence = digest_of(name), f"Saved {short_name(name)}. u undoes."
    if session.miss_fixtures.first_open(digest) is not None:
        return f"{sentence} Another of its requests has no answer yet."
    if remark := session.drafting.not_stored(digest):
        sentence += f" {remark}"
    if session.server.url is None:
        return sentence
    if session.server.is_up is False:
        return f"{sentence} No server runs at {session.server.host} now."
    if folder := other_folder(session):
        return f"{sentence} The server reads {folder}: it will not see it."
    listening = session.miss_index.listening
    if listening is None or not listening.fixtures:
        return sentence  # which folder it reads is not known
    return f"{sentence} The server answers with it from now on."


def difference_lines(before: str, after: str) -> list[Content]:
    """The lines in which two texts differ, with their signs and the lines around them."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2)
    styles = {"-": ERROR, "+": SUCCESS, "@": MUTED}
    return [inert(line, styles.get(line[:1], "")) for line in list(lines)[2:]]
