"""Work beside the keys that fails in a way nobody foresaw."""

from __future__ import annotations

from textual.worker import Worker, WorkerState

from workbench.tui.messages import StatusChanged
from workbench.tui.post_to_ancestors import Telling


class TellsFailures(Telling):
    """A widget that says so when one of its workers fails: else what it was to show would be
    waited for.
    """

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        event.stop()
        if event.state == WorkerState.ERROR:
            error = event.worker.error
            self.tell(StatusChanged(f"Not done: {type(error).__name__}: {error}.", "error"))
