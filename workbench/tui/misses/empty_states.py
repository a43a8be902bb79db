"""What the list of misses shows without rows: what it waits for, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Final, Literal

from textual.content import Content

from workbench.core.apis.table import APIS
from workbench.core.text import shell
from workbench.core.text.wording import counted
from workbench.session.misses.states import outdated_count
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ACCENT, KEY

if TYPE_CHECKING:
    from workbench.session.session import Session
    from workbench.session.suite.suite import Suite
    from workbench.tui.services.log_feed import LogStatus

Offer = Literal["open", "server", "sample", "copy"]

INDENT = "  "
# The APIs whose clients are named: most suites use these, and there is no room for all.
_NAMED: Final = APIS[:4]
# Columns of a sentence that is longer than a row, in a terminal of 80.
WIDTH = 74


def suite_command(server_url: str) -> str:
    """The line that runs a suite with official clients against a server."""
    keys = {api.client.key_variable: "x" for api in _NAMED}
    variables = {**_official_base_urls(server_url), **keys}.items()
    return " ".join([*(f"{name}={shell.quoted(value)}" for name, value in variables), "pytest"])


def _official_base_urls(server_url: str) -> dict[str, str]:
    """The variables of the official clients, with the base URL of each."""
    url = server_url.rstrip("/")
    return {api.client.base_variable: url + api.client.base_path for api in _NAMED}


def _where_clients_find(server_url: str) -> Iterator[Content]:
    """What the clients need to be told, and how."""
    yield Content(
        f'{INDENT}Point your clients at the server; "workbench manual clients" has others:'
    )
    for name, url in _official_base_urls(server_url).items():
        yield inert(f"{INDENT}{INDENT}{name}={shell.quoted(url)}", ACCENT)


def no_misses(session: Session, logs: Sequence[LogStatus]) -> list[Content]:
    """The lines, for the logs, the server and the suite as they are now."""
    return [Content(""), *_no_misses(session, logs)]


def _no_misses(session: Session, logs: Sequence[LogStatus]) -> Iterator[Content]:
    outdated = outdated_count(session)
    total = len(session.miss_index.misses) - outdated
    if total:
        aside = session.decisions.skipped | session.ignore.reasons.keys()
        answered = "The only miss has" if total == 1 else f"All {total:,} misses have"
        if aside.isdisjoint(session.miss_index.misses):
            yield Content(f"{INDENT}{answered} an answer.")
        else:
            yield Content(f"{INDENT}No miss is open: each is answered, skipped or ignored.")
        if outdated:
            turns = counted(outdated, "later turn")
            yield Content(f"{INDENT}{turns} will not be asked again: the answer before changed.")
        has_ended = session.suite is not None and not session.suite.is_running
        if session.server.hold is not None and session.server.hold.enabled and not has_ended:
            yield Content(f"{INDENT}Waiting for the next request…")
        else:
            yield Content(f"{INDENT}Run the suite again; new ones appear here.")
        yield _keys((".", "shows the answered ones"), ("2", "goes to the fixtures"))
        return
    if session.suite is not None:
        yield from _no_misses_of_suite(session, session.suite)
        return
    if not logs and session.server.hold is not None:
        yield Content(f"{INDENT}No misses yet. The server reports them; no log is being read.")
    elif not logs:
        yield Content(f"{INDENT}No log is being read.")
    yield from _of_logs(logs)
    where = session.server.host
    if session.server.is_up is False:
        yield one_line(f"{INDENT}No server at {where}; waiting for it.")
    if session.server.url and session.server.is_up is not False:
        files = counted(len(session.fixtures.entries), "fixture")
        yield one_line(f"{INDENT}Server {where} answers from {session.store.folder} ({files}).")
        hold, keys = session.server.hold, [("y", "copies a command"), ("T", "shows sample traffic")]
        if hold is not None and hold.possible:
            keys.append(("h", "turns hold off" if hold.enabled else "holds the first miss"))
        yield _keys(*keys)
        # Last: there may not be room for all of them.
        yield from _where_clients_find(session.server.url)
    else:
        yield Content("")
        yield _keys(("O", "opens another log"), ("S", "starts a server here"))


def _no_misses_of_suite(session: Session, suite: Suite) -> Iterator[Content]:
    if suite.is_running:
        yield Content(f"{INDENT}The suite is running. A request without a fixture waits here.")
        yield _keys(("5", "shows its output"))
    elif suite.failed_to_start:
        yield Content(f"{INDENT}The suite could not be started.")
        yield _keys(("5", "shows why"), ("r", "there tries again"))
    elif not suite.state:
        yield Content(f"{INDENT}The suite has not started yet.")
    else:
        if suite.sent_nothing:
            from workbench.session.suite.no_requests import how_clients_find  # seldom

            yield Content(f"{INDENT}Suite: {suite.state}. No request came.")
            advice = how_clients_find(session.server.url or "", is_intercepted=suite.is_intercepted)
            yield from (Content(INDENT + line) for line in wrap(" ".join(advice), WIDTH))
        else:
            yield Content(f"{INDENT}Suite: {suite.state}. No request without a fixture came.")
        yield _keys(("5", "shows its output"), ("r", "there runs it again"))


def _of_logs(logs: Sequence[LogStatus]) -> Iterator[Content]:
    """What is read and what is waited for; the logs that are read share a line."""
    read = [log for log in logs if not log.trouble and log.state != "waiting"]
    if read:
        more = f" +{len(read) - 1}" if len(read) > 1 else ""
        size = f"{sum(log.bytes_read for log in read):,} bytes read"
        yield one_line(f"{INDENT}No misses yet. Listening to {read[0].name}{more} ({size}).")
    for log in logs:
        if log.trouble:
            yield one_line(f"{INDENT}{log.name} cannot be read: {log.trouble}.")
        elif log.state == "waiting":
            yield one_line(f"{INDENT}No misses yet: {log.name} is not there; waiting for it.")


def _keys(*pairs: tuple[str, str]) -> Content:
    parts = [Content.styled(key, KEY) + Content(f" {what}") for key, what in pairs]
    return Content(INDENT) + Content("   ").join(parts)
