"""Runs of an application: recorded, read, forked and compared."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from workbench.core.formats import FormatError
from workbench.core.recordings import branches
from workbench.core.recordings.branches import ExchangeDifference
from workbench.core.recordings.exchanges import CheckpointMark, End, Exchange, Outcome, Parent
from workbench.io.recordings import recording_file
from workbench.io.recordings.journal import SUFFIX, JournalWriter, read_header
from workbench.io.recordings.recording_file import Recording
from workbench.io.recordings.writers import new_header, write_fork
from workbench.io.state_folder import StateFolder, make_folder
from workbench.testing.mocks.errors import InvalidToolCallError
from workbench.testing.mocks.fitting import misfit, placed
from workbench.testing.mocks.replies import Reply
from workbench.testing.recordings.modes import Mode, current_mode, within
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

_logger = logging.getLogger("workbench.testing")


class Run:
    """A recording: its exchanges in order, from an append-only journal on disk."""

    def __init__(self, path: Path, *, parent: Run | None = None) -> None:
        self.path = path
        recordings = {parent.id: parent._read} if parent is not None else {}
        self._read: Recording = Recording(path, recordings)

    @classmethod
    @contextmanager
    def record(cls, name: str, *, folder: Path | str | None = None) -> Iterator[Run]:
        """Record the calls of this block, in this context.

        Args:
            folder: for its journal; ``.workbench/runs`` of the project by default.

        Raises:
            OSError: the journal cannot be created.
            RuntimeError: inside a replay.
        """
        outer = current_mode()
        if outer is not None and outer.is_replay:
            raise RuntimeError(
                "nothing can be recorded within a replay, whose calls are not made: "
                "record around the step, not in it"
            )
        header = new_header(name)
        path = _folder(folder) / f"{header.id}{SUFFIX}"
        with (
            _until_end(JournalWriter(path, header)) as writer,
            within(Mode(run=header.id, writer=writer)),
        ):
            yield cls(path)

    @classmethod
    def load(cls, run: Path | str, *, folder: Path | str | None = None) -> Run:
        """A recording by the path of its journal, its id or the beginning of that, or its name.

        Raises:
            LookupError: there is none, or several.
            FormatError: it cannot be read.
        """
        try:
            return cls(recording_file.find(_folder(folder, create=False), str(run)))
        except LookupError as error:
            # Without the frames below, which do not help the author of a test.
            raise error.with_traceback(None) from error.__cause__

    @property
    def id(self) -> str:
        """A unique name, which is also that of its file."""
        return self._read.header.id

    @property
    def name(self) -> str:
        """As given to ``record`` or ``fork``; several recordings may have the same."""
        return self._read.header.name

    @property
    def parent(self) -> Parent | None:
        """The recording it was forked from, and the position of the first exchange of its own."""
        return self._read.header.parent

    @property
    def exchanges(self) -> list[Exchange]:
        """All exchanges so far, including those that a fork shares with its parent. Each has its
        ``position``, from 1, its ``node``, ``request`` and ``outcome``.
        """
        return list(self._current().exchanges())

    @property
    def checkpoints(self) -> list[CheckpointMark]:
        """Where checkpoints were saved: ``checkpoint``, its id, ``iteration``, and ``after``, the
        position of the exchange before it.
        """
        return self._current().marks

    @property
    def problem(self) -> str | None:
        """The error that ended the recording, "" if there was none; None if it has not ended, or
        its process was killed.
        """
        end = self._current().end
        return None if end is None else end.problem

    @property
    def problems(self) -> list[str]:
        """Why parts of the journal cannot be read, one sentence each."""
        return self._current().problems

    def calls(self, node: str) -> list[Exchange]:
        """The exchanges of one node."""
        return [exchange for exchange in self.exchanges if exchange.node == node]

    def after(self, position: int) -> list[Exchange]:
        """The exchanges after the one at ``position``. Those that cannot be read are left out, and
        logged.
        """
        run = self._current()
        exchanges = list(run.exchanges(position))
        for problem in run.problems:
            _logger.warning("%s: %s", self.path, problem)
        return exchanges

    def parsed(self, position: int) -> object:
        """What the application made of the reply at ``position``; None if that was not recorded.
        Raises FormatError if it cannot be read.
        """
        made = self._current().parsed(position)
        try:
            return decode(made)
        except ValueError as error:
            raise FormatError(f"exchange {position}, parsed: {error}") from None

    def fork(self, at: int, reply: Reply | Mapping[str, Any] | str | Any, *, name: str) -> Run:
        """A child that ends with the exchange at ``at``, which has another reply. This recording is
        not changed.

        Args:
            reply: for an LLM call a ``Reply``, its text, or the ``response`` of a fixture; for
                another call what it returns.

        Raises:
            IndexError: there is no exchange at ``at``.
            FixtureError: ``reply`` cannot be sent.
            InvalidToolCallError: it calls a tool that the request does not offer, or with arguments
                that do not match its schema, and is no ``Reply`` with ``unchecked``.
            NotAValueError: ``reply`` is not a JSON value.
        """
        try:
            exchange = self._current().exchange(at)
        except IndexError as error:
            raise error.with_traceback(None) from error.__cause__
        if exchange.is_chat:
            new_reply = _reply(reply, exchange)
            forked = branches.replaced(exchange, new_reply.response)
            if wrong := misfit(new_reply, exchange.payload, f"of the fork to exchange {at}"):
                raise InvalidToolCallError(wrong)
        else:
            forked = branches.replaced(exchange, None, encode(reply, "the reply", exact=True))
        return Run(write_fork(self._current(), forked, name), parent=self)

    def replies(self, at: int) -> dict[str, Outcome]:
        """The replies to the exchange at ``at`` by the name of the recording: of this one, and of
        its forks at that point. Raises IndexError if there is no such exchange.
        """
        outcomes = {self.name: self._current().exchange(at).outcome}
        for path in reversed(recording_file.journals(self.path.parent)):
            with suppress(OSError, FormatError):
                header = read_header(path)
                if header.parent == Parent(self.id, at):
                    outcomes[header.name] = Run(path, parent=self)._read.exchange(at).outcome
        return outcomes

    def compare(self, other: Run) -> list[ExchangeDifference]:
        """The exchanges in which ``other`` differs from this recording, in order."""
        return list(branches.exchange_differences(self.exchanges, other.exchanges))

    @contextmanager
    def going_on(self, replies: list[Exchange], position: int, parent: str) -> Iterator[Mode]:
        """A replay that records the calls without a reply into this recording, until the end of the
        block. The last arguments are those of ``Mode``.
        """
        calls: dict[str, int] = {}
        for exchange in self.exchanges:
            calls[exchange.node] = max(calls.get(exchange.node, 0), exchange.call)
        with _until_end(JournalWriter(self.path)) as writer:
            yield Mode(
                replies,
                self.id,
                writer,
                last=len(self._read),
                calls=calls,
                position=position,
                parent=parent,
                marks=self.checkpoints,
            )

    def _current(self) -> Recording:
        self._read.refresh()
        return self._read

    def __repr__(self) -> str:
        return f"<Run {self.name!r}, {len(self._current())} exchanges, {self.path}>"


@contextmanager
def _until_end(writer: JournalWriter) -> Iterator[JournalWriter]:
    """Write how the recording ended, and close its journal."""
    problem = ""
    try:
        yield writer
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"
        raise
    finally:
        # Without this record it looks like a recording whose process was killed.
        with suppress(OSError):
            writer.append(End(problem))
        writer.close()


def _reply(reply: Any, exchange: Exchange) -> Reply:
    if isinstance(reply, Reply):
        return placed(reply, exchange.payload, exchange.digest or "")
    return Reply({"content": reply} if isinstance(reply, str) else dict(reply))


def _folder(folder: Path | str | None, *, create: bool = True) -> Path:
    if folder is not None:
        path = Path(folder)
    else:
        state = StateFolder.locate(Path.cwd())
        if create:
            state.ensure()
        path = state.recordings
    if create:
        make_folder(path)
    return path
