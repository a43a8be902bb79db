"""Checkpoints: an application's state at a position of its run, as files that people can read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from workbench.core.digest import json_type
from workbench.core.models import checked
from workbench.core.runs import lines
from workbench.core.runs.exchanges import Exchange, NewerFormatError, RunFormatError
from workbench.io.atomic import write_atomic
from workbench.io.regular import open_named
from workbench.testing.runs import written_replies
from workbench.testing.runs.run import Run
from workbench.testing.runs.values import decode, encode
from workbench.testing.runs.written_replies import PARSED

FORMAT: Final = 1
SUFFIX: Final = ".json"


class CheckpointError(ValueError):
    """A checkpoint that cannot be read; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A position in a run plus the application's state there.

    Attributes:
        iteration: how many steps were done.
        state: the application's, as it was given; loaded from a file it has lists for tuples and
            dicts for pydantic models and dataclasses.
        step: what was done last, in words.
        run: the id of the run it belongs to; "" where none was recorded.
        position: the last exchange before it; 0 for none.
        parent_id: of the checkpoint before it in the same run.
        thread_id: the application's own, if it has one.
        metadata: what else the application keeps beside the state.
        exchanges: the replies that follow, where the checkpoint carries them itself; else None.
        expected: the recorded state after each later iteration, where it carries these.
        path: its file; None for one that was not saved.
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
        """Read a checkpoint. Replies that were written into it by hand are read, too: by node in
        ``mock-responses`` of a file without a format, or in ``next-expected-responses`` of its
        metadata.

        Raises:
            NewerFormatError: it is of a later format.
            CheckpointError: it cannot be read.
            OSError: the file cannot.
        """
        path = Path(path)
        try:
            with open_named(path) as file:
                value = json.loads(file.read())
            if not isinstance(value, dict):
                raise CheckpointError(f"it is {json_type(value)}, not an object")
            return replace(_read(_migrated(value)), path=path)
        except NewerFormatError:
            raise
        except (ValueError, RecursionError) as error:
            raise CheckpointError(f"{path}: {error}") from None

    def recorded_run(self) -> Run | None:
        """The run it belongs to, if its journal is where it was or among the project's runs.

        Raises:
            RunFormatError: the journal cannot be read.
            CheckpointError: nor looked for, by what is said of it.
        """
        key = "journal"
        try:
            if self.journal and self.path is not None:
                beside = self.path.parent / self.journal
                if beside.is_file():
                    return Run(beside)
            key = "id"
            return Run.load(self.run) if self.run else None
        except LookupError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise CheckpointError(f"{self.path or self.id}: run.{key}: {reason}") from None

    def following(self) -> list[Exchange]:
        """The recorded exchanges behind it.

        Raises:
            CheckpointError: it carries none and its run cannot be found or read.
        """
        if self.exchanges is not None:
            return list(self.exchanges)
        return self._its_run().after(self.position)

    def parsed(self, position: int) -> object:
        """What the application made of the reply at ``position``, where the checkpoint carries
        that; else None.
        """
        for exchange in self.exchanges or ():
            if exchange.position == position:
                return decode(exchange.extra.get(PARSED))
        return None

    def later_states(self, run: Run | None = None) -> dict[int, Any]:
        """The recorded state by iteration, of the later checkpoints of its run, or of ``run``."""
        wanted = self.run if run is None else run.id
        if wanted == self.run and self.expected:
            return dict(self.expected)
        if not wanted or self.path is None:
            return {}
        found = {}
        for other in load_folder(self.path.parent)[0]:
            if other.run == wanted and other.iteration > self.iteration:
                found[other.iteration] = other.state
        return found

    def bundled(self) -> Checkpoint:
        """This checkpoint with the replies that follow, what the application made of them, and the
        later states in it: a file of its own that a test can keep.

        Raises:
            CheckpointError: as ``following``.
        """
        exchanges = self.exchanges
        if exchanges is None:
            run = self._its_run()
            exchanges = tuple(_with_parsed(each, run) for each in run.after(self.position))
        return replace(self, exchanges=exchanges, expected=self.later_states(), journal="")

    def _its_run(self) -> Run:
        run = self.recorded_run()
        if run is None:
            where = f"its run {self.run} was not found" if self.run else "it belongs to no run"
            raise CheckpointError(f"{self.path or self.id}: it carries no replies, and {where}")
        return run

    def save(self, path: Path | str) -> Path:
        """Write it to a file.

        Raises:
            NotAValueError: the state holds what cannot be kept.
            OSError: as the system says.
        """
        text = json.dumps(_value(self), ensure_ascii=False, indent=2)
        write_atomic(Path(path), text.encode("utf-8", "backslashreplace") + b"\n")
        return Path(path)


