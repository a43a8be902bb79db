"""The texts for requests that nothing answers: which request it is, and commands that answer it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from workbench.core.answering.unanswered import about, promote_command, run_command
from workbench.core.apis.table import view
from workbench.core.requests.view import RequestView

QUESTION = "What is the weather in London?"


def asking(content: str = QUESTION, **more: Any) -> RequestView:
    return view({"model": "gpt-4o", "messages": [{"role": "user", "content": content}], **more})


def function(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    return {"tools": [tool], "tool_choice": "required"}


def schema(value: dict[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"schema": value}}}


def test_the_request_is_named_by_digest_model_and_question() -> None:
    assert about(asking()) == f"99f0a02e7392 · gpt-4o · “{QUESTION}”"
    assert "(not shown" in about(asking(), is_hidden=True)
    assert about(view({"model": "m"})).endswith(" · m")


@pytest.mark.parametrize("text", ['say "hi"', "\x1b[31mred", "one\ntwo", "x" * 1000])
def test_whatever_is_asked_the_text_is_inert_and_without_double_quotes(text: str) -> None:
    which = about(asking(text))
    assert which.isprintable()
    assert '"' not in which
    assert len(which) < 100


@pytest.mark.parametrize(
    ("demand", "answer"),
    [
        ({}, ["--content", "…"]),
        ({"response_format": {"type": "json_object"}}, ["--content", "{}"]),
        (
            schema({"type": "array", "minItems": 1, "items": {"type": "string"}}),
            ["--content", '["…"]'],
        ),
        (
            schema({"properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}),
            ["--content", '{"n": 1}'],
        ),
        (schema({"type": "string", "pattern": "^[0-9]$"}), []),
        (
            function("weather", {"properties": {"city": {"enum": ["Rome"]}}, "required": ["city"]}),
            ["--tool-call", "weather", '{"city": "Rome"}'],
        ),
        (function("now", {}), ["--tool-call", "now", "{}"]),
        (schema({"const": -1e300}), ["--content=-1e+300"]),
        (schema({"const": "\u202e"}), ["--content", '"\\u202e"']),
        # A command cannot take these as the name of a tool, from any shell.
        *((function(name, {}), []) for name in ("-x", "--help", "a\0b", "\x07")),
        # A command saves no call of a tool that the request does not offer.
        ({"tool_choice": {"type": "function", "function": {"name": "now"}}}, []),
    ],
)
def test_the_command_has_an_answer_that_fits_the_request(
    demand: dict[str, Any], answer: list[str]
) -> None:
    request = asking(**demand)
    words = shlex.split(promote_command(request, ["--log", "my log"]))
    command = ["workbench", "promote", request.digest[:12], "--log", "my log", *answer]
    assert words == (command if answer else [])


def test_a_test_is_quoted_for_the_shell() -> None:
    words = shlex.split(run_command(["--fixtures", "a b"], "test_a.py::test_b[it's $HOME]"))
    folder = ["--fixtures", "a b"]
    assert words == ["workbench", "run", *folder, "--", "pytest", "test_a.py::test_b[it's $HOME]"]
