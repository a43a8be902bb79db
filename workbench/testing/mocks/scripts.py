"""Which scripted reply answers a request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Final

from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.errors import ScriptExhaustedError, UndeclaredRoleError
from workbench.testing.mocks.replies import Reply

NODE_HEADER: Final = "x-workbench-node"
# Of texts that are compared character by character.
_MOST_COMPARED: Final = 200

ReplySource = Reply | Callable[[Call], Reply]


@dataclass(frozen=True, slots=True)
class Matcher:
    """What a request has to have. Nothing asked for is found in every request.

    Attributes:
        model: the model's name.
        system: stands somewhere in the system messages.
        tool: the name of a tool that is offered.
        header: ``name: value``, or a name alone for any value.
    """

    model: str | None = None
    system: str | None = None
    tool: str | None = None
    header: str | None = None

    def __bool__(self) -> bool:
        return any(v is not None for v in (self.model, self.system, self.tool, self.header))

    def mismatch(self, call: Call) -> str | None:
        """The first thing that the request has not, in words; None where it matches."""
        return next((wrong for wrong in self._looked_at(call) if wrong), None)

    def met(self, call: Call) -> int:
        """How many of the things the request has."""
        return sum(not wrong for wrong in self._looked_at(call))

    def _looked_at(self, call: Call) -> Iterator[str]:
        """For each thing that is asked for what is wrong with it; "" where nothing is."""
        if self.model is not None:
            found = call.model
            yield "" if found == self.model else f"model {self.model!r}: the request's is {found!r}"
        if self.system is not None:
            found = shortened(call.system)
            is_there = self.system in call.system
            yield "" if is_there else f"system {self.system!r}: the request's is {found!r}"
        if self.tool is not None:
            found = ", ".join(call.tools) or "none"
            is_there = self.tool in call.tools
            yield "" if is_there else f"tool {self.tool!r}: the request offers {found}"
        if self.header is not None:
            name, colon, value = self.header.partition(":")
            given = call.headers.get(name.strip().lower())
            is_there = given is not None and (not colon or given == value.strip())
            yield "" if is_there else f"header {self.header!r}: the request's is {given!r}"


def header_text(header: str | Mapping[str, str] | None) -> str | None:
    """``name: value`` of a header that is given as text or as a dict of one."""
    __tracebackhide__ = True
    if not isinstance(header, Mapping):
        return header
    if len(header) != 1:
        raise ValueError(f"one header can be asked for, not {len(header)}")
    [(name, value)] = header.items()
    return f"{name}: {value}"


@dataclass(slots=True)
class Script:
    """Replies that are given out one by one, to the requests that match.

    Attributes:
        is_standing: the last reply answers again and again; nothing of it is left over.
        needed: how many of the replies have to be given out.
        given: how many requests it answered.
    """

    matcher: Matcher
    role: str | None
    replies: tuple[ReplySource, ...]
    is_standing: bool
    needed: int
    given: int = 0

    @property
    def has_next(self) -> bool:
        return self.is_standing or self.given < len(self.replies)

    @property
    def left(self) -> int:
        return max(0, self.needed - self.given)

    def take(self) -> ReplySource:
        reply = self.replies[min(self.given, len(self.replies) - 1)]
        self.given += 1
        return reply

    def mismatch(self, call: Call) -> str | None:
        if self.role is not None and call.role != self.role:
            return f"role {self.role!r}: the request's is {call.role!r}"
        return self.matcher.mismatch(call)

    def met(self, call: Call) -> int:
        """How many of the things it names the request has."""
        of_role = self.role is not None and call.role == self.role
        return of_role + self.matcher.met(call)

    def __str__(self) -> str:
        m = self.matcher
        named = {"role": self.role, "model": m.model, "system": m.system, "tool": m.tool}
        named["header"] = m.header
        said = ", ".join(f"{key}={value!r}" for key, value in named.items() if value is not None)
        return f"script for {said}" if said else "script for any request"


@dataclass(slots=True)
class Scripts:
    """The roles and scripts of a test, in the order of their definition. Not safe for threads."""

    roles: list[tuple[str, Matcher]] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)

    def declares(self, role: str) -> bool:
        return any(name == role for name, _ in self.roles)

    def role_of(self, call: Call) -> str | None:
        """Whose request it is: as its header says, or the first role that is recognised."""
        node = call.headers.get(NODE_HEADER)
        if node:
            return node
        for name, matcher in self.roles:
            if matcher and matcher.mismatch(call) is None:
                return name
        return None

    def take(self, call: Call) -> ReplySource | None:
        """The reply to ``call``; None where no script is meant for it.

        Raises:
            ScriptExhaustedError: those that are meant for it have none left.
            UndeclaredRoleError: it might be meant for a role that nothing recognises.
        """
        used_up: Script | None = None
        for script in self.scripts:
            self._require_declared(script, call)
            if script.mismatch(call) is None:
                if script.has_next:
                    return script.take()
                used_up = script
        if used_up is None:
            return None
        count = len(used_up.replies)
        given = "its 1 reply is" if count == 1 else f"all its {count} replies are"
        raise ScriptExhaustedError(
            f"The {used_up} has no reply to call {call.number} ({asked(call)}): {given} given "
            "out. Script more replies, or the last one with repeat_last=True."
        )

    def _require_declared(self, script: Script, call: Call) -> None:
        role = script.role
        if role is None or call.role is not None or self.declares(role):
            return
        if script.matcher.mismatch(call) is None:
            raise UndeclaredRoleError(
                f"There is a script for role {role!r}, and nothing says how {role!r} is "
                f"recognised, so call {call.number} ({asked(call)}) may be meant for it. Declare "
                f'it: mock_llm.role({role!r}, system="…"); or send the header X-Workbench-Node.'
            )

    def nearest(self, call: Call) -> list[str]:
        """What keeps the script from answering that has most of what it names; [] for none."""
        waiting = [script for script in self.scripts if script.has_next]
        if not waiting:
            return []
        best = max(waiting, key=lambda script: (script.met(call), self._likeness(script, call)))
        wanted = best.mismatch(call)
        signs = self._signs(best.role)
        if signs and call.role is None:
            wanted = f"role {best.role!r}, recognised by {signs[0].mismatch(call)}"
        return [f"The {best} wants {wanted}."]

    def _signs(self, role: str | None) -> list[Matcher]:
        """What a role is recognised by."""
        return [matcher for name, matcher in self.roles if name == role and matcher]

    def _likeness(self, script: Script, call: Call) -> float:
        """How much of the system message the script hopes for is there, up to 1."""
        hoped = [m.system for m in (script.matcher, *self._signs(script.role)) if m.system]
        found = call.system[:_MOST_COMPARED]
        ratios = [SequenceMatcher(None, h[:_MOST_COMPARED], found).ratio() for h in hoped]
        return max(ratios, default=0.0)

    def left(self) -> list[tuple[Script, int]]:
        """The scripts with replies that nobody asked for, and how many."""
        return [(script, script.left) for script in self.scripts if script.left]


def asked(call: Call) -> str:
    """Who asked what: ``critic: 'Is 4 right?'``."""
    role = f"{call.role}: " if call.role else ""
    return role + repr(shortened(call.user or call.text))


def shortened(text: str, length: int = 60) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= length else plain[: length - 1] + "…"


def require_replies(replies: tuple[Any, ...]) -> None:
    """Raises TypeError for anything that is no reply."""
    __tracebackhide__ = True
    if not replies:
        raise TypeError("a script needs at least one reply")
    for reply in replies:
        if not isinstance(reply, Reply) and not callable(reply):
            raise TypeError(
                f"{reply!r} is no reply: write Reply.text({reply!r})"
                if isinstance(reply, str)
                else f"{type(reply).__name__} is no reply: use Reply.json(…) or another of Reply"
            )
