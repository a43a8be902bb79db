"""Which scripted reply answers a request."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import SequenceMatcher
from typing import Any, Final

from workbench.core.control_api import NODE_HEADER
from workbench.core.text.inert import excerpt
from workbench.testing.arguments import require, require_texts, wrong_type
from workbench.testing.mocks.calls import LONGEST_QUOTED, Call
from workbench.testing.mocks.errors import ScriptExhaustedError, UndeclaredRoleError
from workbench.testing.mocks.replies import Reply

__tracebackhide__ = True  # failed tests show their own frames

# Header names are in lower case.
_NODE_HEADER: Final = NODE_HEADER.lower()
# Comparing strings character by character is slow.
_MOST_COMPARED: Final = 200
_HEADER: Final = re.compile(r"\s*[^\s:]+\s*(?::|$)")

ReplySource = Reply | Callable[[Call], Reply]
Header = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Matcher:
    """Conditions on a request; None matches any request.

    Attributes:
        system: a part of the system messages.
        header: ``name: value``, or only a name for any value.
    """

    role: str | None = None
    model: str | None = None
    system: str | None = None
    tool: str | None = None
    header: str | None = None

    @property
    def signs(self) -> Matcher:
        """All but the role: what a role can be recognised by."""
        return replace(self, role=None)

    def named(self) -> dict[str, str]:
        """The conditions, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def __bool__(self) -> bool:
        return bool(self.named())

    def mismatches(self, call: Call) -> list[str]:
        """The conditions that the request does not meet, in words; [] if it matches."""
        mismatches = []
        if self.role is not None and self.role != call.role:
            mismatches.append(f"role {self.role!r}: the request has {call.role!r}")
        if self.model is not None and self.model != call.model:
            mismatches.append(f"model {self.model!r}: the request has {call.model!r}")
        if self.system is not None and self.system not in call.system:
            system = excerpt(call.system, LONGEST_QUOTED)
            mismatches.append(f"system {self.system!r}: the request has {system!r}")
        if self.tool is not None and self.tool not in call.tools:
            offered = ", ".join(call.tools) or "none"
            mismatches.append(f"tool {self.tool!r}: the request offers {offered}")
        if self.header is not None:
            name, colon, value = self.header.partition(":")
            value_sent = call.headers.get(name.strip().lower())
            if value_sent is None or (colon and value_sent != value.strip()):
                mismatches.append(f"header {self.header!r}: the request has {value_sent!r}")
        return mismatches

    def matches(self, call: Call) -> bool:
        return not self.mismatches(call)


def matcher(
    function: str,
    role: str | None,
    model: str | None,
    system: str | None,
    tool: str | None,
    header: Header | None,
) -> Matcher:
    """A matcher from the arguments of ``function``. Raises TypeError and ValueError."""
    require_texts(function, role=role, model=model, system=system, tool=tool)
    return Matcher(role, model, system, tool, _header_text(function, header))


def _header_text(function: str, header: Header | None) -> str | None:
    """``name: value`` of a header that is given as text or as a dict with one item."""
    if isinstance(header, Mapping):
        if len(header) != 1:
            raise ValueError(f"{function}: header must be one header, got {len(header)}")
        [(name, value)] = header.items()
        header = f"{name}: {value}"
    require(function, "header", header, (str, type(None)), "'name: value' or {name: value}")
    if header is not None and not _HEADER.match(header):
        raise ValueError(f"{function}: header must be 'name: value' or only a name, got {header!r}")
    return header


@dataclass(slots=True)
class Script:
    """Replies that are used one by one for the requests that match.

    Attributes:
        needed: how many of the replies must be used.
    """

    matcher: Matcher
    replies: tuple[ReplySource, ...]
    repeats_last: bool
    needed: int
    used: int = 0

    @property
    def has_next(self) -> bool:
        return self.repeats_last or self.used < len(self.replies)

    @property
    def left(self) -> int:
        """How many replies must still be used."""
        return max(0, self.needed - self.used)

    def take(self) -> ReplySource:
        reply = self.replies[min(self.used, len(self.replies) - 1)]
        self.used += 1
        return reply

    def __str__(self) -> str:
        criteria = ", ".join(f"{name}={value!r}" for name, value in self.matcher.named().items())
        return f"script for {criteria or 'any request'}"


