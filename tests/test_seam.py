"""The request view is the seam: the keys of an API are known to its own package alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.own_code import nodes

HOME = "core/apis/"

# Of requests, and of replies as they are sent. The keys of a fixture's ``response`` (``content``,
# ``tool_calls``, ``finish_reason``, ``usage``, ``refusal``) are those of the neutral reply.
KEYS = {
    "choices",
    "delta",
    "function_call",
    "functions",
    "image_url",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "parallel_tool_calls",
    "reasoning_content",
    "response_format",
    "stream_options",
    "tool_call_id",
    "tool_choice",
    "tools",
}
# In longer texts: the path, and places such as ``messages[0]``.
PHRASES = re.compile(r"/chat/completions|messages\[|chat\.completion(?!s)")

# Module -> the keys it may have, and why.
EXCEPTIONS = {
    "core/digest.py": (
        {"messages", "tool_call_id", "tool_choice"},
        "the digest of any request is that of the chat request that says the same",
    ),
    "core/requests/equivalence.py": (
        {"image_url", "messages", "tool_call_id", "tool_choice"},
        "the canonical form of any request is that of the chat request that says the same",
    ),
    "core/requests/view.py": (
        {
            *("functions", "messages", "response_format", "stream_options"),
            *("tool_choice", "tools"),
        },
        "the view of any request is that of the chat request that says the same",
    ),
    "core/requests/messages.py": (
        {"image_url", "messages", "tool_call_id"},
        "the messages of any request are those of the chat request that says the same",
    ),
    "core/replies/fixture_form.py": ({"function_call"}, "a finish reason"),
    "core/replies/cutting.py": ({"delta"}, "a word of a directive"),
    "cli/commands/hash.py": ({"messages"}, "the name of an API"),
    "session/answers/drift.py": ({"tools"}, "a word of its own results: what differs"),
    "session/misses/nearest_result.py": (
        {"messages"},
        "a key of its own JSON output: how many there are",
    ),
    "testing/evals/spies.py": ({"tools"}, "the name of an argument"),
    "tui/request/request_lines.py": ({"tool_choice"}, "a label"),
    **{
        f"demo/agents/{name}.py": (KEYS, "sample applications, which are clients of the chat API")
        for name in ("asking", "chat", "other_apis")
    },
    "testing/mocks/agent_calls.py": (
        {"messages", "tools"},
        "the arguments of an application's own function, from which a chat request is made",
    ),
}


def docstrings(code: list[ast.AST]) -> Iterator[ast.AST]:
    """Texts that stand alone, as docstrings do."""
    for node in code:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def keys_in(code: list[ast.AST]) -> set[str]:
    """The keys of the chat API that a module has in its texts."""
    ignored = set(docstrings(code))
    found = set()
    for node in code:
        if isinstance(node, ast.Constant) and node not in ignored:
            value = node.value
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            if isinstance(text, str):
                found |= {text} & KEYS | set(PHRASES.findall(text))
    return found


def test_only_the_package_of_the_chat_api_knows_its_keys() -> None:
    found = {
        name: keys
        for name, code in nodes().items()
        if not name.startswith(HOME) and (keys := keys_in(code))
    }
    unexpected = {name: keys - EXCEPTIONS.get(name, (set(), ""))[0] for name, keys in found.items()}
    assert {name: keys for name, keys in unexpected.items() if keys} == {}
    assert found.keys() == EXCEPTIONS.keys(), "an exception that is not needed"


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ('x["messages"]; b = b"tool_call_id"', {"messages", "tool_call_id"}),
        ('y = f"{z}/chat/completions"', {"/chat/completions"}),
        ('"""messages"""\ndef f():\n    """tools"""\n    return "messages of tools"', set()),
    ],
)
def test_keys_are_found_wherever_they_stand(source: str, keys: set[str]) -> None:
    assert keys_in([*ast.walk(ast.parse(source))]) == keys
