"""The requests that nothing answered, as the end of pytest's output lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.io.files.path_text import shown

if TYPE_CHECKING:
    from workbench.session.misses.save_advice import SaveAdvice

_MOST_SHOWN: Final = 20


@dataclass(frozen=True)
class RequestLog:
    """The place where commands find requests.

    Attributes:
        path: of a log; None if requests are in no file.
        folder: the folder of the answers.
    """

    path: Path | None
    folder: Path

    @property
    def has_requests(self) -> bool:
        return self.path is not None and self.path.is_file()

    def options(self, here: Path) -> list[str]:
        """The options with which commands typed in the folder ``here`` find both."""
        from workbench.io.command_options import finding

        logs = [] if self.path is None else [str(shown(self.path, here))]
        return finding(logs, self.folder, here)


@dataclass(frozen=True)
class Unanswered:
    """A request that nothing answered, however often it was sent.

    Attributes:
        digest: None for a request that is not supported, which no fixture answers.
        is_broken: its fixture cannot be sent.
        is_refused: it was to be recorded, and the upstream gave no reply that can be.
        reason: why nothing answers it, in a sentence.
        tests: that sent it, each once.
    """

    digest: str | None
    reason: str
    log: RequestLog
    is_broken: bool = False
    is_refused: bool = False
    tests: dict[str, None] = field(default_factory=dict)


def lines(unanswered: Mapping[str, Unanswered], here: Path) -> Iterator[str]:
    """Each request with its tests, the reason and the command that answers it, then the commands
    that open all.

    Args:
        unanswered: by digest, or by method and path.
        here: the folder in which commands are typed.
    """
    from workbench.core.text.digests import short

    advice = _save_advice(list(unanswered.values())[:_MOST_SHOWN])
    for number, (name, request) in enumerate(unanswered.items()):
        if number == _MOST_SHOWN:
            yield f"… and {len(unanswered) - number} more"
            break
        tests = list(request.tests) or ["(outside of tests)"]
        more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
        yield f"{name if request.digest is None else short(name)}  {tests[0]}{more}"
        yield f"    {request.reason}"
        if request.digest is not None and request.log.has_requests and not request.is_refused:
            ways = _ways(request.digest, request, advice.get(request.digest), here)
            yield from (f"    {way}" for way in ways)
    for log in dict.fromkeys(request.log for request in unanswered.values()):
        yield _opening(log, here)


def _save_advice(requests: Sequence[Unanswered]) -> dict[str, SaveAdvice]:
    """The advice for requests, by digest, where their log can be read."""
    from workbench.session.misses.save_advice import save_advice

    advice: dict[str, SaveAdvice] = {}
    for log in dict.fromkeys(request.log for request in requests):
        if log.path is not None and log.has_requests:
            digests = [r.digest for r in requests if r.log == log and r.digest is not None]
            advice |= save_advice(log.path, log.folder, digests)
    return advice


def _ways(digest: str, request: Unanswered, advice: SaveAdvice | None, here: Path) -> Iterator[str]:
    """The commands that answer a request, or why none does."""
    from workbench.core.answering.unanswered import rekey_line
    from workbench.core.text.digests import short

    if advice is not None and advice.secret:
        yield advice.secret
        return
    options = request.log.options(here)
    if advice is not None and advice.older:
        yield rekey_line(advice.older, digest, options)
    force = ["--force"] if request.is_broken else []
    yield _command("promote", short(digest), *options, *force, "--content", "…")


def _opening(log: RequestLog, here: Path) -> str:
    if log.path is None:
        return "Commands need a log to answer these: start the server with --log-file PATH."
    if not log.has_requests:
        return f"{shown(log.path, here)} cannot be written."
    return f"Open them: {_command(*log.options(here))}"


def _command(*words: str) -> str:
    from workbench.core.text import shell

    return shell.command(["workbench", *words])
