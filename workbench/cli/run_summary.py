"""The summary that ``workbench run`` prints at its end, from the server's log and the
proxy's data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.cli.exit_codes import EXIT_INTERRUPTED
from workbench.cli.logs import session_of
from workbench.cli.output import print_annotation, print_line, print_message
from workbench.core.apis.ignored import ignored_text
from workbench.core.log.lines import (
    MARK,
    NOT_LISTED,
    REFUSED,
    not_offered_text,
    read_ignored,
    read_not_offered,
)
from workbench.core.log.recording_lines import RecordingTotals
from workbench.core.text import shell
from workbench.core.text.digests import short
from workbench.core.text.wording import counted, shortlist
from workbench.io.command_options import finding, named, opening
from workbench.io.github_workflow import in_workflow
from workbench.io.processes.suite_command import EXIT_NOT_EXECUTABLE, EXIT_NOT_FOUND
from workbench.session.suite.no_requests import has_requests, how_clients_find, lines_of_last_run

if TYPE_CHECKING:
    from workbench.core.misses.record import MissRecord
    from workbench.core.requests.nearest import Nearest
    from workbench.io.network.proxy import Proxy

# One of them is in the line of a request that found no fixture.
_MARKS: Final = (b"unknown fixture hash", b"unsupported request")
_MARK: Final = MARK.encode()
_NOT_LISTED: Final = f"{NOT_LISTED}\n".encode()
# A comparison with thousands of fixtures takes a tenth of a second.
_MOST_COMPARED: Final = 50
# Why a reply is not recorded: messages of errors may differ for each.
_MOST_REASONS: Final = 5
_NOTHING_RAN: Final = (EXIT_NOT_FOUND, EXIT_NOT_EXECUTABLE, EXIT_INTERRUPTED)


class _OpenRequests(NamedTuple):
    """The misses and unsupported requests of the last run that need an answer or a change.

    Attributes:
        nearest: for digests a sentence about the nearest fixture.
        alike: the digests of those that differ from their nearest fixtures by the same words; []
            for fewer than two.
    """

    rows: Sequence[MissRecord] = ()
    nearest: Mapping[str, str] = {}
    alike: Sequence[str] = ()


@dataclass
class RunSummary:
    """The end of a run.

    Attributes:
        log: of the server, which has ended.
        url: of the server.
        in_terminal: the misses were listed in the terminal application.
        is_intercepted: clients sent their requests to the hosts of APIs.
        is_part: the last run was only of failed tests, which may send no request.
    """

    log: Path
    url: str
    fixtures: Path
    in_terminal: bool
    is_intercepted: bool
    is_part: bool = False

    def print_all(self, code: int, *, is_error: bool) -> bool:
        """Print the facts about the suite. Return True if a request of its last run still needs an
        answer or a change.

        Args:
            code: the exit code of the last run of the suite.
            is_error: such a request fails the run.
        """
        self._print_notes()
        if self.in_terminal and code == EXIT_INTERRUPTED:
            print_message("warning", "the suite was stopped before it was done")
        requests = self._open_requests()
        rows = requests.rows
        if rows and self.in_terminal:
            have = "1 request has" if len(rows) == 1 else f"{len(rows):,} requests have"
            usable = "usable " if any(row.state == "broken" for row in rows) else ""
            print_message("error", f"{have} no {usable}fixture")
        elif rows:
            self._report(requests, is_error=is_error)
        elif code not in _NOTHING_RAN and not self.is_part and not has_requests(self.log):
            ways = how_clients_find(self.url, is_intercepted=self.is_intercepted)
            print_message("warning", "the suite sent no requests", *(f"  {line}" for line in ways))
        return bool(rows)

    def print_recordings(self) -> None:
        """Print how many replies were recorded, where, and why others were not."""
        totals = RecordingTotals.of(self._lines())
        others = sum(n for _, n in totals.refused.most_common()[_MOST_REASONS:])
        replies = "1 reply" if totals.recorded == 1 else f"{totals.recorded:,} replies"
        print_message(
            "note",
            f"recorded {replies} in {self.fixtures}" if totals.recorded else "recorded no replies",
            *(f"  {counted(n, 'fixture')} {lacks}" for lacks, n in totals.lacking.most_common()),
            *(
                f"  {counted(n, 'request')} not recorded: {why}"
                for why, n in totals.refused.most_common(_MOST_REASONS)
            ),
            *([f"  {counted(others, 'request')} for other reasons, in the log"] if others else []),
        )

    def print_connections(self, proxy: Proxy) -> None:
        """Print the other hosts that the suite reached through ``proxy``, and clients that did not
        trust the proxy's certificate.
        """
        if proxy.connected:
            print_message("note", f"the suite also connected to {shortlist(proxy.connected)}")
        if proxy.refused:
            print_message("warning", f"--offline refused connections to {shortlist(proxy.refused)}")
        if proxy.distrusted:
            print_message(
                "warning",
                f"a client did not trust the certificate for {shortlist(proxy.distrusted)}, so its "
                "requests did not arrive; what to do: workbench manual interception",
            )
        # Browsers also open connections that they may need later.
        if unused := proxy.unused.keys() - proxy.used:
            print_message(
                "warning",
                f"a client closed its connection to {shortlist(sorted(unused))} without a request, "
                "perhaps because it does not trust the certificate; what to do: workbench manual "
                "interception",
            )

    def _lines(self) -> Iterator[bytes]:
        """The lines of our server about all runs."""
        with suppress(FileNotFoundError), self.log.open("rb") as lines:
            yield from (line for line in lines if line.startswith(_MARK))

    def _print_notes(self) -> None:
        """Print calls of tools that the application did not offer, and options of its requests that
        replies do not honour.
        """
        self._print_not_offered()
        self._print_not_listed()
        # The server logs each once, however often it runs the suite.
        for line in self._lines():
            if option := read_ignored(_text(line)):
                print_message("note", f"the server {ignored_text(option)}")

    def _print_not_offered(self) -> None:
        """Print which tools fixtures called that the requests did not offer, each once."""
        calling: dict[str, dict[str, None]] = {}
        for line in lines_of_last_run(self.log):
            if line.startswith(_MARK) and (call := read_not_offered(_text(line))):
                digest, tools = call
                calling.setdefault(tools, {})[digest] = None
        for tools, digests in calling.items():
            first, *others = digests
            print_message(
                "warning",
                f"{len(digests)} fixtures call {tools}, which their requests do not offer: "
                f"{shortlist(map(short, digests))}"
                if others
                else not_offered_text(first, tools),
            )
        if calling:
            print_message("note", "if you renamed tools: workbench manual maintenance")

    def _print_not_listed(self) -> None:
        """Print which requests no API has a path for."""
        unlisted = Counter(
            line.removeprefix(_MARK).removeprefix(REFUSED.encode()).partition(b" HTTP/")[0]
            for line in lines_of_last_run(self.log)
            if line.startswith(_MARK) and line.endswith(_NOT_LISTED)
        )
        if unlisted:
            first, *others = (line.decode("ascii", "replace") for line in unlisted)
            more = f" and {len(others)} more" if others else ""
            requests = counted(unlisted.total(), "request")
            print_message(
                "warning",
                f"{requests} to unknown paths got HTTP 404: {first}{more}; check the base URL of "
                "the client",
            )

    def _open_requests(self) -> _OpenRequests:
        if not any(mark in line for line in lines_of_last_run(self.log) for mark in _MARKS):
            return _OpenRequests()
        # Loaded only then: it takes longer than starting the server.
        from workbench.core.requests.nearest import comparison
        from workbench.session.misses.listing import records
        from workbench.session.misses.nearest_result import nearest_of
        from workbench.session.misses.save_advice import why_not_saved

        with session_of([str(self.log)], self.fixtures, creates=True) as session:
            rows = [row for row in records(session, last_run=True) if row.is_open]
            session.nearest.refresh()
            digests = [row.digest for row in rows if row.digest is not None]
            compared = (
                (digest, nearest_of(session, digest)) for digest in digests[:_MOST_COMPARED]
            )
            nearest = {digest: each for digest, each in compared if each is not None}
            sentences = {digest: comparison(each) for digest, each in nearest.items()}
            for digest in digests:
                if fault := session.miss_fixtures.fault(digest):
                    sentences[digest] = f"{fault}."
            movable = {d: each for d, each in nearest.items() if not why_not_saved(session, d)}
            return _OpenRequests(rows, sentences, _alike(movable))

    def _report(self, requests: _OpenRequests, *, is_error: bool) -> None:
        """Print a line for each row and commands for them; on GitHub also an annotation each."""
        from workbench.cli.miss_rows import print_rows, request_text

        opens = shell.command(["workbench", *opening(self.log, self.fixtures)])
        rows, nearest = requests.rows, requests.nearest
        print_rows(rows, print_line, nearest)
        if alike := requests.alike:
            options = finding([named(self.log)], self.fixtures)
            words = ["workbench", "rekey", "--like", short(alike[0]), *options]
            print_message(
                "note",
                f"{len(alike)} of them differ from their nearest fixtures by the same words; move "
                f"these fixtures: {shell.command(words)}",
            )
        print_message("note", f"open them: {opens}")
        if in_workflow():
            level = "error" if is_error else "warning"
            for row in rows:
                title = "Unsupported request" if row.digest is None else "No fixture"
                lines = [request_text(row), nearest.get(row.digest or "", ""), f"open it: {opens}"]
                print_annotation(level, "\n".join(filter(None, lines)), title=title)


def _alike(nearest: Mapping[str, Nearest]) -> list[str]:
    """Which of the digests differ from their nearest fixtures by the same words, if several do."""
    from workbench.core.requests.request_change import RequestChange

    digests: defaultdict[RequestChange, list[str]] = defaultdict(list)
    for digest, each in nearest.items():
        change = RequestChange.of(each.differences)
        if change.words:
            digests[change].append(digest)
    most = max(digests.values(), key=len, default=[])
    return most if len(most) > 1 else []


def _text(line: bytes) -> bytes:
    """A line of our server without its mark."""
    return line.removeprefix(_MARK).rstrip()
