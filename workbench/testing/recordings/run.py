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
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    NewerFormatError,
    Outcome,
    Parent,
)
from workbench.io.recordings import recording_file
from workbench.io.recordings.journal import SUFFIX, JournalWriter, read_header
from workbench.io.recordings.recording_file import Recording
from workbench.io.recordings.writers import new_header, write_fork
from workbench.io.state_folder import StateFolder, make_folder
from workbench.testing.arguments import (
    no_file,
    no_file_but_folder,
    require,
    require_path,
    require_text,
    require_whole_number,
)
from workbench.testing.mocks.errors import InvalidToolCallError
from workbench.testing.mocks.fitting import does_not_fit, misfits, placed
from workbench.testing.mocks.replies import Reply
from workbench.testing.recordings.modes import Mode, current_mode, within
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

_logger = logging.getLogger("workbench.testing")


class Run:
    """A recording: the exchanges of an application in order, in a file (a journal)::

        with Run.record("interview") as run:
            run_interview(http_client=httpx2.Client(transport=run_transport()))
        print([exchange.node for exchange in run.exchanges])

    Args:
        path: path of the journal.
        parent: the recording from which this one was forked, if you have it.

    Attributes:
        path: path of the journal.

    Raises:
        FormatError: the journal is invalid.
        OSError: the journal does not exist, or cannot be read.
        TypeError: ``path`` is not a path.
        ValueError: ``path`` is empty.
    """

    def __init__(self, path: Path, *, parent: Run | None = None) -> None:
        require_path("Run", "path", path, "the path of a file")
        self.path = Path(path)
        recordings = {parent.id: parent._read} if parent is not None else {}
        try:
            self._read: Recording = Recording(self.path, recordings)
        except FileNotFoundError:
            raise no_file(self.path) from None
        except IsADirectoryError:
            raise no_file_but_folder(self.path) from None
        except NewerFormatError:
            raise
        except FormatError as error:
            raise FormatError(f"{self.path}: {error}") from None

    @classmethod
    @contextmanager
    def record(cls, name: str, *, folder: Path | str | None = None) -> Iterator[Run]:
        """Record the calls inside a ``with`` block: LLM calls of ``run_transport()``, and other
        calls of ``call()``. Tasks and ``asyncio.to_thread`` are included, and your own threads if
        they run in a copy of the context (``contextvars.copy_context().run``).

        Args:
            name: name of the recording.
            folder: folder of the journal; by default ``.workbench/runs`` of the project.

        Raises:
            OSError: the journal cannot be created.
            RuntimeError: the block is inside a replay.
            TypeError: ``name`` is not a string, or ``folder`` is not a path.
            ValueError: ``folder`` is empty.
        """
        require_text("Run.record", "name", name)
        require_path("Run.record", "folder", folder, "the path of a folder", is_optional=True)
        outer = current_mode()
        if outer is not None and outer.is_replay:
            raise RuntimeError(
                "Run.record: a replay makes no calls that could be recorded. Use Run.record around "
                "the step, not inside it."
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
        """Read a recording.

        Args:
            run: path of the journal, ID of the recording or its beginning, or name.
            folder: folder of the recordings; by default ``.workbench/runs`` of the project.

        Raises:
            LookupError: no recording matches, or several do.
            FormatError: the journal is invalid.
            TypeError: ``run`` is neither a string nor a path, or ``folder`` is not a path.
            ValueError: ``run`` or ``folder`` is empty.
        """
        require_path("Run.load", "run", run, "a string or a path")
        require_path("Run.load", "folder", folder, "the path of a folder", is_optional=True)
        try:
            return cls(recording_file.find(_folder(folder, create=False), str(run)))
        except LookupError as error:
            # Without the frames below, which do not help the author of a test.
            raise error.with_traceback(None) from error.__cause__

    @property
    def id(self) -> str:
        """The unique ID, which is also the name of the file."""
        return self._read.header.id

    @property
    def name(self) -> str:
        """The name from ``record`` or ``fork``. Several recordings may have the same name."""
        return self._read.header.name

    @property
    def parent(self) -> Parent | None:
        """Of a fork: ``run``, the ID of the recording from which it was forked, and ``at``, the
        position of its first own exchange. None for other recordings.
        """
        return self._read.header.parent

    @property
    def exchanges(self) -> list[Exchange]:
        """All exchanges so far; a fork begins with those of its parent. Each has ``position`` (from
        1), ``node``, ``request``, ``outcome``, and in milliseconds ``at_ms`` (since the start of
        the recording) and ``ms`` (until the reply was complete).
        """
        return list(self._current().exchanges())

    @property
    def checkpoints(self) -> list[CheckpointMark]:
        """The places of checkpoints, each with ``checkpoint`` (its ID), ``iteration`` and ``after``
        (the position of the exchange before it).
        """
        return self._current().marks

    @property
    def problem(self) -> str | None:
        """The error that ended the recording; "" if it ended without an error; None if it has not
        ended, or its process was killed.
        """
        end = self._current().end
        return None if end is None else end.problem

    @property
    def problems(self) -> list[str]:
        """The errors in the journal, one sentence each."""
        return self._current().problems

    def calls(self, node: str) -> list[Exchange]:
        """Return the exchanges of one node.

        Args:
            node: name of the node.
        """
        return [exchange for exchange in self.exchanges if exchange.node == node]

    def after(self, position: int) -> list[Exchange]:
        """Return the exchanges after ``position``. Exchanges that cannot be read are logged.

        Args:
            position: position of an exchange, from 1; 0 for all.

        Raises:
            TypeError: ``position`` is not a whole number.
            ValueError: ``position`` is below 0.
        """
        require_whole_number("Run.after", "position", position, 0)
        run = self._current()
        exchanges = list(run.exchanges(position))
        for problem in run.problems:
            _logger.warning("%s: %s", self.path, problem)
        return exchanges

    def parsed(self, position: int) -> object:
        """Return what the application made of the reply at ``position`` (see the function
        ``parsed``), or None.

        Args:
            position: position of the exchange, from 1.

        Raises:
            FormatError: the recorded value is invalid.
        """
        made = self._current().parsed(position)
        try:
            return decode(made)
        except ValueError as error:
            raise FormatError(f"exchange {position}, parsed: {error}") from None

    def fork(self, at: int, reply: Reply | Mapping[str, Any] | str | Any, *, name: str) -> Run:
        """Make a fork: a new recording that ends with the exchange at ``at``, with another reply.
        This recording does not change::

            other = run.fork(3, Reply.text("No."), name="refused")
            replay(checkpoint, step, run=other, live=True)

        Args:
            at: position of the exchange, from 1.
            reply: for an LLM call a ``Reply``, a text, or the ``response`` of a fixture; for
                another call the value that it returns.
            name: name of the fork.

        Returns:
            The fork.

        Raises:
            IndexError: there is no exchange at ``at``.
            InvalidToolCallError: the reply calls a tool that the request does not offer, or with
                arguments that do not match its schema.
            TypeError: ``reply`` is not a JSON value, or an argument has the wrong type.
            ValueError: ``reply`` cannot be sent.
        """
        require_whole_number("Run.fork", "at", at, 1)
        require_text("Run.fork", "name", name)
        try:
            exchange = self._current().exchange(at)
        except IndexError as error:
            raise error.with_traceback(None) from error.__cause__
        if exchange.is_chat:
            new_reply = _reply(reply, exchange)
            forked = branches.replaced(exchange, new_reply.response)
            if wrong := misfits(new_reply, exchange.payload):
                purpose = f"of the fork to exchange {at}"
                raise InvalidToolCallError(does_not_fit(purpose, wrong))
        else:
            forked = branches.replaced(exchange, None, encode(reply, "the reply", exact=True))
        return Run(write_fork(self._current(), forked, name), parent=self)

    def replies(self, at: int) -> dict[str, Outcome]:
        """Return the replies to the exchange at ``at``, of this recording and of its forks there
        (name of the recording → reply).

        Args:
            at: position of the exchange, from 1.

        Raises:
            IndexError: there is no such exchange.
        """
        outcomes = {self.name: self._current().exchange(at).outcome}
        for path in reversed(recording_file.journals(self.path.parent)):
            with suppress(OSError, FormatError):
                header = read_header(path)
                if header.parent == Parent(self.id, at):
                    outcomes[header.name] = Run(path, parent=self)._read.exchange(at).outcome
        return outcomes

    def compare(self, other: Run) -> list[ExchangeDifference]:
        """Return the exchanges that differ between two recordings, in order.

        Args:
            other: another recording.

        Raises:
            TypeError: ``other`` is not a ``Run``.
        """
        require("Run.compare", "other", other, Run, "a Run")
        return list(branches.exchange_differences(self.exchanges, other.exchanges))

    def _current(self) -> Recording:
        self._read.refresh()
        return self._read

    def __repr__(self) -> str:
        return f"<Run {self.name!r}, {len(self._current())} exchanges, {self.path}>"


@contextmanager
def going_on(run: Run, replies: list[Exchange], position: int, parent: str) -> Iterator[Mode]:
    """A replay that records the calls without a reply into ``run``, until the end of the block. For
    the last arguments see ``Mode``.
    """
    exchanges = run.exchanges
    calls: dict[str, int] = {}
    for exchange in exchanges:
        calls[exchange.node] = max(calls.get(exchange.node, 0), exchange.call)
    with _until_end(JournalWriter(run.path)) as writer:
        yield Mode(
            replies,
            run.id,
            writer,
            last=len(exchanges),
            calls=calls,
            position=position,
            parent=parent,
            marks=run.checkpoints,
        )


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
