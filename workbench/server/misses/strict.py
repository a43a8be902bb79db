"""Strict mode: instead of the fallback, misses get an error with the nearest fixture and the
commands that answer them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from workbench.core.answering.unanswered import (
    REPEATS,
    about,
    promote_command,
    quoted,
    rekey_line,
    run_command,
    secret_line,
    unusable,
)
from workbench.core.fixture.names import digest_of
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply, miss_error
from workbench.core.requests.view import RequestView
from workbench.core.text.wording import mebibytes
from workbench.io.command_options import finding, named, naming_folder
from workbench.io.fixture.nearest_search import Explained
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.server.long_work import MAX_COMPARED

# How long a client waits until the fixtures are read and the nearest one is known.
_HINT_SECONDS: Final = 1.0


class Strict:
    """Writes the error replies for misses.

    Args:
        log: the file of the server's log; None if it has only standard error.

    Attributes:
        served: the fixtures that were: these are not stale versions of a miss in this run.
    """

    def __init__(self, fixtures: StoredFixtures, log: Path | None) -> None:
        self._store = fixtures.store
        self._nearest = fixtures.nearest
        self._log = log
        self.served: set[str] = set()
        self._reading: asyncio.Future[None] | None = None

    async def error(
        self,
        miss: Answer,
        size: int,
        *,
        test: str = "",
        held_s: float | None = None,
        is_hidden: bool = False,
    ) -> ErrorReply:
        """The error for a request without a usable fixture.

        Args:
            size: of the request, in bytes.
            test: that sent it, or "".
            held_s: the seconds that it was held in vain; None if it was not.
            is_hidden: its text must not be shown, since it repeats a credential.
        """
        held = ""
        if held_s is not None:
            held = f" It was held for {held_s:.0f} s, and no answer was saved in time."
        if miss.broken is not None:
            return miss_error(unusable(miss, is_hidden=is_hidden) + held)
        which = about(miss.request, is_hidden=is_hidden)
        head = f"workbench: no fixture for this request ({which}).{held}"
        if is_hidden:  # so would differences and examples be
            return miss_error(f"{head}\n{REPEATS}")
        explained = await self._explained(miss, size)
        lines = [
            head,
            quoted(explained.text),
            *ways_out(miss.request, self._log, self._store.folder, test, explained.older),
        ]
        return miss_error("\n".join(lines))

    async def _explained(self, miss: Answer, size: int) -> Explained:
        """The nearest fixture, or why it was not looked for."""
        if size > MAX_COMPARED:
            limit = mebibytes(MAX_COMPARED)
            return Explained(
                "The nearest fixture was not looked for, because the request is longer than "
                f"{limit}."
            )
        if not await self._is_read():
            return Explained(
                "The nearest fixture was not looked for, because the fixtures are still being read."
            )
        return await asyncio.to_thread(
            self._nearest.explained, miss.request, in_same_run=self.served.__contains__
        )

    async def _is_read(self) -> bool:
        """True if all fixtures have been read, or will be in a moment. One thread at a time reads
        them.
        """
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(asyncio.to_thread(self._read))
        await asyncio.wait({self._reading}, timeout=_HINT_SECONDS)
        return self._reading.done()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the search reports the reason
            self._nearest.refresh()


def ways_out(
    request: RequestView, log: Path | None, fixtures: Path, test: str, older: str
) -> Iterator[str]:
    """The commands that answer a request of this server, a line for each, the best one first.

    Args:
        log: of the server; None if it has only standard error, where commands do not find requests.
        fixtures: the folder of the server.
        test: that sent the request, or "".
        older: the name of the fixture of an older form of the request, or "".
    """
    promote = ""
    if log is not None and (secret := secret_line(request)):
        yield secret
    elif log is not None:
        options = finding([named(log)], fixtures)
        if older:
            yield rekey_line(digest_of(older), request.digest, options)
        promote = promote_command(request, options)
    if promote:
        yield f"Answer it: {promote}"
    begin = "Or answer it while the test waits" if promote else "Answer it"
    folder = naming_folder(fixtures)
    # A test name may also be the name in a base URL; only a test file can be run.
    if "::" in test and os.path.isfile(test.partition("::")[0]):
        yield f"{begin}: {run_command(folder, test)}"
    elif not promote:
        yield f"{begin}: {run_command(folder)} (or the command of your suite)"
