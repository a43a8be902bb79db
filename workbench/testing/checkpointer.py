"""Saving checkpoints while an application runs."""

from __future__ import annotations

import logging
import os
import re
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench.core.runs import Mark
from workbench.testing.checkpoints import SUFFIX, Checkpoint, files, load_folder
from workbench.testing.recording import Recorder, current_mode

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
        self._last: Checkpoint | None = None

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
    ) -> Path | None:
        """Save the state after ``iteration``, and mark the run that is being recorded.

        Returns:
            the file; None where nothing was saved.
        """
        if not self.enabled:
            return None
        try:
            return self._save(state, iteration, step, thread_id, is_complete)
        except Exception as error:
            # Whatever it is: who saves has more to do than this.
            _log.warning("checkpoint of iteration %s not saved: %s", iteration, error)
            return None

    def _save(
        self, state: Any, iteration: int, step: str, thread_id: str, is_complete: bool
    ) -> Path:
        now = datetime.now().astimezone()
        recorder = current_mode()
        run, journal, position = "", "", 0
        if isinstance(recorder, Recorder):
            run, position = recorder.run, recorder.last
            journal = os.path.relpath(recorder.path, self.folder)
        is_next = self._last is not None and self._last.run == run
        checkpoint = Checkpoint(
            id=f"{secrets.token_hex(4)}-{secrets.token_hex(4)}",
            timestamp=now.isoformat("T", "milliseconds"),
            project_id=self.project,
            ds_id=self.ds,
            iteration=iteration,
            state=state,
            step=step,
            run=run,
            journal=journal,
            position=position,
            parent_id=self._last.id if is_next and self._last else "",
            thread_id=thread_id,
            is_complete=is_complete,
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        # No colon: some file systems have none in names.
        stamp = now.strftime("%Y-%m-%dT%H-%M-%S.%f")[:-3]
        path = checkpoint.save(self.folder / f"{stamp}-{checkpoint.id[:8]}{SUFFIX}")
        if isinstance(recorder, Recorder):
            keys = len(state) if isinstance(state, dict) else 0
            recorder.mark(Mark(checkpoint.id, position, iteration, keys, is_complete))
        self._last = checkpoint
        return path

    def files(self) -> list[Path]:
        """The checkpoints, the earliest first."""
        return files(self.folder)

    def load_all(self) -> tuple[list[Checkpoint], list[str]]:
        """All checkpoints, the earliest first, and what could not be read, one sentence each."""
        return load_folder(self.folder)

    def latest(self) -> Checkpoint | None:
        """The one saved last; None where there is none that can be read."""
        found, _ = self.load_all()
        return found[-1] if found else None

    def at_iteration(self, iteration: int) -> Checkpoint:
        """The latest checkpoint of an iteration. Raises LookupError where there is none."""
        found, _ = self.load_all()
        same = [checkpoint for checkpoint in found if checkpoint.iteration == iteration]
        if not same:
            known = ", ".join(sorted({str(c.iteration) for c in found}, key=int)) or "none"
            raise LookupError(f"no checkpoint of iteration {iteration}; there are: {known}")
        return same[-1]


def _safe(name: str) -> str:
    """``name`` as the name of a folder, never one that leads elsewhere."""
    return _UNSAFE.sub("-", name).strip(".-") or "unnamed"
