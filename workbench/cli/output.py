"""What the commands print: results to standard output, messages to standard error.

Everything goes through here, so that nothing that comes from a log, a file or an argument acts on
the terminal it is printed to.
"""

from __future__ import annotations

import sys

from workbench.core.inert import escaped, json_escaped


def print_result(line: str) -> None:
    """Write one line of a result for people."""
    print(escaped(line))


def print_message(line: str) -> None:
    """Write one line to standard error."""
    print(escaped(line), file=sys.stderr)


def print_json(value: object) -> None:
    """Write ``value`` for programs: indented, and readable but for characters that act."""
    import json

    text = json_escaped(json.dumps(value, indent=2, ensure_ascii=False))
    write_data(text.encode("utf-8") + b"\n")


def write_data(data: bytes) -> None:
    """Write JSON, or a stream of it, as it is; to a terminal with escapes for characters that
    act there.
    """
    if sys.stdout.isatty():
        text = data.decode("utf-8", "surrogateescape")
        data = json_escaped(text).encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
