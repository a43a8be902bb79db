"""The help of a command: the text before and after the options that argparse lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from workbench.cli.exit_codes import EXIT_CODES

_INDENT: Final = "  "


class CommandHelp(NamedTuple):
    """The help of a command besides its options and exit codes.

    Attributes:
        page: page of the manual.
        examples: the effect of each example, by the command to type.
        about: sentences that follow its summary; an indented line stays unchanged.
    """

    page: str
    examples: Mapping[str, str]
    about: str = ""


def help_text(command: str | None, summary: str, options: str, more: CommandHelp) -> str:
    """The help of a command, or of ``workbench`` without one.

    Args:
        options: its usage and options, as argparse writes them.
    """
    lines = [
        *_wrapped(summary),
        *(["", *_wrapped(more.about)] if more.about else []),
        "",
        options.rstrip("\n"),
        "",
        *_exit_codes(command),
        "",
        "examples:",
        *_examples(more.examples),
        "",
        f"More: workbench manual {more.page}",
    ]
    return "\n".join([*lines, ""])


def _wrapped(text: str, indent: str = "", first: str = "") -> Iterator[str]:
    """The lines of text, as wide as the terminal; an indented line stays unchanged.

    Args:
        first: the beginning of the first line, instead of the indent.
    """
    from shutil import get_terminal_size
    from textwrap import wrap

    width = max(get_terminal_size().columns - 2, 11)
    for line in text.split("\n"):
        if not line or line.startswith(" "):
            yield line
            continue
        yield from wrap(
            line,
            width,
            initial_indent=first or indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )


def _exit_codes(command: str | None) -> Iterator[str]:
    yield "exit codes:"
    codes = EXIT_CODES[command or ""]
    width = max(len(str(code)) for code in codes) + len(_INDENT)
    for code, when in codes.items():
        first = f"{_INDENT}{code:<{width}}"
        yield from _wrapped(when, " " * len(first), first)


def _examples(examples: Mapping[str, str]) -> Iterator[str]:
    for number, (line, what) in enumerate(examples.items()):
        if number:
            yield ""
        yield from _wrapped(what, f"{_INDENT}# ")
        yield f"{_INDENT}{line}"