def files(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the earliest first."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if not path.name.startswith("."))


def load_folder(folder: Path) -> tuple[list[Checkpoint], list[str]]:
    """The checkpoints of a folder, the earliest first, and what could not be read, one sentence
    each.
    """
    found, problems = [], []
    for path in files(folder):
        try:
            found.append(Checkpoint.load(path))
        except (OSError, CheckpointError) as error:
            problems.append(str(error))
        except RunFormatError as error:
            problems.append(f"{path}: {error}")
    return found, problems


def _value(checkpoint: Checkpoint) -> dict[str, Any]:
    value: dict[str, Any] = {
        "format": FORMAT,
        "id": checkpoint.id,
        "timestamp": checkpoint.timestamp,
        "project_id": checkpoint.project_id,
        "ds_id": checkpoint.ds_id,
        "iteration": checkpoint.iteration,
        "complete": checkpoint.is_complete,
        "parent_id": checkpoint.parent_id,
        "thread_id": checkpoint.thread_id,
        "run": {
            "id": checkpoint.run,
            "journal": checkpoint.journal,
            "position": checkpoint.position,
        },
        "metadata": {"step": checkpoint.step, **encode(checkpoint.metadata, "metadata")},
        **checkpoint.extra,
        "state": encode(checkpoint.state, "state"),
    }
    if checkpoint.exchanges is not None:
        value["exchanges"] = [json.loads(lines.line(e)) for e in checkpoint.exchanges]
    if checkpoint.expected:
        value["expected"] = {
            str(iteration): encode(state, f"expected.{iteration}")
            for iteration, state in checkpoint.expected.items()
        }
    return value


@dataclass(slots=True)
class _Place:
    """Where in a run a checkpoint was saved, as its file says it."""

    id: str | None = None
    journal: str | None = None
    position: int | None = None


@dataclass(slots=True)
class _File:
    """The keys of a checkpoint's file that are known here, as it has them."""

    # People write checkpoints by hand, with numbers for ids.
    __pydantic_config__: ClassVar[dict[str, bool]] = {"coerce_numbers_to_str": True}

    id: str
    timestamp: str
    project_id: str
    ds_id: str
    iteration: int
    state: Any
    run: _Place | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    complete: bool | None = None
    metadata: dict[str, Any] | None = None
    exchanges: list[dict[str, Any]] | None = None
    expected: dict[int, Any] | None = None


_KEYS: Final = {each.name for each in fields(_File)}


def _read(value: dict[str, Any]) -> Checkpoint:
    file = checked(_File, {key: item for key, item in value.items() if key in _KEYS})
    run = file.run or _Place()
    metadata = dict(file.metadata or {})
    records = [lines.parse(json.dumps(record).encode()) for record in file.exchanges or ()]
    exchanges = [record for record in records if isinstance(record, Exchange)]
    exchanges += written_replies.expected(metadata, exchanges)
    return Checkpoint(
        id=file.id,
        timestamp=file.timestamp,
        project_id=file.project_id,
        ds_id=file.ds_id,
        iteration=file.iteration,
        state=decode(file.state),
        step=str(metadata.pop("step", "")),
        run=_file_name("id", run.id),
        journal=_file_name("journal", run.journal),
        position=run.position or 0,
        parent_id=file.parent_id or "",
        thread_id=file.thread_id or "",
        is_complete=bool(file.complete),
        metadata=decode(metadata),
        exchanges=tuple(exchanges) if exchanges or file.exchanges is not None else None,
        expected={number: decode(state) for number, state in (file.expected or {}).items()},
        extra={k: v for k, v in value.items() if k not in _KEYS and k != "format"},
    )


def _with_parsed(exchange: Exchange, run: Run) -> Exchange:
    made = run.parsed(exchange.position)
    if made is None:
        return exchange
    return replace(exchange, extra={**exchange.extra, PARSED: encode(made)})


def _file_name(key: str, name: str | None) -> str:
    """What is said of a run's file."""
    name = name or ""
    try:
        is_name = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise CheckpointError(f"run.{key}: {json.dumps(name)} can be no file's name")
    return name


def _migrated(value: dict[str, Any]) -> dict[str, Any]:
    """``value`` in the format of today."""
    found = value.get("format", 0)
    if not isinstance(found, int) or isinstance(found, bool):
        raise CheckpointError(f"format is {json_type(found)}, not a number")
    if found > FORMAT:
        raise NewerFormatError(found, FORMAT)
    for migrate in _MIGRATIONS[found:]:
        value = migrate(value)
    return value


_MIGRATIONS: Final = [written_replies.migrated]
