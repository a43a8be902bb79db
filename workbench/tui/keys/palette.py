"""All commands with their keys, for the help screen and the command palette."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

from textual.actions import parse
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from workbench.core.text.name_match import NameMatch, name_match
from workbench.tui.screen import MainScreen
from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.row_list import RowList
from workbench.tui.workspace.tab import Tab

# The same in every list and text.
MOVES = frozenset({"move", "page", "scroll", "edge", "pane"})
NOT_IN_PALETTE = MOVES | {"leave", "command_palette"}
# Actions of every tab; listed for the shown one only.
OF_EVERY_TAB = frozenset(b.action for b in Tab.BINDINGS if isinstance(b, Binding))
# Columns of the palette: title, keys, where; the sentence takes the rest.
TITLE_WIDTH, KEYS_WIDTH, GROUP_WIDTH = 21, 9, 14
# Scores of the lines that fit what was typed: by a key, in the name, in the rest.
_KEY, _NAME, _REST = 100, 10, 5


class KeyCommand(NamedTuple):
    """One action of a part of the screen.

    Attributes:
        id: id of a tab's command; "" for actions of widgets.
        keys: for display; "" for none.
        name: a word or two; "" for none.
        what: a sentence without full stop.
        in_help: True if the help of its pane lists it.
    """

    owner: DOMNode
    id: str
    action: str
    keys: str
    name: str
    what: str
    in_help: bool = True

    @property
    def action_name(self) -> str:
        """The action without its parameters."""
        return self.action.partition("(")[0]

    @property
    def title(self) -> str:
        return titled(self.name, self.what)


def titled(name: str, what: str) -> str:
    """A sentence about a command that has its name."""
    if name.casefold() in what.casefold():
        return what
    return f"{name}: {what[:1].lower()}{what[1:]}"


def groups(app: App[Any], focused: DOMNode | None) -> Iterator[tuple[str, list[KeyCommand]]]:
    """All commands under their headings: first the focused pane and the widgets around it, then the
    other panes, the application and the other tabs.
    """
    main = app.screen_stack[0]
    chain = focused.ancestors_with_self if focused is not None else ()
    around = [node for node in chain if isinstance(node, Framed | RowList | Tab)]
    tabs: list[Tab] = []
    tab: DOMNode = main
    panes: Collection[Framed] = ()
    if isinstance(main, MainScreen) and main.tabs:
        tabs, tab = list(map(main.tab, main.entries)), main.tabs[main.shown]
        panes = main.tabs[main.shown].panes.all
    others = [
        node
        for pane in panes
        for node in pane.walk_children(with_self=True)
        if isinstance(node, Framed | RowList)
    ]
    seen: set[DOMNode] = set()
    for node in [*around, *others, tab, app]:
        if node not in seen and node.BINDING_GROUP_TITLE:
            seen.add(node)
            yield node.BINDING_GROUP_TITLE, list(_commands(app, node))
    for other in tabs:
        if other is not tab:
            own = [c for c in _commands(app, other) if c.action not in OF_EVERY_TAB]
            yield other.BINDING_GROUP_TITLE or "", own


def _commands(app: App[Any], node: DOMNode) -> Iterator[KeyCommand]:
    """The commands of a widget: its bindings with a tooltip, which Textual's own lack."""
    commands = {c.id: c for base in type(node).__mro__ for c in vars(base).get("TAB_COMMANDS", ())}
    by_action: dict[str, list[Binding]] = {}
    for binding in _bindings_of(type(node)):
        by_action.setdefault(binding.action, []).append(binding)
    for action, same in by_action.items():
        # Each key alone: "[", where the key bar has "[ ]" for two commands.
        shown = (app.get_key_display(replace(binding, key_display=None)) for binding in same)
        keys = " ".join(dict.fromkeys(shown))
        name = next((b.description for b in same if b.description), "")
        what = next((b.tooltip for b in same if b.tooltip), "")
        command = commands.pop(same[0].id or "", None)
        if command is not None:
            yield KeyCommand(node, command.id, action, keys, name, what, command.in_help)
        elif what:
            yield KeyCommand(node, "", action, keys, name, what)
    for command in commands.values():
        if not command.keys:
            yield KeyCommand(node, command.id, "", "", command.label, command.tooltip)


