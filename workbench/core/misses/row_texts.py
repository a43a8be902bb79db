"""The text of a miss in a row, and details that distinguish rows with the same text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from workbench.core.misses.miss import ROW_CHARACTERS, Miss, interned
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.requests.messages import INSTRUCTION_ROLES, Message
from workbench.core.requests.view import RequestView
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt

# The space in a narrow row for text, and for the beginning of its conversation.
BRIEF_CHARACTERS: Final = 30
BRIEF_OPENING_CHARACTERS: Final = 16
OPENING_CHARACTERS: Final = 48


class RowTexts(NamedTuple):
    """The text of a request in a row of a list, besides its facts.

    Attributes:
        opening: for a later turn, the beginning of the user's first text.
        added: the part after the last answer if it is not the user's text: the results of tools.
        ending: the end of a long text of the user.
        system: the beginning of the instructions.
        before: the beginning of the last answer.
        choice: the calls that it requires.
        quotes_fallback: True if an earlier answer in it is the fallback. The request disappears
            once that turn is answered.
    """

    opening: str
    added: str
    ending: str
    system: str
    before: str
    choice: str
    tools: tuple[str, ...]
    quotes_fallback: bool

    @classmethod
    def of(cls, request: RequestView) -> RowTexts:
        text, answers = request.last_user_text, request.answers
        return cls(
            opening=interned(excerpt(request.opening_text, OPENING_CHARACTERS)) if answers else "",
            added=request.added_text[:ROW_CHARACTERS] if answers else "",
            ending=text[-BRIEF_CHARACTERS:] if len(text) > BRIEF_CHARACTERS else "",
            system=interned(_system(request)[:BRIEF_CHARACTERS]),
            before=_answer_text(answers[-1])[:BRIEF_CHARACTERS] if answers else "",
            choice=interned(request.tool_choice.name or request.tool_choice.mode),
            tools=interned(tuple(tool.name for tool in request.tools)),
            quotes_fallback=any(map(is_fallback, answers)),
        )


def _system(request: RequestView) -> str:
    instructions = (m.text for m in request.messages if m.role in INSTRUCTION_ROLES)
    return next(instructions, "")


def _answer_text(answer: Message) -> str:
    return ", ".join(call.brief for call in answer.tool_calls) or answer.text


def is_fallback(answer: Message) -> bool:
    """True if an answer in a request is the fallback."""
    return FALLBACK_TEXT in answer.text


class AlikeMisses:
    """Finds the detail that distinguishes a miss from others: the first of these that differs: the
    end of the user's text, the instructions, the previous answer, the tool choice, the digest.
    """

    def __init__(self, misses: Mapping[str, Miss]) -> None:
        self._misses = misses
        # Digests by a hash of all that a row shows; None where several rows show the same.
        self._by_look: dict[int, str | None] = {}
        # How many details a row needs beside its text; most need none.
        self._needs: dict[str, int] = {}

    def add(self, digest: str) -> set[str]:
        """Add a miss whose request is known now; returns the misses whose detail changed."""
        look = self._look(digest)
        other = self._by_look.setdefault(look, digest)
        if other == digest:
            return set()
        self._by_look[look] = None
        changed = {digest} if other is None else {digest, other}
        for alike in list(changed):
            self._needs[alike] = self._needs.get(alike, 0) + 1
            changed |= self.add(alike)
        return changed

    def detail(self, digest: str) -> str:
        """A detail that distinguishes a miss from others with the same text, or ""."""
        needs = self._needs.get(digest, 0)
        detail = self._details(digest)[needs - 1] if needs else ""
        return short(detail) if detail == digest else detail

    def _look(self, digest: str) -> int:
        """A hash of all that a narrow row shows."""
        miss = self._misses[digest]
        assert miss.texts is not None, "only misses whose request is known are told apart"
        text = (miss.texts.added or miss.last_user_text or "")[:BRIEF_CHARACTERS]
        columns = (miss.model, miss.turn, miss.texts.opening[:BRIEF_OPENING_CHARACTERS], text)
        return hash((*columns, *self._details(digest)[: self._needs.get(digest, 0)]))

    def _details(self, digest: str) -> tuple[str, ...]:
        texts = self._misses[digest].texts
        assert texts is not None, "only misses whose request is known are told apart"
        return (
            f"…{texts.ending}" if texts.ending else "",
            f"system {texts.system}" if texts.system else "no system text",
            f"after {texts.before}" if texts.before else "",
            "no tool_choice" if texts.choice == "absent" else f"tool_choice {texts.choice}",
            digest,
        )
