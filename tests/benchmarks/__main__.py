"""``python -m tests.benchmarks``: measures the promises about the terminal application's speed.

Both sides of a row are measured in turns in the same run; the table has medians. Exits with 1
where one is over its limit.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks import editor, lists, live, logs, start
from tests.benchmarks.place import Place
from tests.benchmarks.table import Result, lines, measure

ROWS = [*start.ROWS, *lists.ROWS, *editor.ROWS, *logs.ROWS, *live.ROWS]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--only", type=int, action="append", metavar="N", help="only row N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default: 5")
    args = parser.parse_args()
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        place = Place(Path(folder))
        for row in ROWS:
            if args.only is None or row.number in args.only:
                print(f"{row.number}  {row.what} / {row.against} …", file=sys.stderr)
                results.append(measure(row, place, args.rounds))
    print(
        f"Python {platform.python_version()}, Textual {version('textual')}, {platform.system()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {args.rounds} rounds, medians\n"
    )
    print("\n".join(lines(results)))
    return 1 if any(result.is_over for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