@dataclass(slots=True)
class Scripts:
    """The roles and scripts of a test, in the order of definition. Not safe for threads."""

    roles: list[tuple[str, Matcher]] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)

    def add(self, script: Script) -> None:
        role, signs = script.matcher.role, script.matcher.signs
        if role is not None and signs:
            self.roles.append((role, signs))
        self.scripts.append(script)

    def role_of(self, call: Call) -> str | None:
        """The role in the header, else the first one that is recognised."""
        recognised = (name for name, signs in self.roles if signs and signs.matches(call))
        return call.headers.get(_NODE_HEADER) or next(recognised, None)

    def take(self, call: Call) -> ReplySource | None:
        """The reply to ``call``; None if no script matches.

        Raises:
            ScriptExhaustedError: all replies of the scripts that match are used.
            UndeclaredRoleError: it may be meant for a role that nothing recognises.
        """
        exhausted: Script | None = None
        for script in self.scripts:
            self._require_declared(script, call)
            if script.matcher.matches(call):
                if script.has_next:
                    return script.take()
                exhausted = script
        if exhausted is None:
            return None
        count = len(exhausted.replies)
        used = "its 1 reply is used" if count == 1 else f"all its {count} replies are used"
        raise ScriptExhaustedError(
            f"The {exhausted} has no reply left for {call}: {used}. "
            "Add a reply, or repeat the last one with repeat_last=True."
        )

    def _require_declared(self, script: Script, call: Call) -> None:
        role = script.matcher.role
        if role is None or call.role is not None or any(name == role for name, _ in self.roles):
            return
        if script.matcher.signs.matches(call):
            raise UndeclaredRoleError(
                f"A script is for role {role!r}, which is not declared, so {call} may belong to it."
                f' Declare the role: mock_llm.role({role!r}, system="…"). '
                f"Or send the header {NODE_HEADER}: {role}"
            )

    def nearest(self, call: Call) -> str:
        """A sentence on why the most similar script does not answer; "" if there is none."""
        waiting = [script for script in self.scripts if script.has_next]
        if not waiting:
            return ""
        best = max(waiting, key=lambda script: self._closeness(script, call))
        mismatch = best.matcher.mismatches(call)[0]
        signs = self._signs(best.matcher.role)
        if signs and call.role is None:
            mismatch = f"role {best.matcher.role!r}, recognised by {signs[0].mismatches(call)[0]}"
        return f"The {best} does not match: {mismatch}."

    def _signs(self, role: str | None) -> list[Matcher]:
        """The matchers by which a role is recognised."""
        return [signs for name, signs in self.roles if name == role and signs]

    def _closeness(self, script: Script, call: Call) -> tuple[int, float]:
        """How many conditions of a script the request meets, then the similarity of the system
        texts.
        """
        matcher = script.matcher
        met = len(matcher.named()) - len(matcher.mismatches(call))
        systems = [m.system for m in (matcher, *self._signs(matcher.role)) if m.system]
        system = call.system[:_MOST_COMPARED]
        ratios = [SequenceMatcher(None, h[:_MOST_COMPARED], system).ratio() for h in systems]
        return met, max(ratios, default=0.0)


def require_replies(function: str, replies: tuple[Any, ...]) -> None:
    """Raises TypeError if there is no reply, or one of them is not a reply."""
    if not replies:
        raise TypeError(f"{function} needs at least one reply, such as Reply.text('…')")
    for reply in replies:
        if isinstance(reply, str):
            raise TypeError(f"{function}: {reply!r} is not a reply; write Reply.text({reply!r})")
        if isinstance(reply, list | tuple):
            raise TypeError(
                f"{function} takes replies one by one, not in a list: put a * before it"
            )
        if inspect.iscoroutinefunction(reply):
            raise TypeError(
                f"{function}: {reply.__name__} is async; a reply function must not be async"
            )
        if not isinstance(reply, Reply) and not callable(reply):
            raise wrong_type(function, "a reply", reply, "a Reply, such as Reply.json(…)")
        if isinstance(reply, type) or getattr(reply, "__self__", None) is Reply:
            raise TypeError(f"{function}: call {_written(reply)} to make a reply")


def _written(maker: Any) -> str:
    """``Reply.text(…)`` for a class method that was not called; for a class its name."""
    owner = getattr(maker, "__self__", None)
    return f"{owner.__name__}.{maker.__name__}(…)" if owner else f"{maker.__name__}(…)"
