"""What all tests of the application share: style sheets that were parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.tokenizer import Token
from textual.css.types import CSSLocation


@pytest.fixture(scope="session", autouse=True)
def _each_sheet_is_parsed_once() -> Iterator[None]:
    """Every application parses the style sheets of all its widgets: a fifth of what its start
    costs, and the tests start hundreds.
    """
    parsed: dict[object, list[RuleSet]] = {}

    def parse_once(
        scope: str,
        css: str,
        read_from: CSSLocation,
        *,
        variable_tokens: Mapping[str, list[Token]],
        **more: Any,
    ) -> list[RuleSet]:
        variables = tuple((name, *tokens) for name, tokens in variable_tokens.items())
        sheet = (scope, css, read_from, variables, *more.items())
        if sheet not in parsed:
            found = parse(scope, css, read_from, variable_tokens=dict(variable_tokens), **more)
            parsed[sheet] = list(found)
        return parsed[sheet]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("textual.css.stylesheet.parse", parse_once)
        yield
