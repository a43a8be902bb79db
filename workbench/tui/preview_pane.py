"""What the server sends: envelope and frames, side by side where there is room; the proof."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Label

from workbench.session.preview import Preview
from workbench.tui.frame import Framed, tab_line
from workbench.tui.line_view import LineView
from workbench.tui.preview_lines import envelope_lines, frame_lines, proof_line
from workbench.tui.styles import MUTED

SIDE_BY_SIDE_WIDTH = 90
VIEWS = ("Envelope", "Frames")


class PreviewPane(Framed, Vertical, can_focus=True):
    """The preview of one draft."""

    BINDING_GROUP_TITLE = "Preview"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "turn(-1)", "View", key_display="["),
        Binding("right_square_bracket", "turn(1)", "View", key_display="]"),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("pageup", "scroll(-10)", "Page up", show=False),
        Binding("pagedown", "scroll(10)", "Page down", show=False),
    ]

    DEFAULT_CSS = """
    PreviewPane {
        & #shapes { height: 1fr; }
        & LineView { width: 1fr; }
        & #frames { border-left: solid $surface-lighten-2; padding-left: 1; }
        &.-narrow #envelope, &.-narrow #frames { display: none; border: none; padding: 0; }
        &.-narrow.-view-0 #envelope, &.-narrow.-view-1 #frames { display: block; }
        & #views { height: 1; display: none; }
        &.-narrow #views { display: block; }
        & #proof-line {
            height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis;
        }
        &.-stale LineView { opacity: 60%; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-view-0")
        self._view = 0

    def compose(self) -> ComposeResult:
        yield Label(id="views")
        with Horizontal(id="shapes"):
            yield LineView(id="envelope")
            yield LineView(id="frames")
        yield Label(id="proof-line")

    def on_mount(self) -> None:
        self._show_views()

    def on_resize(self) -> None:
        super().on_resize()
        self.set_class(self.content_size.width < SIDE_BY_SIDE_WIDTH, "-narrow")

    def show(self, preview: Preview | None) -> None:
        """Show another preview; None empties the pane."""
        self.remove_class("-stale")
        envelope, frames = (
            self.query_one("#envelope", LineView),
            self.query_one("#frames", LineView),
        )
        if preview is None:
            envelope.show([])
            frames.show([])
            self.query_one("#proof-line", Label).update("")
            return
        envelope.show(envelope_lines(preview), keep_place=True)
        frames.show(frame_lines(preview), keep_place=True)
        self.query_one("#proof-line", Label).update(proof_line(preview))

    def set_title(self) -> None:
        self.set_frame(Content.styled("Preview", "bold"), Content.styled("profile stub", MUTED))

    def _show_views(self) -> None:
        self.query_one("#views", Label).update(tab_line([*VIEWS], self._view, action="view"))

    def action_turn(self, by: int) -> None:
        self.action_view((self._view + by) % len(VIEWS))

    def action_view(self, number: int) -> None:
        self.remove_class(f"-view-{self._view}")
        self._view = number
        self.add_class(f"-view-{number}")
        self._show_views()

    def action_scroll(self, by: int) -> None:
        for view in self.query(LineView):
            if view.display:
                view.scroll_relative(y=by, animate=False)
