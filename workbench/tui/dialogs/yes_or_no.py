"""A question that one key answers."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.events import Key
from textual.widget import Widget

from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.obscured import is_covered


class YesOrNo(Widget, can_focus=True):
    """Takes the next key: ``y`` is yes, any other is no. To go elsewhere is a no, too, and so is
    another question. Where room is short, what the keys do is shown rather than what is asked.
    """

    DEFAULT_CSS = """
    YesOrNo { display: none; width: 1fr; height: 1; color: $text-warning; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._question = self._choices = Content("")
        self._confirmed: Callable[[], object] | None = None
        self._declined: Callable[[], object] | None = None
        self._return_to: Widget | None = None

    def ask(
        self,
        question: str,
        choices: str,
        confirmed: Callable[[], object],
        declined: Callable[[], object] | None,
    ) -> None:
        """Ask, and give the focus back with the answer.

        Args:
            choices: what the keys do: ``y deletes, any other key keeps it.``
            confirmed: called for a yes.
            declined: called for a no.
        """
        self._answer(is_yes=False)
        if self.screen.focused is not self:
            self._return_to = self.screen.focused
        self._question, self._choices = one_line(question), one_line(f" {choices}")
        self._confirmed, self._declined = confirmed, declined
        self._show(True)
        # At once: the focus that is given back may be on its way.
        self.screen.set_focus(self)

    def _show(self, is_shown: bool) -> None:
        self.display = is_shown
        self.refresh()
        if self.parent is not None:
            self.parent.set_class(is_shown, "-confirming")

    def render(self) -> Content:
        room = max(0, self.content_size.width - self._choices.cell_length)
        return self._question.truncate(room, ellipsis=True) + self._choices

    def check_consume_key(self, key: str, character: str | None = None) -> bool:  # noqa: ARG002
        """Every key is an answer; those of the application that act everywhere act here, too."""
        return not key.startswith("ctrl+")

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        back = self._return_to
        self.screen.set_focus(back if back is not None and back.is_attached else None)
        self._answer(is_yes=event.key == "y")

    def _answer(self, *, is_yes: bool) -> None:
        """Tell who asked, once."""
        answered = self._confirmed if is_yes else self._declined
        self._confirmed = self._declined = None
        if answered is not None:
            answered()

    def on_blur(self) -> None:
        # Where nobody sees it, the question stays; there may be a new one, too.
        if not is_covered(self) and self.screen.focused is not self:
            self._show(False)
            self._answer(is_yes=False)