def _bindings_of(kind: type[DOMNode]) -> Iterable[Binding]:
    """The bindings of a class, one per key; they override the bindings of its bases."""
    by_key: dict[str, Binding] = {}
    for base in reversed(kind.__mro__):
        for binding in Binding.make_bindings(vars(base).get("BINDINGS", ())):
            by_key[binding.key] = binding
    return by_key.values()


class SteadyPalette(CommandPalette):
    """Textual's palette with one line for each command. Before its first layout, Page Up and Down
    do nothing instead of raising KeyError.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    DEFAULT_CSS = """
    SteadyPalette CommandList { text-wrap: nowrap; text-overflow: ellipsis; }
    SteadyPalette CommandList > .option-list--option { text-style: none; }
    """

    def action_page(self, by: int) -> None:
        with suppress(KeyError):
            commands = self.query_one(CommandList)
            if by > 0:
                commands.action_page_down()  # type: ignore[no-untyped-call]
            else:
                commands.action_page_up()  # type: ignore[no-untyped-call]


class PaletteLine(NamedTuple):
    """A command as the palette shows it."""

    name: str
    keys: str
    group: str
    what: str
    run: Callable[[], Any]

    @property
    def text(self) -> str:
        """Name, keys, place and what it does, in columns."""
        name = self.name
        cut = name if len(name) <= TITLE_WIDTH else f"{name[: TITLE_WIDTH - 1]}…"
        keys, group = f"{self.keys:<{KEYS_WIDTH}}", f"{self.group:<{GROUP_WIDTH}}"
        return f"{cut:<{TITLE_WIDTH}} {keys} {group} {self.what}"

    def content(self, typed: str = "") -> Content:
        """The line, with the first match of the typed text underlined. It has no colours, which
        would be unreadable on the highlighted line.
        """
        line = Content(self.text).stylize("bold", 0, TITLE_WIDTH)
        place = self.text.casefold().find(typed.casefold())
        return line.stylize("underline", place, place + len(typed)) if place >= 0 else line

    def score(self, typed: str) -> int:
        """How well it fits the typed text: 0 for not at all. A match in the name ranks before a
        match in the rest of the line, and that before the beginnings of its words.
        """
        if typed.casefold() in self.keys.casefold().split():
            return _KEY
        match = name_match(typed, self.name)
        if match > NameMatch.PARTS:
            return _NAME + match
        text = f"{self.name} {self.group} {self.what}".casefold()
        if all(word in text for word in typed.casefold().split()):
            return _REST
        return int(match)


class Palette(Provider):
    """Offers every command; running one first shows its tab and pane."""

    async def discover(self) -> Hits:
        for line in self._lines():
            yield DiscoveryHit(line.content(), line.run, text=line.text)

    async def search(self, query: str) -> Hits:
        for line in self._lines():
            score = line.score(query)
            if score > 0:
                yield Hit(score, line.content(query), line.run, text=line.text)

    def _lines(self) -> Iterator[PaletteLine]:
        """All commands but those that would do nothing now."""
        for group, commands in groups(self.app, self.focused):
            for command in commands:
                has_name = command.name or not command.id
                if has_name and command.action_name not in NOT_IN_PALETTE and can_run(command):
                    name = command.name or command.what
                    action = partial(self._run, command)
                    yield PaletteLine(name, command.keys, group, command.what, action)
        for title, what, run, _ in self.app.get_system_commands(self.screen):
            yield PaletteLine(title, "", "", what, run)

    async def _run(self, command: KeyCommand) -> None:
        main = self.screen
        if not isinstance(main, MainScreen):
            return
        shown = main.tabs[main.shown]
        tab = _tab_of(command) or shown
        if tab is not shown:
            await main.show_tab(tab.id or "")
        tab.panes.bring_into_view(command.owner)
        if command.id:  # its keys may not act while somebody types, which this is not about
            await tab.run_command(command.id)
        elif not await self.app.run_action(command.action, command.owner):
            main.status.say("There is nothing to do.")


def _tab_of(command: KeyCommand) -> Tab | None:
    """The tab that a command is of; None for one of the application."""
    return next((node for node in command.owner.ancestors_with_self if isinstance(node, Tab)), None)


def can_run(command: KeyCommand) -> bool:
    """False if there is no target now. Other commands of a tab explain themselves why they cannot
    act.
    """
    tab = _tab_of(command)
    if command.id and tab is not None:
        return tab.can_do(tab.commands[command.id])
    _, name, parameters = parse(command.action)
    return bool(command.owner.check_action(name, parameters))
