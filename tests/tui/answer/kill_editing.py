"""Killing the application while somebody types, again and again, and looking at the drafts."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.forked import FORKED
from tests.terminal import Terminal
from tests.tui.running import ask
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.io.state_folder import StateFolder
from workbench.session.drafts import editing
from workbench.session.drafts.store import DraftStore

# What a person may lose who types until the power goes, in seconds.
MAY_BE_LOST = 1.0
MISSES = [ask(f"question {number}") for number in range(3)]
COMMAND = [*FORKED, "--log", "suite.log", "--fixtures", "canned"]
PASTED = "a line of a long answer 🚀\n" * 8_000


@dataclass
class Typed:
    """What was typed into one draft, and what of it had to be kept when the kill came.

    Attributes:
        times: when each length of the text was reached.
    """

    text: str = ""
    times: list[tuple[float, int]] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.text += text
        self.times.append((time.monotonic(), len(self.text)))

    def check(self, kept: str, killed: float) -> float:
        """Fails where ``kept`` is not the beginning of the text; returns for how many seconds of
        typing it holds nothing.
        """
        assert self.text.startswith(kept), f"torn or changed: {kept[-80:]!r}"
        lost = [at for at, length in self.times if length > len(kept)]
        self.text, self.times = kept, []
        return killed - lost[0] if lost else 0.0


class Editing:
    """Three drafts in one folder, typed into by one application after the other.

    Attributes:
        longest_loss: the most seconds of typing that a kill took.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._typed = {digest(miss): Typed() for miss in MISSES}
        self.longest_loss = 0.0
        log = "".join(miss_lines(digest(miss), miss) for miss in MISSES)
        (folder / "suite.log").write_text(log, "utf-8")

    def kill_once(self, seed: int, *, paste: bool = False) -> None:
        """Start, see the drafts of before, type, be killed; fails where a draft is not whole."""
        chance = random.Random(seed)
        with Terminal(COMMAND, folder=self._folder) as terminal:
            terminal.wait_for("Misses [1/3]")
            drafts = sum(bool(typed.text) for typed in self._typed.values())
            if drafts:
                terminal.wait_for(
                    "drafts of the last session are back" if drafts > 1 else "1 draft"
                )
            end = time.monotonic() + chance.uniform(0.2, 2.5)
            wanted = chance.randrange(len(MISSES))
            terminal.press(*["down"] * wanted)
            while time.monotonic() < end:
                self._type(terminal, wanted, chance, min(end, time.monotonic() + 2), paste=paste)
                paste = False
                terminal.press("escape")
                terminal.wait_for("┏━ Misses")
                terminal.press("home")
                wanted = (wanted + 1) % len(MISSES)
                terminal.press(*["down"] * wanted)
            terminal.kill()
            killed = time.monotonic()
            terminal.wait_for_end()
        self._look(killed)

    def _type(
        self, terminal: Terminal, number: int, chance: random.Random, end: float, *, paste: bool
    ) -> None:
        typed = self._typed[digest(MISSES[number])]
        terminal.wait_for(f"┏━ Misses [{number + 1}/")
        terminal.press("enter")
        terminal.wait_for("┏━ Request  [Answer]")
        if paste and not typed.text:
            # A terminal hands over so much slowly: it is typed when it is shown.
            terminal.type(f"\x1b[200~{PASTED}\x1b[201~")
            terminal.wait_for(f" {PASTED.count(chr(10)) + 1}:1 ")
            typed.add(PASTED)
        while time.monotonic() < end:
            character = chance.choice("abcde ")
            typed.add(character)
            terminal.type(character)
            # From a key held down to a person who thinks.
            time.sleep(chance.choice((0.03, 0.03, 0.03, 0.06, 0.2)))

    def _look(self, killed: float) -> None:
        index = DraftStore(StateFolder(self._folder / ".workbench"), self._folder / "canned")
        assert index.recover() == []
        for name, typed in self._typed.items():
            draft = index.get(name)
            kept = editing.content(draft.document) if draft else ""
            self.longest_loss = max(self.longest_loss, typed.check(kept, killed))
        if index.folder.exists():
            assert sorted(p.name for p in index.folder.iterdir()) == sorted(
                f"{name}.json" for name in index.drafts
            ), "something half written is left"
