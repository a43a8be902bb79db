"""Preview of the server's reply: both shapes, with playback, as text or bytes, compared and
verified live.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any, ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.constants import MAX_FPS
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from workbench.core.apis.table import CHAT, api_of
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.replies.response import RESPONSE, requests_of
from workbench.session.preview.live_check import LiveCheck
from workbench.session.preview.preview import Preview
from workbench.session.preview.verify import Claim
from workbench.session.session import Session
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.line_view import LineView
from workbench.tui.preview.playback import AT_ONCE, PACES, Playback, arrivals
from workbench.tui.preview.preview_lines import envelope_lines, frame_lines
from workbench.tui.preview.proof_lines import proof_line, proof_report
from workbench.tui.preview.verify_lines import (
    verification_lines,
    verification_text,
    verifying_lines,
)
from workbench.tui.widgets.copying import characters_of, copy
from workbench.tui.widgets.frame import Framed, scroll_keys, tab_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.status import say
from workbench.tui.widgets.styles import MUTED, SUCCESS

SIDE_BY_SIDE_WIDTH = 90
STALE_OPACITY = 0.6
# The views by id; the first two can be side by side.
ENVELOPE, FRAMES, PROOF, LIVE = VIEWS = ("envelope", "frames", "proof", "live")
TITLES: Final = {ENVELOPE: "Envelope", FRAMES: "Stream", PROOF: "Client", LIVE: "Live"}
SHAPES: Final = (ENVELOPE, FRAMES)


class PreviewPane(Framed, Vertical, can_focus=True):
    """The preview of one draft, in one of its views or two side by side.

    Attributes:
        playback: which frames of the stream have arrived.
        live: the verification against the server.
    """

    class ProfileChanged(Message):
        """A preview in another profile is needed."""

    class Verified(Message):
        """The server's reply was compared with the preview, or could not be."""

    label = "Preview"
    EMPTY = "What the server will send is shown here."
    BINDING_GROUP_TITLE = "Preview"
    HELP = "What the server will send: whole, streamed, and as a client reads the stream."
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p,space", "play", "Play",
                id="preview.play", tooltip="Play or pause: frames come as a client sees them"),
        Binding("left", "step(-1)", "Previous frame", show=False,
                id="preview.back", tooltip="One frame back"),
        Binding("right", "step(1)", "Next frame", show=False,
                id="preview.on", tooltip="One frame on"),
        Binding("plus,equals_sign", "pace(1)", "Faster", show=False,
                id="preview.faster", tooltip="Play faster, up to all at once"),
        Binding("minus", "pace(-1)", "Slower", show=False,
                id="preview.slower", tooltip="Play slower, down to a quarter"),
        Binding("b", "toggle_bytes", "Bytes",
                id="preview.bytes", tooltip="Show the bytes as sent, or text"),
        Binding("y", "copy", "Copy", id="preview.copy", tooltip="Copy the bytes shown"),
        Binding("o", "profile", "Profile", show=False,
                id="preview.profile", tooltip="The next wire profile"),
        Binding("left_square_bracket", "turn(-1)", "Previous view", show=False,
                id="preview.view_back", tooltip="The previous view"),
        Binding("right_square_bracket", "turn(1)", "View", key_display="[ ]",
                id="preview.view", tooltip="The next view: envelope, stream, client, live"),
        Binding("escape", "stop", "Stop", show=False,
                id="preview.stop", tooltip="Stop playing or verifying"),
        *scroll_keys("preview", page_down="pagedown"),
    ]
    # fmt: on

    DEFAULT_CSS = """
    PreviewPane {
        & #views { height: 1; width: 1fr; }
        & #shapes { height: 1fr; }
        & LineView { width: 1fr; display: none; }
        & LineView.-shown { display: block; }
        & #frames { border-left: solid $foreground 20%; padding-left: 1; }
        &.-narrow #frames { border: none; padding: 0; }
        & #proof-line {
            height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #proof-line.-hidden { display: none; }
    }
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._preview: Preview | None = None
        self._digest: str | None = None
        self._as_bytes = False
        self._chosen = ENVELOPE
        self._tabs = SteadyLabel(id="views")
        self._views = {name: LineView(id=name) for name in VIEWS}
        self._shapes = Horizontal(*self._views.values(), id="shapes")
        self._proof_line = SteadyLabel(id="proof-line")
        self._play_timer: Timer | None = None
        self._session = session
        self._other_profile: ProfileName | None = None
        self.playback = Playback()
        self.live = LiveCheck(session)

    @property
    def profile(self) -> ProfileName:
        """That of the preview: the server's, or another that was chosen to compare."""
        return self._other_profile or self._session.server.profile

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield self._shapes
        yield self._proof_line

    def on_mount(self) -> None:
        self._update()

    # Showing

    def show(self, preview: Preview | None, digest: str | None = None) -> None:
        """Show another preview, or the preview of another digest; None empties the pane. Playback
        starts over, and a verification of anything else is dropped.
        """
        self.set_stale(False)
        if (preview, digest) == (self._preview, self._digest):
            return
        self._preview, self._digest = preview, digest
        if self.live.claim is not None and not self.live.is_about(digest, self.profile):
            self._forget_verification()
        times = arrivals(preview.frames, preview.delivery.chunk_delay_ms) if preview else []
        self.playback = Playback(times, self.playback.pace)
        self._stop_play_timer()
        self._update()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the preview while an edit is being checked, or not dimmed."""
        # Not by a CSS class, which would look up the styles of every view with every key.
        self._shapes.styles.opacity = STALE_OPACITY if is_stale else 1.0

    def _update(self) -> None:
        """Draw everything again. The chosen view is the first where it is not available any
        more.
        """
        if self._chosen not in self._names:
            self._chosen = ENVELOPE
        is_shape = self._chosen in SHAPES
        self.set_empty(self._preview is None and self.live.claim is None)
        self.set_class(not self._is_wide, "-narrow")
        for name, view in self._views.items():
            together = is_shape and self._is_wide and name in SHAPES
            view.set_class(together or name == self._chosen, "-shown")
            self._redraw(name)
        self._proof_line.set_class(not is_shape, "-hidden")
        preview, width = self._preview, self.content_size.width
        has_proof = preview is not None and not (preview.to_fill or preview.is_empty)
        self._proof_line.update(proof_line(preview, width) if preview and has_proof else "")
        titles = [TITLES[name] for name in self._names]
        tabs = tab_line(titles, self._names.index(self._chosen), action="focused.view")
        self._tabs.update(tabs)
        self.update_frame()

    def _redraw(self, name: str) -> None:
        """Lay out one view again."""
        self._views[name].show_for_width(partial(self._lines, name))

    def _lines(self, name: str, width: int) -> Iterable[Line]:
        preview, as_bytes = self._preview, self._as_bytes
        chosen = name == self._chosen and self._is_wide
        if preview is None:
            return ()
        if preview.to_fill:
            return [proof_line(preview, width)] if name == self._chosen else ()
        if name == ENVELOPE:
            return envelope_lines(preview, width, as_bytes=as_bytes, chosen=chosen)
        if name == FRAMES:
            return frame_lines(preview, self.playback, width, as_bytes=as_bytes, chosen=chosen)
        if name == PROOF:
            return proof_report(preview, width)
        live = self.live
        if live.result is not None:
            return verification_lines(live.result, width)
        if live.claim is not None:
            return verifying_lines(live.claim, live.frames, len(preview.frames))
        return ()

    def _copied(self) -> str:
        """The chosen view as text to copy; of the shapes the bytes as sent."""
        preview = self._preview
        if self._chosen == LIVE:
            return verification_text(self.live.result) if self.live.result else ""
        if preview is None:
            return ""
        if preview.to_fill:
            return preview.to_fill
        if self._chosen == PROOF:
            return "\n".join(line.plain for line in proof_report(preview, self.content_size.width))
        data = preview.envelope
        if self._chosen == FRAMES:
            arrived = b"".join(frame.data for frame in preview.frames[: self.playback.shown])
            data = preview.stream if self.playback.is_whole else arrived
        return preview.as_text(data)

    def facts(self) -> Sequence[Content]:
        result, playback = self.live.result, self.playback
        if self._chosen == LIVE and result is not None and result.holds:
            return [Content.styled("✓ verified", SUCCESS)]
        pace = "at once" if playback.pace == AT_ONCE else f"{playback.pace:g}x"
        state = " playing" if playback.is_playing else "" if playback.is_whole else " paused"
        shape = "bytes" if self._as_bytes else "text"
        words = ("profile ", "pace ") if self._is_wide else ("", "")
        profile = f"{words[0]}{self.profile}"
        if self._other_profile is None:
            profile += self._session.server.profile_note
        facts = [profile, shape, f"{words[1]}{pace}{state}"]
        if self._preview is not None and self._preview.at != RESPONSE:
            facts.insert(0, requests_of(self._preview.at))
        return [Content.styled(fact, MUTED) for fact in facts]

    @property
    def _is_wide(self) -> bool:
        """True if envelope and frames are side by side."""
        return self.content_size.width >= SIDE_BY_SIDE_WIDTH

    def on_resize(self) -> None:
        self._update()

    @property
    def _names(self) -> Sequence[str]:
        """The views that can be chosen now."""
        return VIEWS if self.live.claim is not None else VIEWS[:-1]

    @property
    def scrolled(self) -> Sequence[LineView]:
        return [view for view in self._views.values() if view.display]

    def action_turn(self, by: int) -> None:
        number = self._names.index(self._chosen) + by
        self.action_view(number % len(self._names))

    def action_view(self, number: int) -> None:
        self._chosen = self._names[number]
        self._update()

    def action_toggle_bytes(self) -> None:
        self._as_bytes = not self._as_bytes
        self._update()

    def action_copy(self) -> None:
        text = self._copied()
        copy(self, text, characters_of(text, self.label))

    # Playing

    def _show_frames(self) -> None:
        """Bring the frames into view."""
        if self._chosen != FRAMES and not (self._is_wide and self._chosen == ENVELOPE):
            self._chosen = FRAMES
            self._update()

    def action_play(self) -> None:
        if self._preview is None:
            return
        self._show_frames()
        if self.app.animation_level == "none":
            self.playback.finish()
            say(self, "Motion is off, so all frames are shown. ← → go one by one.")
        elif self.playback.is_playing:
            self.playback.pause(monotonic())
        else:
            self.playback.play(monotonic())
        self._play_on()

    def action_step(self, by: int) -> None:
        self._show_frames()
        self.playback.step(by)
        self._play_on()

    def action_pace(self, by: int) -> None:
        place = min(max(PACES.index(self.playback.pace) + by, 0), len(PACES) - 1)
        self.playback.set_pace(PACES[place], monotonic())
        self._play_on()

    def _play_on(self) -> None:
        """Show the frames that have arrived, and set a timer for the next one while playing."""
        self._stop_play_timer()
        self.playback.advance(monotonic())
        wait = self.playback.wait()
        if wait is not None:
            self._play_timer = self.set_timer(max(wait, 1 / MAX_FPS), self._play_on)
        self._redraw(FRAMES)
        self.update_frame()

    def _stop_play_timer(self) -> None:
        if self._play_timer is not None:
            self._play_timer.stop()
            self._play_timer = None

    # Verifying

    def verify(self, digest: str, payload: Mapping[str, Any] | None) -> None:
        """Compare the draft of a digest with what the server sends now for ``payload``."""
        if self._preview is not None and self._preview.to_fill:
            say(self, f"Nothing to verify yet: {self._preview.to_fill}.")
            return
        claim = self.live.begin(digest, payload, self.profile)
        if isinstance(claim, str):
            say(self, claim, "error")
            return
        self._verify(claim)
        self._chosen = LIVE
        self._update()

    @work(exclusive=True, group="verify", exit_on_error=False, description="verification")
    async def _verify(self, claim: Claim) -> None:
        message, severity = await self.live.run(claim, partial(self._redraw, LIVE))
        say(self, message, severity)
        self._update()
        self.post_message(self.Verified())

    def _forget_verification(self) -> None:
        self.workers.cancel_group(self, "verify")
        self.live.forget()
        self._update()

    # Other keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stop":
            return self.playback.is_playing or self.live.is_running
        return super().check_action(action, parameters)

    def action_stop(self) -> None:
        """Escape: stop playing or verifying; if nothing runs, Escape leads back to the list."""
        if self.live.is_running:
            self._forget_verification()
            say(self, "Stopped. v verifies again.")
        else:
            self.action_play()

    def action_profile(self) -> None:
        api = api_of(self._preview.payload) if self._preview else CHAT
        profile = PROFILE_NAMES[PROFILE_NAMES.index(self.profile) - 1]
        writer = api.replies.writer(profile)
        if writer is api.replies.writer(self.profile):
            say(self, f"Replies of this API have one form: as {writer.writes_as} writes them.")
            return
        self._other_profile = None if profile == self._session.server.profile else profile
        say(self, f"Profile {profile}: as {writer.writes_as} writes it.")
        post_up(self, self.ProfileChanged())
