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
from workbench.testing.recordings.checkpoints import SUFFIX, Checkpoint, files, load_folder
from workbench.testing.recordings.modes import RecordingPosition, current_mode
from workbench.testing.recordings.run import Run

__tracebackhide__ = True  # failed tests show their own frames

_log = logging.getLogger("workbench.checkpoints")
# Separators, and characters that some system does not allow in names.
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


class Checkpointer:
    """Saves checkpoints to ``<root>/<project>/<ds>/<timestamp>-<id8>.json``, once it is enabled. A
    save that fails is logged and never ends the application.

    Args:
        root: a folder, which need not exist.
        project: what is being worked on.
        ds: the part of it, such as a data structure or a conversation.
        enabled: whether ``save`` saves anything.
    """

    def __init__(
        self, root: Path | str, project: str, ds: str = "default", *, enabled: bool = False
    ) -> None:
        self.folder = Path(root) / _safe(project) / _safe(ds)
        self.project = project
        self.ds = ds
        self.enabled = enabled
        # The id of the last checkpoint, by the id of its recording.
        self._last: dict[str, str] = {}
        self._saved_at = datetime.min.replace(tzinfo=UTC)

    def enable(self) -> None:
        """Save from now on."""
        self.enabled = True

    def disable(self) -> None:
        """Save nothing from now on."""
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
        """Save the state after ``iteration``, and mark it in the recording that is being made.

        In a replay nothing is saved, so that a step may save its own checkpoints. In a replay that
        goes on with live calls they are saved as checkpoints of the recording that goes on, except
        those that it has already.

        Args:
            step: what was done last, in words.
            metadata: what else the application keeps beside the state.

        Returns:
            the file; None if nothing was saved.
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
            # Whatever it is, the application must not fail because of it.
            _log.warning("checkpoint of iteration %s not saved: %s", iteration, error)
            return None

    def _save(self, *, iteration: int, state: Any, is_complete: bool, **given: Any) -> Path | None:
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
            ds_id=self.ds,
            iteration=iteration,
            state=state,
            is_complete=is_complete,
            run=place.run,
            journal=os.path.relpath(place.journal, self.folder) if place.journal else "",
            position=place.position,
            parent_id=place.parent or self._last.get(place.run, ""),
            **given,
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
        """The checkpoints, the earliest first."""
        return files(self.folder)

    def load_all(self) -> tuple[list[Checkpoint], list[str]]:
        """All checkpoints, the earliest first, and the errors of those that are invalid."""
        return load_folder(self.folder)

    def latest(self, run: Run | None = None) -> Checkpoint | None:
        """The last one, of ``run`` if that is given; None if there is none that can be read."""
        checkpoints = self._of(run)
        return checkpoints[-1] if checkpoints else None

    def at_iteration(self, iteration: int, run: Run | None = None) -> Checkpoint:
        """The last checkpoint of an iteration, of ``run`` if that is given: a recording and its
        forks have one each. Raises LookupError if there is none.
        """
        checkpoints = self._of(run)
        same = [checkpoint for checkpoint in checkpoints if checkpoint.iteration == iteration]
        if not same:
            iterations = ", ".join(map(str, sorted({c.iteration for c in checkpoints}))) or "none"
            raise LookupError(f"no checkpoint of iteration {iteration}; there are: {iterations}")
        return same[-1]

    def _of(self, run: Run | None) -> list[Checkpoint]:
        checkpoints, _ = self.load_all()
        return [each for each in checkpoints if run is None or each.run == run.id]


def _safe(name: str) -> str:
    """``name`` as the name of a folder that cannot lead elsewhere."""
    return _UNSAFE.sub("-", name).strip(".-") or "unnamed"
