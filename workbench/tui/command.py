"""Commands of a tab: what a person can do there by a key, a link or the palette."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import IntEnum
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from textual.binding import Binding, BindingType

from workbench.session.misses.states import StateKind

Actor = TypeVar("Actor")

# The state that selects keys for the key bar: of the selected row, the tab, and the answer.
Situation = StateKind | Literal[
    "usual", "no rows", "undoable", "can hold", "strict", "marked", "written",
    "in preview", "answering", "as json", "in call", "fixable", "problems", "several",
    "nearest", "can re-key", "alike", "several stale",
    "edited", "readable", "failed tests", "test with miss", "suite running", "suite ended",
]  # fmt: skip


class Place(IntEnum):
    """The place of a command in the key bar. Late places are left out first."""

    # The keys of the selected row, of the pane that has the focus.
    FIRST = 0
    EARLY = 1
    LATE = 2


SHOWN: Final[Mapping[Situation, Place]] = {"usual": Place.LATE}


def first(*situations: Situation) -> Mapping[Situation, Place]:
    """For ``Command.bar``: among the first keys in these situations."""
    return dict.fromkeys(situations, Place.FIRST)


class Command(NamedTuple, Generic[Actor]):
    """An action of a person in a tab.

    Attributes:
        id: its name in links and in ``[tool.workbench.keys]``.
        keys: separated by commas; "" for none.
        label: a word or two for key bar and palette; "" for none, then it is in neither.
        tooltip: a sentence without full stop, for help and manual.
        run: the method of the tab's target, or a function that calls it.
        bar: its place in the key bar, by situation; in other situations it is not shown.
        labels: other words for the key bar in some situations, of which the first match is used;
            ``{}`` in them is replaced by the number of rows in the situation.
        in_fields: its keys also act while you type.
        acts: returns True if its keys act now.
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

    def label_in(self, situation: Mapping[Situation, int]) -> str:
        """Its label in the key bar."""
        words = (
            word.format(situation[each]) for each, word in self.labels.items() if each in situation
        )
        return next(words, self.label)


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
