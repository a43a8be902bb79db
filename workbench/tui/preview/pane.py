"""What the server sends: both shapes, played, as text or bytes, proved and verified live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label

from workbench.core.apis.chat.wire import DEFAULT_PROFILE, PROFILES, ProfileName
from workbench.session.preview import Preview
from workbench.session.session import Session
from workbench.tui.clipboard import copy
from workbench.tui.messages import StatusChanged
from workbench.tui.preview.playback import AT_ONCE
from workbench.tui.preview.proof_lines import proof_line
from workbench.tui.preview.verify_view import VerificationView
from workbench.tui.preview.views import EnvelopeView, FramesView, PreviewView, ProofView
from workbench.tui.widgets.frame import Framed, tab_line
from workbench.tui.widgets.steady_label import SteadyLabel
from workbench.tui.widgets.styles import MUTED, SUCCESS

SIDE_BY_SIDE_WIDTH = 90


class PreviewPane(Framed, Vertical, can_focus=True):
    """The preview of one draft, in the view that was chosen."""

    class Changed(Message):
        """What its frame says changed, or the state of the digest it shows."""

    class ProfileChanged(Message):
        """The preview is wanted in another profile."""

    BINDING_GROUP_TITLE = "Preview"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p,space", "play", "Play",
                id="preview.play", tooltip="Play or pause: frames come as a client sees them"),
        Binding("left", "step(-1)", show=False, id="preview.back", tooltip="One frame back"),
        Binding("right", "step(1)", show=False, id="preview.on", tooltip="One frame on"),
        Binding("plus,equals_sign", "pace(1)", "Pace", key_display="+ -",
                id="preview.faster", tooltip="Play faster, up to all at once"),
        Binding("minus", "pace(-1)", show=False,
                id="preview.slower", tooltip="Play slower, down to a quarter"),
        Binding("b", "toggle_bytes", "Bytes",
                id="preview.bytes", tooltip="The bytes as sent, or text"),
        Binding("y", "copy", "Copy", id="preview.copy", tooltip="Copy the bytes shown"),
        Binding("o", "profile", "Profile", id="preview.profile", tooltip="The next wire profile"),
        Binding("left_square_bracket", "turn(-1)", show=False,
                id="preview.view_back", tooltip="The view before"),
        Binding("right_square_bracket", "turn(1)", "View", key_display="[ ]",
                id="preview.view", tooltip="The next view: envelope, frames, proof, live"),
        Binding("escape", "stop", show=False,
                id="preview.stop", tooltip="Stop playing or verifying"),
        Binding("up,k", "scroll(-1)", show=False, id="preview.up", tooltip="Up"),
        Binding("down,j", "scroll(1)", show=False, id="preview.down", tooltip="Down"),
        Binding("pageup", "scroll(-10)", show=False, id="preview.page_up", tooltip="Page up"),
        Binding("pagedown", "scroll(10)", show=False, id="preview.page_down", tooltip="Page down"),
        Binding("home", "scroll(-100000000)", show=False, id="preview.top", tooltip="Top"),
        Binding("end", "scroll(100000000)", show=False, id="preview.end", tooltip="End"),
    ]
    # fmt: on

    DEFAULT_CSS = """
    PreviewPane {
        & #views { height: 1; width: 1fr; }
        & #shapes { height: 1fr; }
        & FramesView { border-left: solid $foreground 20%; padding-left: 1; }
        & PreviewView { display: none; }
        & PreviewView.-shown { display: block; }
        &.-narrow FramesView { border: none; padding: 0; }
        & #proof-line {
            height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #proof-line.-told { display: none; }
        & PreviewView.-stale { opacity: 60%; }
    }
    """

    def __init__(self, session: Session, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._preview: Preview | None = None
        self._digest: str | None = None
        self._as_bytes = False
        self._envelope, self._frames = EnvelopeView(), FramesView()
        self._proof, self._verification = ProofView(), VerificationView(session)
        self._chosen: PreviewView = self._envelope
        self.profile: ProfileName = DEFAULT_PROFILE

    def compose(self) -> ComposeResult:
        yield SteadyLabel(id="views")
        with Horizontal(id="shapes"):
            yield self._envelope
            yield self._frames
            yield self._proof
            yield self._verification
        yield SteadyLabel(id="proof-line")

    def on_mount(self) -> None:
        self._choose(self._envelope)

    # Showing

    def show(self, preview: Preview | None, digest: str | None = None) -> None:
        """Show another preview, or that of another digest; None empties the pane. What was played
        was of the one before, and so was what was verified, unless that came first.
        """
        self.set_stale(False)
        if (preview, digest) == (self._preview, self._digest):
            return
        self._preview, self._digest = preview, digest
        if not self._verification.is_of(digest, self.profile):
            self._verification.forget()
        for view in self.query(PreviewView):
            view.show_preview(preview)
        self.query_one("#proof-line", Label).update(proof_line(preview) if preview else "")
        self._choose(self._chosen)

    def set_stale(self, is_stale: bool) -> None:
        """Dim what is shown, because something was typed since, or no longer."""
        for view in self.query(PreviewView):
            view.set_class(is_stale, "-stale")

    def facts(self) -> Content:
        """What stands in the frame."""
        found, playback = self._verification.found, self._frames.playback
        if self._chosen is self._verification and found is not None and found.holds:
            return Content.styled("✓ verified", SUCCESS)
        pace = "at once" if playback.pace == AT_ONCE else f"{playback.pace:g}x"
        state = " playing" if playback.is_playing else "" if playback.is_whole else " paused"
        shape = "bytes" if self._as_bytes else "text"
        if self._is_wide:
            return Content.styled(f"profile {self.profile} · {shape} · pace {pace}{state}", MUTED)
        profile = "" if self.profile == DEFAULT_PROFILE else f"{self.profile} · "
        return Content.styled(f"{profile}{shape} · {pace}{state}", MUTED)

    @property
    def _is_wide(self) -> bool:
        """Whether envelope and frames stand side by side."""
        return self.content_size.width >= SIDE_BY_SIDE_WIDTH

    def on_resize(self) -> None:
        super().on_resize()
        self.set_class(not self._is_wide, "-narrow")
        self._choose(self._chosen)

    def _views(self) -> list[tuple[str, PreviewView]]:
        """What can be chosen now."""
        views: list[tuple[str, PreviewView]] = [
            ("Envelope", self._envelope),
            ("Frames", self._frames),
            ("Proof", self._proof),
        ]
        if self._verification.claim is not None:
            views.append(("Live", self._verification))
        return views

    def _choose(self, view: PreviewView) -> None:
        """Bring a view in view; the first where this one is not to be had any more."""
        views = self._views()
        number = next((n for n, (_, other) in enumerate(views) if other is view), 0)
        self._chosen = views[number][1]
        shapes = (self._envelope, self._frames)
        together = shapes if self._is_wide and self._chosen in shapes else (self._chosen,)
        for other in self.query(PreviewView):
            other.set_class(other in together, "-shown")
            is_chosen = other is self._chosen and len(together) > 1
            if other.is_chosen != is_chosen:
                other.is_chosen = is_chosen
                other.redraw()
        is_told = self._chosen in (self._proof, self._verification)
        self.query_one("#proof-line").set_class(is_told, "-told")
        names = [name for name, _ in views]
        self.query_one("#views", Label).update(tab_line(names, number, action="focused.view"))
        self.tell(self.Changed())

    @on(PreviewView.Changed)
    def _view_changed(self, event: PreviewView.Changed) -> None:
        event.stop()
        self.tell(self.Changed())

    def action_turn(self, by: int) -> None:
        views = [view for _, view in self._views()]
        self._choose(views[(views.index(self._chosen) + by) % len(views)])

    def action_view(self, number: int) -> None:
        self._choose(self._views()[number][1])

    def action_scroll(self, by: int) -> None:
        for view in self.query(PreviewView):
            if view.display:
                view.scroll_relative(y=by, animate=False)

    def action_toggle_bytes(self) -> None:
        self._as_bytes = not self._as_bytes
        for view in self.query(PreviewView):
            view.as_bytes = self._as_bytes
            view.redraw()
        self.tell(self.Changed())

    def action_copy(self) -> None:
        text = self._chosen.copied()
        if text:
            self._say(copy(self.app, self._session.state_folder, text))

    # Playing

    def action_play(self) -> None:
        if self._preview is None:
            return
        if not (self._is_wide and self._chosen is self._envelope):
            self._choose(self._frames)
        if self.app.animation_level == "none":
            self._frames.step(len(self._preview.frames))
            self._say("Motion is off: all frames are shown. ← → go one by one.")
        else:
            self._frames.play()

    def action_step(self, by: int) -> None:
        if not (self._is_wide and self._chosen is self._envelope):
            self._choose(self._frames)
        self._frames.step(by)

    def action_pace(self, by: int) -> None:
        self._frames.change_pace(by)

    # Verifying

    def verify(self, digest: str, payload: Mapping[str, Any] | None) -> None:
        """Compare the draft of a digest with what the server sends now for ``payload``."""
        refused = self._verification.verify(digest, payload, self.profile)
        if refused is not None:
            self._say(refused, "error")
        else:
            self._choose(self._verification)

    def on_verification_view_ended(self, event: VerificationView.Ended) -> None:
        event.stop()
        self._say(event.sentence, event.severity)
        self._choose(self._chosen)

    # The rest

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stop":
            return self._frames.playback.is_playing or self._verification.is_running
        return super().check_action(action, parameters)

    def action_stop(self) -> None:
        """Escape: what goes on stops; only then it leads back."""
        if self._verification.is_running:
            self._verification.forget()
            self._choose(self._chosen)
            self._say("Stopped. v verifies again.")
        else:
            self._frames.play()

    def action_profile(self) -> None:
        names = list(PROFILES)
        self.profile = names[(names.index(self.profile) + 1) % len(names)]
        self._say(f"Profile {self.profile}: as {PROFILES[self.profile].writes_as} writes it.")
        self.tell(self.ProfileChanged())

    def _say(self, text: str, severity: str = "information") -> None:
        self.tell(StatusChanged(text, severity))
