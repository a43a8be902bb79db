"""Checkpoints: the state of an application at a position of its recording, as readable files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from workbench.core.formats import FormatError
from workbench.core.recordings import journal as lines
from workbench.core.recordings.exchanges import Exchange, NewerFormatError
from workbench.io.files.atomic import write_atomic
from workbench.io.files.regular import open_finite
from workbench.testing.arguments import no_file, no_file_but_folder, require_path
from workbench.testing.recordings import checkpoint_file
from workbench.testing.recordings.checkpoint_file import FORMAT, PARSED, CheckpointError
from workbench.testing.recordings.run import Run
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of an application at a position of a recording. ``Checkpointer`` saves it and
    ``load`` reads it.

    Attributes:
        id: unique ID.
        timestamp: time of the save, in ISO 8601.
        project_id: ``project`` of the checkpointer.
        ds_id: ``part`` of the checkpointer.
        iteration: number of steps so far.
        state: the state; after ``load``, tuples are lists, and pydantic models and dataclasses are
            dicts.
        step: the last step, in words.
        run: ID of the recording, or "".
        journal: path of the recording's file, relative to the folder of the checkpoint.
        position: position of the last exchange before the checkpoint; 0 if there is none.
        parent_id: ID of the checkpoint before it in the same recording, or "".
        thread_id: ID of your own.
        is_complete: True if the application was done.
        metadata: further values that were saved with the state.
        exchanges: the exchanges after the checkpoint, if its file contains them; else None.
        expected: state after each later iteration, if the file contains it.
        extra: unknown keys of the file.
        path: the file; None if the checkpoint was not saved.
    """

    id: str
    timestamp: str
    project_id: str
    ds_id: str
    iteration: int
    state: Any
    step: str = ""
    run: str = ""
    journal: str = ""
    position: int = 0
    parent_id: str = ""
    thread_id: str = ""
    is_complete: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] | None = None
    expected: Mapping[int, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None

    @classmethod
    def load(cls, path: Path | str) -> Checkpoint:
        """Read a checkpoint from a file. You may write replies into the file by hand, by node: in
        ``mock-responses`` (without the key ``format``), or in ``next-expected-responses`` of the
        metadata.

        Args:
            path: path of the file.

        Raises:
            CheckpointError: the file is invalid.
            FormatError: a later version of workbench wrote the file.
            OSError: the file does not exist, or cannot be read.
            TypeError: ``path`` is not a path.
            ValueError: ``path`` is empty.
        """
        require_path("Checkpoint.load", "path", path, "the path of a file")
        path = Path(path)
        try:
            with open_finite(path) as file:
                return cls(**checkpoint_file.read(json.loads(file.read())), path=path)
        except FileNotFoundError:
            raise no_file(path) from None
        except IsADirectoryError:
            raise no_file_but_folder(path) from None
        except (NewerFormatError, OSError) as error:
            # Without the frames below, which do not help the author of a test.
            raise error.with_traceback(None) from error.__cause__
        except (ValueError, RecursionError) as error:
            raise CheckpointError(f"{path}: {error}") from None

    def save(self, path: Path | str) -> Path:
        """Write the checkpoint to a file, and return its path.

        Args:
            path: path of the file.

        Raises:
            TypeError: the state contains a value that has no JSON form, or ``path`` is not a path.
            ValueError: ``path`` is empty.
            OSError: the file cannot be written.
        """
        require_path("Checkpoint.save", "path", path, "the path of a file")
        text = json.dumps(self._file(), ensure_ascii=False, indent=2)
        write_atomic(Path(path), text.encode("utf-8", "backslashreplace") + b"\n")
        return Path(path)

    def _file(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "format": FORMAT,
            "id": self.id,
            "timestamp": self.timestamp,
            "project_id": self.project_id,
            "ds_id": self.ds_id,
            "iteration": self.iteration,
            "complete": self.is_complete,
            "parent_id": self.parent_id,
            "thread_id": self.thread_id,
            "run": {"id": self.run, "journal": self.journal, "position": self.position},
            "metadata": {"step": self.step, **encode(self.metadata, "metadata")},
            **self.extra,
            "state": encode(self.state, "state"),
        }
        if self.exchanges is not None:
            value["exchanges"] = [lines.to_json(each) for each in self.exchanges]
        if self.expected:
            value["expected"] = {
                str(iteration): encode(state, f"expected.{iteration}")
                for iteration, state in self.expected.items()
            }
        return value

    def recorded_run(self) -> Run | None:
        """Return the recording of the checkpoint, or None if its file was not found.

        Raises:
            FormatError: the recording is invalid.
            CheckpointError: the name of the recording cannot be a file name.
        """
        key = "journal"
        try:
            if self.journal and self.path is not None:
                journal = self.path.parent / self.journal
                if journal.is_file():
                    return Run(journal)
            key = "id"
            return Run.load(self.run) if self.run else None
        except LookupError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise CheckpointError(f"{self.path or self.id}: run.{key}: {reason}") from None

    def following(self) -> list[Exchange]:
        """Return the recorded exchanges after the checkpoint.

        Raises:
            CheckpointError: the file contains no exchanges, and the recording was not found.
        """
        if self.exchanges is not None:
            return list(self.exchanges)
        return self._required_run().after(self.position)

    def parsed(self, position: int) -> object:
        """Return what the application made of the reply at ``position`` (see ``parsed``), if the
        file contains it; else None.

        Args:
            position: position of the exchange, from 1.
        """
        exchanges = (each for each in self.exchanges or () if each.position == position)
        return next((decode(each.extra.get(PARSED)) for each in exchanges), None)

    def later_states(self, run: Run | None = None) -> dict[int, Any]:
        """Return the state after each later iteration (iteration → state).

        Args:
            run: a fork to use instead of the recording of the checkpoint.
        """
        run_id = self.run if run is None else run.id
        if run_id == self.run and self.expected:
            return dict(self.expected)
        if not run_id or self.path is None:
            return {}
        return {
            other.iteration: other.state
            for other in load_folder(self.path.parent)[0]
            if other.run == run_id and other.iteration > self.iteration
        }

    def bundled(self) -> Checkpoint:
        """Return the checkpoint with the exchanges and states that follow it, so that a test needs
        only its file.

        Raises:
            CheckpointError: the recording was not found.
        """
        exchanges = self.exchanges
        if exchanges is None:
            run = self._required_run()
            exchanges = tuple(_with_parsed(each, run) for each in run.after(self.position))
        return replace(self, exchanges=exchanges, expected=self.later_states(), journal="")

    def _required_run(self) -> Run:
        run = self.recorded_run()
        if run is None:
            where = f"its recording {self.run} was not found" if self.run else "it has no recording"
            raise CheckpointError(
                f"{self.path or self.id} contains no replies, and {where}. Keep the recording with "
                "the checkpoint, or save checkpoint.bundled()."
            )
        return run


def _with_parsed(exchange: Exchange, run: Run) -> Exchange:
    made = run.parsed(exchange.position)
    if made is None:
        return exchange
    return replace(exchange, extra={**exchange.extra, PARSED: encode(made)})


def files(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the earliest first."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if not path.name.startswith("."))


def load_folder(folder: Path) -> tuple[list[Checkpoint], list[str]]:
    """The checkpoints of a folder, the earliest first, and a message for each invalid file."""
    checkpoints, problems = [], []
    for path in files(folder):
        try:
            checkpoints.append(Checkpoint.load(path))
        except (OSError, CheckpointError) as error:
            problems.append(str(error))
        except FormatError as error:
            problems.append(f"{path}: {error}")
    return checkpoints, problems
