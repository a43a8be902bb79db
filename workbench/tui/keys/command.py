"""Commands of a tab: what a person can do there by a key, a link or the palette."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import IntEnum
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from textual.binding import Binding, BindingType

from workbench.session.misses.states import StateKind

Actor = TypeVar("Actor")

# What the key bar goes by: the state of the selected row, and of the tab around it.
Situation = StateKind | Literal["usual", "no rows", "answering", "marked", "can hold"]


class Place(IntEnum):
    """Where the key bar shows a command."""

    FIRST = 0
    # Before the others of its widget.
    EARLY = 1
    LATE = 2


FIRST: Final = Place.FIRST
SHOWN: Final[Mapping[Situation, Place]] = {"usual": Place.LATE}
EARLY: Final[Mapping[Situation, Place]] = {"usual": Place.EARLY}


class Command(NamedTuple, Generic[Actor]):
    """One thing that a person can do in a tab.

    Attributes:
        id: its name in links and in ``[tool.workbench.keys]``.
        keys: separated by commas; "" for none.
        label: a word or two for key bar and palette; "" for none, then it is in neither.
        tooltip: a sentence without full stop, for help and manual.
        run: the method, or a function that calls it, of what the commands of the tab act on.
        bar: where the key bar shows it, in which situations; in others it does not.
        labels: other words for the key bar in some situations.
        in_fields: its keys also act while somebody types.
        acts: whether its keys act now.
        in_help: the help of its pane lists it.
    """

    id: str
    keys: str
    label: str
    tooltip: str
    run: Callable[[Actor], object]
    bar: Mapping[Situation, Place] = {}
    labels: Mapping[Situation, str] = {}
    key_display: str | None = None
    priority: bool = False
    in_fields: bool = False
    acts: Callable[[Actor], bool] | None = None
    in_help: bool = True

    def place_in(self, situation: Collection[Situation]) -> Place | None:
        """Where the key bar shows it; None for nowhere."""
        return min((place for each, place in self.bar.items() if each in situation), default=None)

    def label_in(self, situation: Collection[Situation]) -> str:
        """What the key bar calls it."""
        return next((word for each, word in self.labels.items() if each in situation), self.label)


def bindings(commands: Iterable[Command[Any]]) -> list[BindingType]:
    """The keys of commands, for the widget in which they act."""
    return [
        Binding(
            command.keys,
            f"screen.command('{command.id}')",
            command.label,
            show=bool(command.bar),
            key_display=command.key_display,
            priority=command.priority,
            tooltip=command.tooltip,
            id=command.id,
        )
        for command in commands
        if command.keys
    ]
