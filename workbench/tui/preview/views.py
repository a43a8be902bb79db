"""The shapes of a preview, each a view of lines that are laid out while it is in view."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from textual.constants import MAX_FPS
from textual.message import Message
from textual.timer import Timer

from workbench.session.preview import Preview
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.line_view import LineView
from workbench.tui.post_to_ancestors import Telling
from workbench.tui.preview.lines import envelope_lines, frame_lines, raw_envelope_lines
from workbench.tui.preview.playback import PACES, Playback, arrivals
from workbench.tui.preview.proof_lines import proof_report


class PreviewView(LineView, Telling):
    """Shows something of a preview, for the width there is.

    Attributes:
        as_bytes: show bytes, not text.
        is_chosen: this one of two side by side is meant by what is asked for.
    """

    DEFAULT_CSS = "PreviewView { width: 1fr; }"

    class Changed(Message):
        """What is to be said of it changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.preview: Preview | None = None
        self.as_bytes = False
        self.is_chosen = False
        self._laid_for = 0

    def show_preview(self, preview: Preview | None) -> None:
        """Show another preview; None empties the view."""
        self.preview = preview
        self.redraw()

    def lay(self, preview: Preview, width: int) -> Iterable[Line]:
        """The lines for ``width``."""
        raise NotImplementedError

    def copied(self) -> str:
        """What is shown, whole, as text to copy."""
        return "\n".join(line.plain for line in self.complete())

    def redraw(self) -> None:
        """Lay out anew what is in view; what is not waits until it is."""
        self._laid_for = 0
        if self.is_on_screen:
            self._lay()

    def on_show(self) -> None:
        self._lay_if_needed()

    def on_resize(self) -> None:
        self._lay_if_needed()

    def _lay_if_needed(self) -> None:
        if self._laid_for != self._width:
            self._lay()

    @property
    def _width(self) -> int:
        """The room for lines, the column of a scroll bar left free."""
        return max(self.content_size.width - 1, 1)

    def _lay(self) -> None:
        self._laid_for = self._width
        lines = () if self.preview is None else self.lay(self.preview, self._width)
        self.show(lines, keep_place=True)


class EnvelopeView(PreviewView):
    """The body of a plain reply."""

    def lay(self, preview: Preview, width: int) -> Iterable[Line]:
        if self.as_bytes:
            return raw_envelope_lines(preview, width, chosen=self.is_chosen)
        return envelope_lines(preview, width, chosen=self.is_chosen)

    def copied(self) -> str:
        return _text(self.preview.envelope) if self.preview else ""


class FramesView(PreviewView):
    """The frames of a stream, all of them or those that a client would have by now."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.playback = Playback()
        self._awaiting: Timer | None = None

    def show_preview(self, preview: Preview | None) -> None:
        self._await_none()
        times = arrivals(preview.frames, preview.delivery.chunk_delay_ms) if preview else []
        self.playback = Playback(times, self.playback.pace)
        super().show_preview(preview)

    def lay(self, preview: Preview, width: int) -> Iterable[Line]:
        return frame_lines(
            preview, self.playback, width, as_bytes=self.as_bytes, chosen=self.is_chosen
        )

    def copied(self) -> str:
        if self.preview is None:
            return ""
        if self.playback.is_whole:
            return _text(self.preview.stream)
        return _text(b"".join(f.data for f in self.preview.frames[: self.playback.shown]))

    # Playing. A timer runs only while frames are awaited, and only to the next one.

    def play(self) -> None:
        """Play or pause."""
        if self.playback.is_playing:
            self.playback.pause(monotonic())
        else:
            self.playback.play(monotonic())
        self._go_on()

    def step(self, by: int) -> None:
        """Pause so many frames on, or back."""
        self.playback.step(by)
        self._go_on()

    def change_pace(self, by: int) -> None:
        place = min(max(PACES.index(self.playback.pace) + by, 0), len(PACES) - 1)
        self.playback.set_pace(PACES[place], monotonic())
        self._go_on()

    def _go_on(self) -> None:
        self._await_none()
        self.playback.advance(monotonic())
        wait = self.playback.wait()
        if wait is not None:
            self._awaiting = self.set_timer(max(wait, 1 / MAX_FPS), self._go_on)
        self.redraw()
        self.tell(self.Changed())

    def _await_none(self) -> None:
        if self._awaiting is not None:
            self._awaiting.stop()
            self._awaiting = None


class ProofView(PreviewView):
    """What was compared, and what a client has in the end."""

    def lay(self, preview: Preview, width: int) -> Iterable[Line]:
        return proof_report(preview, width)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
