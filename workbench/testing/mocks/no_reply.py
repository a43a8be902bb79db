"""The error for a call that neither a script nor a fixture answers, with what answers it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from keyword import iskeyword

from workbench.core.answering.unanswered import (
    REPEATS,
    about,
    promote_command,
    quoted,
    rekey_line,
    secret_line,
)
from workbench.core.fixture.names import digest_of
from workbench.core.fixture.skeleton import demanded_tool
from workbench.core.requests.view import RequestView
from workbench.testing.mocks.calls import Call, repeats_credential


def no_reply_text(call: Call, why: str, log_options: Sequence[str] | None, older: str = "") -> str:
    """Lines of text: which call it is, why nothing answers it, and what does.

    Args:
        why: the nearest fixture and the nearest script; "" for none.
        log_options: the options with which commands find the log that has the request; None if no
            log has it.
        older: the name of the fixture of an older form of the request, or "".
    """
    is_hidden = repeats_credential(call)
    which = about(call.view, is_hidden=is_hidden)
    role = "" if call.role is None else quoted(f" of role {call.role!r}")
    first = f"mock_llm: nothing answers call {call.number}{role} ({which})."
    hidden = REPEATS if is_hidden else ""
    ways = _ways_out(call, None if is_hidden else log_options, older)
    return "\n".join(filter(None, [first, quoted(why), hidden, *ways]))


def _ways_out(call: Call, log_options: Sequence[str] | None, older: str) -> Iterator[str]:
    secret = "" if log_options is None else secret_line(call.view)
    if secret:
        log_options = None
    if log_options is not None and older:
        yield rekey_line(digest_of(older), call.view.digest, log_options)
    role = "" if call.role is None else f", role={call.role!r}"
    yield f"Script a reply before it: mock_llm.script({_reply(call.view)}{role})"
    promote = "" if log_options is None else promote_command(call.view, log_options)
    if promote:
        yield f"Or save a fixture: {promote}"
    if secret:
        yield secret


def _reply(request: RequestView) -> str:
    """A reply that fits a request, as Python."""
    from workbench.core.fixture.example import example, example_arguments  # slow to load

    tool, output = demanded_tool(request), request.output_format
    if tool is not None:
        text = None if tool.is_custom else example_arguments(tool.parameters or {})
        arguments = None if text is None else json.loads(text)
        if arguments is None:
            return f"Reply.tool_call({tool.name!r}, …)"
        values = [f"{name}={value!r}" for name, value in arguments.items()]
        if not all(map(_is_keyword, arguments)):
            values = [repr(arguments)]
        if tool not in request.tools:
            values.append("unchecked=True")
        return f"Reply.tool_call({', '.join([repr(tool.name), *values])})"
    if output.is_json:
        text = "{}" if output.schema is None else example(output.schema)
        return f"Reply.json({'…' if text is None else repr(json.loads(text))})"
    return "Reply.text('…')"


def _is_keyword(name: str) -> bool:
    """True if the argument of a tool can be a keyword of ``Reply.tool_call``."""
    # Python changes some letters of names that are not ASCII.
    is_name = name.isascii() and name.isidentifier() and not iskeyword(name)
    return is_name and name != "unchecked"
