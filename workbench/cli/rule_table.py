"""The validation rules explained: one of them, or the table of all."""

from __future__ import annotations

import textwrap

from workbench.cli import UsageError
from workbench.cli.output import print_json, print_result
from workbench.core.fixtures.rules import RULES
from workbench.core.fixtures.rules.wording import did_you_mean, near

ALL = "all"
MARKDOWN = "markdown"
WIDTH = 80


def explain(name: str, form: str) -> None:
    """Print what the rule ``name`` is about, or with ``all`` the table.

    Raises:
        UsageError: there is no such rule, or one cannot be printed in that form.
    """
    if name == ALL and form in _TABLES:
        _TABLES[form]()
    elif name == ALL or form != "text":
        raise UsageError(f"--format {form} does not go with --explain {name}")
    elif name not in RULES:
        raise UsageError(f'there is no rule "{name}"{did_you_mean(near(name, RULES))}')
    else:
        rule = RULES[name]
        head = [f"{rule.name} ({rule.severity})", rule.summary, ""]
        for line in [*head, *textwrap.wrap(rule.explain, WIDTH)]:
            print_result(line)


def _print_text() -> None:
    width = max(map(len, RULES))
    for rule in RULES.values():
        print_result(f"{rule.severity:<7}  {rule.name:<{width}}  {rule.summary}")


def _print_json() -> None:
    print_json(
        [
            {
                "rule": rule.name,
                "severity": rule.severity,
                "summary": rule.summary,
                "explain": rule.explain,
            }
            for rule in RULES.values()
        ]
    )


def _print_markdown() -> None:
    print_result("| rule | severity | what is wrong |")
    print_result("|---|---|---|")
    for rule in RULES.values():
        print_result(f"| `{rule.name}` | {rule.severity} | {rule.summary} |")


_TABLES = {"text": _print_text, "json": _print_json, MARKDOWN: _print_markdown}
