"""Saving checkpoints while an application runs."""

from __future__ import annotations

import logging
import operator
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workbench.core.runs.exchanges import Mark
from workbench.testing.runs.checkpoints import SUFFIX, Checkpoint, files, load_folder
from workbench.testing.runs.modes import Mode, RunPosition, current_mode
from workbench.testing.runs.run import Run

_log = logging.getLogger("workbench.checkpoints")
# What a folder cannot be called on some system, and the separators.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Checkpointer:
    """Saves checkpoints to ``<root>/<project>/<ds>/<timestamp>-<id8>.json``, once it is switched
    on. A save that fails is logged and never breaks the run.

    Args:
        project: what is being worked on.
        ds: the part of it, a data structure or a conversation.
    """

    def __init__(
        self, root: Path | str, project: str, ds: str = "default", *, enabled: bool = False
    ) -> None:
        self.folder = Path(root) / _safe(project) / _safe(ds)
        self.project = project
        self.ds = ds
        self.enabled = enabled
        # The id of the checkpoint saved last, by the run that was recorded.
        self._last: dict[str, str] = {}
        self._saved_at = datetime.min.replace(tzinfo=UTC)

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
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
        """Save the state after ``iteration``, and mark the run that is being recorded.

        In a replay nothing is saved, so that a step may save its own checkpoints. In one that goes
        on with live calls they are saved as checkpoints of the run that is continued, but for those
        it has already.

        Args:
            step: what was done last, in words.
            metadata: more that the application wants to keep beside the state.

        Returns:
            the file; None where nothing was saved.
        """
        if not self.enabled:
            return None
        try:
            mode = current_mode()
            place = mode.place(iteration) if mode is not None else None
            if mode is not None and place is None:
                return None
            checkpoint = Checkpoint(
                id=f"{secrets.token_hex(4)}-{secrets.token_hex(4)}",
                timestamp=self._now().isoformat("T", "milliseconds"),
                project_id=self.project,
                ds_id=self.ds,
                iteration=operator.index(iteration),
                state=state,
                step=step,
                thread_id=thread_id,
                is_complete=is_complete,
                metadata=metadata or {},
            )
            return self._save(checkpoint, mode, place)
        except Exception as error:
            # Whatever it is: who saves has more to do than this.
            _log.warning("checkpoint of iteration %s not saved: %s", iteration, error)
            return None

    def _now(self) -> datetime:
        """The local time, later than that of the save before: files are sorted by it."""
        now = datetime.now().astimezone()
        self._saved_at = max(now, self._saved_at + timedelta(milliseconds=1))
        return self._saved_at

    def _save(self, checkpoint: Checkpoint, mode: Mode | None, place: RunPosition | None) -> Path:
        run = place.run if place is not None else ""
        checkpoint = replace(checkpoint, run=run, parent_id=self._last.get(run, ""))
        if place is not None:
            checkpoint = replace(
                checkpoint,
                journal=os.path.relpath(place.journal, self.folder),
                position=place.position,
                parent_id=place.parent or checkpoint.parent_id,
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        # No colon: some file systems have none in names.
        stamp = datetime.fromisoformat(checkpoint.timestamp).strftime("%Y-%m-%dT%H-%M-%S.%f")[:-3]
        path = checkpoint.save(self.folder / f"{stamp}-{checkpoint.id[:8]}{SUFFIX}")
        self._last[run] = checkpoint.id
        if mode is not None:
            state = checkpoint.state
            mode.mark(
                Mark(
                    checkpoint=checkpoint.id,
                    after=checkpoint.position,
                    iteration=checkpoint.iteration,
                    state_keys=len(state) if isinstance(state, dict) else 0,
                    is_complete=checkpoint.is_complete,
                )
            )
        return path

    def files(self) -> list[Path]:
        """The checkpoints, the earliest first."""
        return files(self.folder)

    def load_all(self) -> tuple[list[Checkpoint], list[str]]:
        """All checkpoints, the earliest first, and what could not be read, one sentence each."""
        return load_folder(self.folder)

    def latest(self, run: Run | None = None) -> Checkpoint | None:
        """The one saved last, of ``run`` where that is given; None where there is none that can be
        read.
        """
        found = self._of(run)
        return found[-1] if found else None

    def at_iteration(self, iteration: int, run: Run | None = None) -> Checkpoint:
        """The latest checkpoint of an iteration, of ``run`` where that is given: a run and its
        forks have one each. Raises LookupError where there is none.
        """
        found = self._of(run)
        same = [checkpoint for checkpoint in found if checkpoint.iteration == iteration]
        if not same:
            known = ", ".join(sorted({str(c.iteration) for c in found}, key=int)) or "none"
            raise LookupError(f"no checkpoint of iteration {iteration}; there are: {known}")
        return same[-1]

    def _of(self, run: Run | None) -> list[Checkpoint]:
        found, _ = self.load_all()
        return [each for each in found if run is None or each.run == run.id]


def _safe(name: str) -> str:
    """``name`` as the name of a folder, never one that leads elsewhere."""
    return _UNSAFE.sub("-", name).strip(".-") or "unnamed"
