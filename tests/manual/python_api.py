"""The page about the Python API: the public names with their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from textwrap import dedent
from typing import Any, Final, NamedTuple

import workbench.testing
from tests.manual.markdown import page, table
from workbench.testing.plugin import llm_run
from workbench.testing.plugin.mock_fixtures import mock_llm

_WIDTH: Final = 88
_SECTIONS: Final = ("Args", "Attributes", "Returns", "Raises")
# The page of each group: what it is for, and its names. Errors have a table of their own.
_GROUPS: Final[dict[str, tuple[str, list[str]]]] = {
    "Mock a model": (
        "In a test, the pytest fixture `mock_llm` is a `MockLLM` that is fresh in each test.",
        ["MockLLM", "Reply", "Call"],
    ),
    "Agent mocks": (
        "Replace a function of your application that calls the model, or that is not a model.",
        ["agent_mock", "combine", "AgentCall", "SyncAgentCall", "MockLLMResponse", "scripted"],
    ),
    "Tool spies": ("Record the calls of your tools.", ["ToolCallSpy", "ToolCall"]),
    "Golden queries and checks": (
        "A check returns a `Check`, so that you write `assert check_tool(golden, spy)`.",
        [
            *("GoldenQuery", "check_tool", "check_filters", "check_results", "check_grounded"),
            *("check_relevance", "check_ordering", "check_differentiation", "check_schema"),
            *("check_filled", "Check"),
        ],
    ),
    "Checkpoints and replay": (
        "Record the calls of an application, and run its next steps again with the recorded "
        "replies. [Recording](recording.md) has an example.",
        [
            *("Run", "run_transport", "node", "call", "acall", "parsed"),
            *("Checkpointer", "Checkpoint", "replay", "areplay", "Replayed"),
        ],
    ),
}
# How signatures show the variables of types.
_VARIABLES: Final = {
    "_Arguments.args": "Any",
    "_Arguments.kwargs": "Any",
    "_Arguments": "...",
    "_Result": "Result",
}
_TYPES: Final = {
    "ReplySource": "a `Reply`, or a function that takes the `Call` and returns a `Reply`",
    "Header": "`name: value`, only a name, or `{name: value}`",
    "ProfileName": "`openai` or `stub`",
    "AgentFixture, CombinedFixture": "a pytest fixture; take it as an argument of your test",
    "Transport, RunTransport": "a transport for clients of httpx and httpx2",
    "RequestView": "what a request contains, in one form for all APIs",
    "Exchange": "a request with its reply, in a recording",
    "Sent, Outcome": "the reply of an exchange: `status`, `content_type` and `body`; for a call "
    "that is not an LLM call, its `value`, or `kind` and `message` of an exception",
    "Step": "a function, async or not, that takes a state and returns the next one",
    "Payload": "the body of a request, a dict",
    "UnsupportedRequest": "a request with `line` (method and path) and `message`",
    "Taken, Divergence, ExchangeDifference": "a difference; `str()` makes a sentence of it",
}


class Doc(NamedTuple):
    """A docstring.

    Attributes:
        text: what comes before the sections.
        sections: the entries of each section by name; of ``Returns`` the text under "".
    """

    text: str
    sections: dict[str, dict[str, str]]

    @classmethod
    def of(cls, documented: object) -> Doc:
        headings = "|".join(_SECTIONS)
        text = inspect.getdoc(documented) or ""
        parts = re.split(rf"^({headings}):\n", text, flags=re.MULTILINE)
        pairs = zip(parts[1::2], parts[2::2], strict=True)
        return cls(_markdown(parts[0]), {name: cls._entries(name, body) for name, body in pairs})

    @staticmethod
    def _entries(section: str, body: str) -> dict[str, str]:
        if section == "Returns":
            return {"": body}
        return dict(re.findall(r"^ {4}([\w, ]+): (.*(?:\n {8}.*)*)", body, re.MULTILINE))

    @property
    def attributes(self) -> dict[str, str]:
        """Each attribute with its meaning; those that share one, each with all of it."""
        entries = self.sections.get("Attributes", {})
        return {name: text for names, text in entries.items() for name in names.split(", ")}


def python_api() -> str:
    """The page of the manual."""
    contents = (
        (group, ", ".join(f"`{name}`" for name in names)) for group, (_, names) in _GROUPS.items()
    )
    return page(
        "Python API",
        "Every public name of `workbench.testing`, with its docstring. [pytest](pytest.md) shows "
        "how to use them, and has the options of the plugin.",
        table("group, names", contents),
        "Attributes that end in `_ms` are in milliseconds, as in fixture files. Arguments that are "
        "called `seconds`, and `retry_after`, are in seconds.",
        *(part for group in _GROUPS for part in _group(group)),
        "## Errors",
        table("error, is a, raised if", map(_error_row, errors())),
        "## pytest fixtures",
        table("pytest fixture, what it is", map(_fixture_row, (mock_llm, llm_run))),
        "## Types in signatures",
        table("type, what it is", ((_code(names), _cell(text)) for names, text in _TYPES.items())),
    )


def documented() -> set[str]:
    """The public names that the page contains."""
    return {*(name for _, names in _GROUPS.values() for name in names), *errors()}


def errors() -> list[str]:
    """The public exceptions."""
    return [name for name in workbench.testing.__all__ if name.endswith("Error")]


def _group(group: str) -> Iterator[str]:
    about, names = _GROUPS[group]
    yield f"## {group}"
    yield about
    for name in names:
        value = getattr(workbench.testing, name)
        yield f"### {_heading(name)}"
        yield from _class(name, value) if isinstance(value, type) else _function(name, value)


def _heading(name: str) -> str:
    """The heading of a name: ``Call`` and ``call`` need two anchors."""
    is_class = isinstance(getattr(workbench.testing, name), type)
    return f"class `{name}`" if is_class else f"`{name}`"


def _class(name: str, documented: type) -> Iterator[str]:
    doc = Doc.of(documented)
    if "Args" in doc.sections or "Raises" in doc.sections:  # one that you make
        yield _signature(name, documented)
    yield from _body(doc)
    members = dict(public_members(documented))
    attributes = doc.attributes | {
        key: Doc.of(value).text for key, value in members.items() if isinstance(value, property)
    }
    rows = (
        (f"`{key}`", _either(_type_of(documented, members, key)), _cell(text))
        for key, text in attributes.items()
    )
    if attributes:
        yield table("attribute, type, meaning", rows)
    for key, value in members.items():
        if not isinstance(value, property):
            yield f"#### `{name}.{key}`"
            yield from _function(f"{name}.{key}", getattr(documented, key), value)


def public_members(documented: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, those of its base after its own."""
    for owner in documented.__mro__:
        if owner.__module__.startswith("workbench."):
            for name, value in vars(owner).items():
                is_public = not name.startswith("_") or name == "__call__"
                if is_public and isinstance(value, property | classmethod | Callable):
                    yield name, value


