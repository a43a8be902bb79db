"""``python -m tests.benchmarks [ROW…]``: measures the promises about the terminal application's
speed.

Both sides of a row are measured in turns in the same run; the table has medians, and the lowest
and highest ratio of a round. Exits with 1 where a median does not reach what is promised.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks import (
    digests,
    editor,
    folders,
    interception,
    lists,
    live,
    logs,
    mocks,
    nearest,
    recordings,
    server,
    start,
    suites,
    validation,
)
from tests.benchmarks.place import Place
from tests.benchmarks.table import Result, lines, markdown, measure

ROWS = [
    *start.ROWS,
    *lists.ROWS,
    *editor.ROWS,
    *logs.ROWS,
    *live.ROWS,
    *digests.ROWS,
    *validation.ROWS,
    *server.ROWS,
    *interception.ROWS,
    *folders.ROWS,
    *mocks.ROWS,
    *suites.ROWS,
    *nearest.ROWS,
    *recordings.ROWS,
]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("rows", type=int, nargs="*", metavar="ROW", help="default: all")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default: 5")
    parser.add_argument("--format", choices=["text", "markdown"], default="text")
    args = parser.parse_args()
    if unknown := set(args.rows) - {row.number for row in ROWS}:
        parser.error(f"there is no row {min(unknown)}")
    # What is installed has its byte code; ours gets it in the first round.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        place = Place(Path(folder))
        for row in ROWS:
            if not args.rows or row.number in args.rows:
                print(f"{row.number}  {row.what} / {row.against} …", file=sys.stderr)
                results.append(measure(row, place, args.rounds))
                print(f"    {'  '.join(results[-1].cells[3:])}", file=sys.stderr)
    print(
        f"Python {platform.python_version()}, Textual {version('textual')}, {platform.system()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {args.rounds} rounds, medians\n"
    )
    print("\n".join(markdown(results) if args.format == "markdown" else lines(results)))
    return 1 if any(result.is_over for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
