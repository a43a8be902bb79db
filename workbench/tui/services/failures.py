"""Work beside the keys that fails in a way nobody foresaw."""

from __future__ import annotations

from textual.worker import Worker, WorkerState

from workbench.tui.messages import StatusChanged
from workbench.tui.post_to_ancestors import Telling


def tell_failure(widget: Telling, event: Worker.StateChanged) -> None:
    """Say that a worker of ``widget`` failed: else its result would be waited for."""
    event.stop()
    if event.state == WorkerState.ERROR:
        error = event.worker.error
        widget.tell(StatusChanged(f"Not done: {type(error).__name__}: {error}.", "error"))


class TellsFailures(Telling):
    """A widget that says so when one of its workers fails."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        tell_failure(self, event)
