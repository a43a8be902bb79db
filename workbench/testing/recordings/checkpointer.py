"""Saves checkpoints while an application runs."""

from __future__ import annotations

import logging
import operator
import os
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from workbench.core.recordings.exchanges import CheckpointMark
from workbench.testing.arguments import (
    require,
    require_flags,
    require_path,
    require_text,
    require_whole_number,
)
from workbench.testing.recordings.checkpoints import SUFFIX, Checkpoint, files, load_folder
from workbench.testing.recordings.modes import RecordingPosition, current_mode
from workbench.testing.recordings.run import Run

__tracebackhide__ = True  # failed tests show their own frames

_log = logging.getLogger("workbench.checkpoints")
# Separators, and characters that some system does not allow in names.
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


class Checkpointer:
    """Saves the state of an application to ``<root>/<project>/<part>/<timestamp>-<id8>.json``, if
    it is enabled. If a save fails, the error is logged and the application continues::

        checkpointer = Checkpointer("checkpoints", "interview", enabled=True)
        with Run.record("interview"):
            for iteration in range(3):
                state = step(state)
                checkpointer.save(state, iteration + 1)

    Args:
        root: folder, which is created with the first checkpoint.
        project: name of the project.
        part: part of the project, such as one conversation.
        enabled: save checkpoints. If False, ``save`` does nothing.
        ds: another name of the argument ``part``.

    Attributes:
        folder: folder of the checkpoints.
        project, part, enabled: see the arguments.

    Raises:
        TypeError: an argument has the wrong type.
    """

    def __init__(
        self,
        root: Path | str,
        project: str,
        part: str = "default",
        *,
        enabled: bool = False,
        ds: str | None = None,
    ) -> None:
        require_path("Checkpointer", "root", root, "the path of a folder")
        self.project = project
        self.part = part if ds is None else ds
        require_text("Checkpointer", "project", self.project)
        require_text("Checkpointer", "part", self.part)
        require_flags("Checkpointer", enabled=enabled)
        self.folder = Path(root) / _safe(self.project) / _safe(self.part)
        self.enabled = enabled
        # The id of the last checkpoint, by the id of its recording.
        self._last: dict[str, str] = {}
        self._saved_at = datetime.min.replace(tzinfo=UTC)

    def enable(self) -> None:
        """Turn saving on."""
        self.enabled = True

    def disable(self) -> None:
        """Turn saving off."""
        self.enabled = False

    def save(
        self,
        state: Any,
        iteration: int,
        *,
        step: str = "",
        thread_id: str = "",
        is_complete: bool = False,
        metadata: Mapping[str, Any] | None = None,
    ) -> Path | None:
        """Save the state after ``iteration``, and mark it in the current recording.

        A replay saves nothing, so a step may save its own checkpoints. A replay with ``live=True``
        saves new checkpoints in the recording to which it adds calls.

        Args:
            state: JSON values, dates, tuples, pydantic models and dataclasses.
            iteration: number of steps so far.
            step: the last step, in words.
            thread_id: ID of your own.
            is_complete: True if the application is done.
            metadata: further values to keep with the state.

        Returns:
            The file, or None if nothing was saved.
        """
        if not self.enabled:
            return None
        try:
            return self._save(
                iteration=operator.index(iteration),
                state=state,
                step=step,
                thread_id=thread_id,
                is_complete=is_complete,
                metadata=metadata or {},
            )
        except Exception as error:
            # The application must not fail because of any error here.
            _log.warning("The checkpoint of iteration %s was not saved: %s", iteration, error)
            return None

    def _save(
        self, *, iteration: int, state: Any, is_complete: bool, **attributes: Any
    ) -> Path | None:
        mode = current_mode()
        place = mode.place(iteration) if mode is not None else RecordingPosition()
        if place is None:
            return None
        # Later than the last save, since files are sorted by the time.
        now = datetime.now().astimezone()
        saved_at = max(now, self._saved_at + timedelta(milliseconds=1))
        self._saved_at = saved_at
        checkpoint = Checkpoint(
            id=f"{secrets.token_hex(4)}-{secrets.token_hex(4)}",
            timestamp=saved_at.isoformat("T", "milliseconds"),
            project_id=self.project,
            ds_id=self.part,
            iteration=iteration,
            state=state,
            is_complete=is_complete,
            run=place.run,
            journal=os.path.relpath(place.journal, self.folder) if place.journal else "",
            position=place.position,
            parent_id=place.parent or self._last.get(place.run, ""),
            **attributes,
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        # Some file systems do not allow a colon.
        stamp = saved_at.strftime("%Y-%m-%dT%H-%M-%S.%f")[:-3]
        path = checkpoint.save(self.folder / f"{stamp}-{checkpoint.id[:8]}{SUFFIX}")
        self._last[place.run] = checkpoint.id
        if mode is not None:
            keys = len(state) if isinstance(state, dict) else 0
            at = checkpoint.position
            mode.mark(CheckpointMark(checkpoint.id, at, iteration, keys, is_complete))
        return path

    def files(self) -> list[Path]:
        """Return the files of all checkpoints, the earliest first."""
        return files(self.folder)

    def load_all(self) -> tuple[list[Checkpoint], list[str]]:
        """Read all checkpoints.

        Returns:
            The checkpoints, the earliest first, and an error message for each invalid file.
        """
        return load_folder(self.folder)

    def latest(self, run: Run | None = None) -> Checkpoint | None:
        """Return the last checkpoint, or None.

        Args:
            run: return only a checkpoint of this recording.

        Raises:
            TypeError: ``run`` is not a ``Run``.
        """
        checkpoints = self._of("Checkpointer.latest", run)
        return checkpoints[-1] if checkpoints else None

    def at_iteration(self, iteration: int, run: Run | None = None) -> Checkpoint:
        """Return the last checkpoint of an iteration.

        Args:
            iteration: number of the iteration.
            run: return only a checkpoint of this recording. A recording and its forks have
                checkpoints of the same iteration.

        Raises:
            LookupError: there is no such checkpoint.
            TypeError: an argument has the wrong type.
            ValueError: ``iteration`` is below 0.
        """
        require_whole_number("Checkpointer.at_iteration", "iteration", iteration, 0)
        checkpoints = self._of("Checkpointer.at_iteration", run)
        same = [checkpoint for checkpoint in checkpoints if checkpoint.iteration == iteration]
        if not same:
            iterations = ", ".join(map(str, sorted({c.iteration for c in checkpoints}))) or "none"
            raise LookupError(
                f"no checkpoint of iteration {iteration} in {self.folder} "
                f"(iterations with a checkpoint: {iterations})"
            )
        return same[-1]

    def _of(self, function: str, run: Run | None) -> list[Checkpoint]:
        require(function, "run", run, (Run, type(None)), "a Run")
        checkpoints, _ = self.load_all()
        return [each for each in checkpoints if run is None or each.run == run.id]


def _safe(name: str) -> str:
    """``name`` as the name of a folder that cannot lead elsewhere."""
    return _UNSAFE.sub("-", name).strip(".-") or "unnamed"