def _type_of(documented: type, members: dict[str, Any], name: str) -> str:
    """The type of an attribute as it is written; "" if it is not."""
    member = members.get(name)
    if isinstance(member, property):
        return str(inspect.get_annotations(member.fget or str).get("return", ""))
    return str(inspect.get_annotations(documented).get(name, ""))


def _function(name: str, function: Any, member: Any = None) -> Iterator[str]:
    yield _signature(name, function, is_method=inspect.isfunction(member))
    yield from _body(Doc.of(function))


def _body(doc: Doc) -> Iterator[str]:
    """The text of a docstring with tables of its arguments and errors."""
    yield doc.text
    arguments, raised = doc.sections.get("Args", {}), doc.sections.get("Raises", {})
    if arguments:
        yield table(
            "argument, meaning", ((_code(key), _cell(text)) for key, text in arguments.items())
        )
    if "Returns" in doc.sections:
        yield "Returns: " + _inline(doc.sections["Returns"][""])
    if raised:
        yield table("raises, if", ((_code(key), _cell(text)) for key, text in raised.items()))


def _signature(name: str, called: Any, *, is_method: bool = False) -> str:
    signature = inspect.signature(called)
    parameters = list(signature.parameters.values())[1 if is_method else 0 :]
    result = "" if isinstance(called, type) else f" -> {_result(called, signature)}"
    parts = list(_parameters(parameters))
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) > _WIDTH:
        line = "\n    ".join([f"{name}(", *(f"{part}," for part in parts)]) + f"\n){result}"
    for variable, shown in _VARIABLES.items():
        line = line.replace(variable, shown)
    return f"```text shown\n{line}\n```"


def _parameters(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    """The parameters as they are written, with the marks ``/`` and ``*``."""
    kind = inspect.Parameter
    before: Any = kind.POSITIONAL_OR_KEYWORD
    stars = {kind.VAR_POSITIONAL: "*", kind.VAR_KEYWORD: "**"}
    for parameter in parameters:
        if before is kind.POSITIONAL_ONLY and parameter.kind is not before:
            yield "/"
        if parameter.kind is kind.KEYWORD_ONLY and before not in (
            kind.KEYWORD_ONLY,
            kind.VAR_POSITIONAL,
        ):
            yield "*"
        before = parameter.kind
        text = f"{stars.get(before, '')}{parameter.name}: {parameter.annotation}"
        default = parameter.default
        if default is not kind.empty:
            text += f" = {default!r}" if not callable(default) else " = …"
        yield text.replace("<factory>", "…")


def _result(called: Any, signature: inspect.Signature) -> str:
    """The type of the result; of a block in a ``with`` statement, what ``as`` names."""
    result = str(signature.return_annotation)
    inside = re.fullmatch(r"Iterator\[(.*)\]", result)
    return f"ContextManager[{inside[1]}]" if inside and hasattr(called, "__wrapped__") else result


def _error_row(name: str) -> tuple[str, str, str]:
    error = getattr(workbench.testing, name)
    doc = Doc.of(error)
    more = (f"`{key}`: {text}" for key, text in doc.attributes.items())
    return f"`{name}`", f"`{error.__base__.__name__}`", " ".join([doc.text, *more])


def _fixture_row(fixture: Any) -> tuple[str, str]:
    return f"`{fixture.__name__}`", Doc.of(fixture).text


def _cell(text: str) -> str:
    """A meaning with a capital, and a full stop only after several sentences."""
    line = _inline(text)
    return line[:1].upper() + (line[1:] if ". " in line else line[1:].removesuffix("."))


def _either(kind: str) -> str:
    """A type for a cell, where a ``|`` would end the cell."""
    return " or ".join(map(_code, kind.split(" | ")))


def _code(text: str) -> str:
    """Names, each as code."""
    return f"`{text}`" if text else ""


def _inline(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _markdown(text: str) -> str:
    """A docstring's text in Markdown: paragraphs, and examples after ``::``."""
    parts = []
    for part in re.split(r"\n\n(?![ \n])", text.strip()):
        about, mark, example = part.partition("::\n\n")
        parts.append(_inline(about + ":" * bool(mark)))
        if mark:
            parts.append(f"```python shown\n{dedent(example).strip()}\n```")
    return "\n\n".join(parts)
