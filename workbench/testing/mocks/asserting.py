"""What assertions about a mock's calls say when they fail."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.inert import escaped_lines
from workbench.testing.mocks.calls import Call, table
from workbench.testing.mocks.errors import MockLLMError
from workbench.testing.mocks.scripts import Script


def require_calls(
    expected: Sequence[str | None], calls: Sequence[Call], problems: Sequence[MockLLMError]
) -> None:
    """Raises AssertionError unless the calls are of these roles, in this order."""
    __tracebackhide__ = True
    found = [call.role for call in calls]
    _require_none(problems, calls)
    if found == list(expected):
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b),
        min(len(expected), len(found)),
    )
    wanted = _name(expected[at]) if at < len(expected) else "no further call"
    got = _name(found[at]) if at < len(found) else "no further call"
    _fail(
        f"The calls are not those expected: call {at + 1} should be {wanted}, it is {got}.",
        f"expected: {_names(expected)}",
        f"   found: {_names(found)}",
        calls=calls,
    )


def require_finished(
    left: Sequence[tuple[Script, int]], calls: Sequence[Call], problems: Sequence[MockLLMError]
) -> None:
    """Raises AssertionError where scripted replies are left over."""
    __tracebackhide__ = True
    _require_none(problems, calls)
    if left:
        lines = [f"{count} of {len(script.replies)} of the {script}" for script, count in left]
        _fail("Scripted replies that nobody asked for:", *lines, calls=calls)


def _require_none(problems: Sequence[MockLLMError], calls: Sequence[Call]) -> None:
    __tracebackhide__ = True
    if problems:
        _fail("The mock could not answer:", *map(str, problems), calls=calls)


def _fail(headline: str, *lines: str, calls: Sequence[Call]) -> None:
    __tracebackhide__ = True
    shown = table(calls) or "  (no calls)"
    text = "\n".join([headline, *(f"  {line}" for line in lines), "Calls:", shown])
    raise AssertionError(escaped_lines(text))


def _name(role: str | None) -> str:
    return "of no role" if role is None else repr(role)


def _names(roles: Sequence[str | None]) -> str:
    return ", ".join(role or "?" for role in roles) or "none"
