"""The content of the list of misses without rows: what it waits for, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from textual.content import Content

from workbench.core.apis.table import APIS
from workbench.core.text import shell
from workbench.core.text.wording import counted
from workbench.session.misses.states import outdated_count
from workbench.tui.misses.page_lines import INDENT, keys
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ACCENT

if TYPE_CHECKING:
    from textual.geometry import Size

    from workbench.session.log_status import LogStatus
    from workbench.session.session import Session

Offer = Literal["open", "server", "sample", "copy", "add", "run", "suite"]

# The APIs whose clients are listed: most suites use these, and there is no room for all.
_NAMED: Final = APIS[:4]


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
    """How to point clients at the server."""
    yield Content(
        f'{INDENT}Point your clients at the server; "workbench manual clients" has others:'
    )
    for name, url in _official_base_urls(server_url).items():
        yield inert(f"{INDENT}{INDENT}{name}={shell.quoted(url)}", ACCENT)


def no_misses(session: Session, logs: Sequence[LogStatus], size: Size) -> list[Content]:
    """The lines, for the logs, the server and the suite as they are now, and the screen."""
    return [Content(""), *_no_misses(session, logs, size)]


def _no_misses(session: Session, logs: Sequence[LogStatus], size: Size) -> Iterator[Content]:
    suite = session.suite
    if suite is not None and suite.failed_to_start:
        yield Content(f"{INDENT}The suite could not be started.")
        yield keys(("5", "shows why"), ("r", "tries again"))
    elif suite is not None and not suite.state:
        yield Content(f"{INDENT}The suite has not started yet.")
    elif suite is not None and suite.sent_nothing:
        from workbench.session.suite.no_requests import how_clients_find  # seldom

        yield Content(f"{INDENT}Suite: {suite.state}. It sent no requests.")
        # Before the advice, because a low screen has no room for all of it.
        yield keys(("5", "shows its output"), ("r", "runs it again"))
        yield Content("")
        url = session.server.url or ""
        first, *advice = how_clients_find(url, is_intercepted=suite.is_intercepted)
        yield Content(f"{INDENT}{first}")
        yield Content("")
        yield from (inert(f"{INDENT}· {line}") for line in advice)
    elif suite is not None or len(session.miss_index.misses) > outdated_count(session):
        from workbench.tui.misses.nothing_open import nothing_open  # after the first rows

        yield from nothing_open(session, size)
    else:
        yield from _nothing_yet(session, logs)


def _nothing_yet(session: Session, logs: Sequence[LogStatus]) -> Iterator[Content]:
    """Without a suite, before the first miss: what is listened to, and what to do."""
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
        hold, offers = (
            session.server.hold,
            [("y", "copies a command"), ("T", "shows sample traffic")],
        )
        if hold is not None and hold.possible:
            offers.append(("h", "turns hold off" if hold.enabled else "turns hold on"))
        yield keys(*offers)
        # Last: there may not be room for all of them.
        yield from _where_clients_find(session.server.url)
    else:
        yield Content("")
        yield keys(("O", "opens another log"), ("S", "starts a server here"))


def _of_logs(logs: Sequence[LogStatus]) -> Iterator[Content]:
    """The logs that are read, on one line, and the logs that are awaited."""
    read = [log for log in logs if not log.trouble and log.state != "waiting"]
    if read:
        more = f" +{len(read) - 1}" if len(read) > 1 else ""
        size = f"{sum(log.bytes_read for log in read):,} bytes read"
        yield one_line(f"{INDENT}No misses yet. Listening to {read[0].name}{more} ({size}).")
    for log in logs:
        if log.trouble:
            yield one_line(f"{INDENT}{log.name} cannot be read: {log.trouble}.")
        elif log.state == "waiting":
            yield one_line(f"{INDENT}No misses yet: {log.name} does not exist yet; waiting for it.")
