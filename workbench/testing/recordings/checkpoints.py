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
from workbench.testing.recordings import checkpoint_file
from workbench.testing.recordings.checkpoint_file import FORMAT, PARSED, CheckpointError
from workbench.testing.recordings.run import Run
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A position in a recording plus the application's state there.

    Attributes:
        timestamp: when it was saved, in ISO 8601.
        project_id, ds_id: ``project`` and ``ds`` of the checkpointer.
        iteration: how many steps were done.
        state: of the application; from a file it has lists for tuples, and dicts for pydantic
            models and dataclasses.
        step: what was done last, in words.
        run: the id of its recording; "" if there is none.
        journal: the file of the recording, relative to the checkpoint's folder.
        position: of the last exchange before it; 0 for none.
        parent_id: of the checkpoint before it in the same recording.
        thread_id: the application's own.
        is_complete: whether the application was done.
        metadata: what else the application keeps beside the state.
        exchanges: the replies after it, if the checkpoint has them itself; else None.
        expected: the recorded state after each later iteration, if it has these itself.
        extra: unknown keys of its file.
        path: its file; None if it was not saved.
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
        """Read a checkpoint. Replies that somebody wrote into it are read, too: by node in
        ``mock-responses`` of a file without a format, or in ``next-expected-responses`` of its
        metadata.

        Raises:
            NewerFormatError: it has a later format.
            CheckpointError: it is invalid.
            OSError: the file cannot be read.
        """
        path = Path(path)
        try:
            with open_finite(path) as file:
                return cls(**checkpoint_file.read(json.loads(file.read())), path=path)
        except (NewerFormatError, OSError) as error:
            # Without the frames below, which do not help the author of a test.
            raise error.with_traceback(None) from error.__cause__
        except (ValueError, RecursionError) as error:
            raise CheckpointError(f"{path}: {error}") from None

    def save(self, path: Path | str) -> Path:
        """Write it to a file.

        Raises:
            NotAValueError: the state contains something that cannot be kept.
            OSError: it cannot be written.
        """
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
        """Its recording, if the journal is where it was or among the project's recordings.

        Raises:
            FormatError: the journal is invalid.
            CheckpointError: its name cannot be that of a file.
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
        """The recorded exchanges after it.

        Raises:
            CheckpointError: it has none itself, and its recording cannot be found or read.
        """
        if self.exchanges is not None:
            return list(self.exchanges)
        return self._required_run().after(self.position)

    def parsed(self, position: int) -> object:
        """What the application made of the reply at ``position``, if the checkpoint has that
        itself; else None.
        """
        exchanges = (each for each in self.exchanges or () if each.position == position)
        return next((decode(each.extra.get(PARSED)) for each in exchanges), None)

    def later_states(self, run: Run | None = None) -> dict[int, Any]:
        """The recorded states by iteration, of later checkpoints of its recording or ``run``."""
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
        """This checkpoint with the replies after it, what the application made of them, and the
        later states in it, so that a test can keep its file alone.

        Raises:
            CheckpointError: see ``following``.
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
            raise CheckpointError(f"{self.path or self.id}: it carries no replies, and {where}")
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
    """The checkpoints of a folder, the earliest first, and the errors of those that are invalid."""
    checkpoints, problems = [], []
    for path in files(folder):
        try:
            checkpoints.append(Checkpoint.load(path))
        except (OSError, CheckpointError) as error:
            problems.append(str(error))
        except FormatError as error:
            problems.append(f"{path}: {error}")
    return checkpoints, problems
