"""``python -m tests.mutants [NUMBER…]``: would a test notice if the code were wrong?

Changes `core` and `server` in one place at a time (a comparison, a number, a condition, ...) with
cosmic-ray, and runs the tests that are about that place; a change that no test notices survives.
Shows each survivor as a diff, and the share of those noticed (the mutation score).

The places are a random sample that depends on the seed and the code alone. Numbers run these of
the sample again. Works on a copy of the repository; needs ``.[dev,mutation]``, and hours.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shlex
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from cosmic_ray.commands import init
from cosmic_ray.modules import find_modules
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import TestOutcome

ROOT = Path(__file__).parent.parent
LAYERS = [Path("workbench/core"), Path("workbench/server")]
# They run other people's clients, or wait for seconds to pass.
LEFT_OUT = {
    *("any_client", "askers", "concurrency", "frameworks", "hold_flows", "kill_recording"),
    *("gemini_clients", "messages_clients", "reference_clients", "responses_clients"),
}
REPLIES = "tests/test_exact_replies.py"
# All other tests of a layer, and the replies to requests of every API: for `core` also those over a
# real connection, and the tests of the layers above it that have no user interface.
WIDE = {
    "core": [
        ["tests/core", "tests/server/test_reference.py"],
        [REPLIES, "tests/io", "tests/session"],
    ],
    "server": [
        [
            *(f"tests/server/{folder}" for folder in ("misses", "routes", "wire")),
            *(
                str(path.relative_to(ROOT))
                for path in sorted(ROOT.glob("tests/server/test_*.py"))
                if path.stem.removeprefix("test_") not in LEFT_OUT
            ),
        ],
        [REPLIES],
    ],
}
# The limit ends the whole run: hypothesis tries an example that ran into it again, without one.
LIMIT = "-o timeout=60 -o timeout_method=thread"
PYTEST = f"python -m pytest -x -q -p no:cacheprovider -p no:xdist {LIMIT}"
# Seconds for all tests of one change; one test has 60.
MOST_SECONDS = 900
# `is` for `==` and the reverse: the same for the small values that are compared here.
SAME = ("_Eq_Is", "_NotEq_IsNot", "_Is_Eq", "_IsNot_NotEq")

Place = tuple[str, tuple[int, int], tuple[int, int]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("numbers", type=int, nargs="*", metavar="NUMBER", help="default: all")
    parser.add_argument("--count", type=int, default=500, metavar="N", help="default: 500")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: 1")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workbench-mutants-") as folder:
        copy = Path(folder, "repository")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache"))
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy)  # for the programs that tests start
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        chosen = sample(Path(folder, "mutations.sqlite"), args.seed)[: args.count]
        numbers = args.numbers or range(1, len(chosen) + 1)
        return report(run(chosen, numbers))


def sample(database: Path, seed: int) -> list[Any]:
    """One change at each place that cosmic-ray knows of, in random order."""
    by_place: dict[Place, list[Any]] = defaultdict(list)
    with use_db(str(database)) as db:
        init(sorted(find_modules(LAYERS)), db, {})
        for item in db.work_items:
            for mutation in item.mutations:
                if not mutation.operator_name.endswith(SAME):
                    place = (str(mutation.module_path), mutation.start_pos, mutation.end_pos)
                    by_place[place].append(mutation)
    skipped = {path: list(unseen(path)) for path in {path for path, *_ in by_place}}
    places = sorted(
        (path, start, end)
        for path, start, end in by_place
        if not any(begin <= start and end <= last for begin, last in skipped[path])
    )
    chance = random.Random(seed)
    chance.shuffle(places)
    return [chance.choice(sorted(by_place[place], key=_operator)) for place in places]


def _operator(mutation: Any) -> tuple[str, int]:
    return mutation.operator_name, mutation.occurrence


def unseen(path: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a module has what mypy reads and no test does: annotations, what is imported for them,
    and how strict and small its dataclasses are.
    """
    for node in ast.walk(ast.parse(Path(path).read_text("utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in ("frozen", "slots"):
            notes: list[Any] = [node]
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            notes = [node.test]
        else:
            notes = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for note in filter(None, notes):
            yield (note.lineno, note.col_offset), (note.end_lineno, note.end_col_offset)


def tests_of(module: Path) -> list[list[str]]:
    """The tests that may notice a change of a module, the nearest first: those of its name or of
    its package, then those of its layer.
    """
    layer, *packages, name = module.relative_to("workbench").parts
    folder = Path("tests", layer, *packages)
    named = folder / f"test_{name}"
    if named.exists():
        return [[str(named)], *WIDE[layer]]
    return [[str(folder)], *WIDE[layer]] if packages else WIDE[layer]


def run(chosen: Sequence[Any], numbers: Sequence[int]) -> Iterator[tuple[Path, bool]]:
    """Make each change alone, and say whether a test noticed it; print those that none did."""
    tests = [path for steps in WIDE.values() for paths in steps for path in paths]
    outcome, output = run_tests(f"{PYTEST} {shlex.join(tests)}", MOST_SECONDS)
    if outcome != TestOutcome.SURVIVED:
        sys.exit(f"{output}\nThese tests fail without any change.")
    for number in numbers:
        mutation = chosen[number - 1]
        module = mutation.module_path
        steps = " && ".join(f"{PYTEST} {shlex.join(tests)}" for tests in tests_of(module))
        result = mutate_and_test([mutation], f"sh -c {shlex.quote(steps)}", MOST_SECONDS)
        # It is younger than the second in which the module became what it was.
        Path(cache_from_source(str(module))).unlink(missing_ok=True)
        noticed = result.test_outcome == TestOutcome.KILLED
        print(f"{number:4} {'noticed' if noticed else 'SURVIVED'}  {module}", flush=True)
        if not noticed:
            print(result.diff or result.output, flush=True)
        yield module, noticed


def report(outcomes: Iterator[tuple[Path, bool]]) -> int:
    """Print the score of every package and of all."""
    made: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    try:
        for module, was_noticed in outcomes:
            for name in (str(module.parent), "all"):
                made[name] += 1
                noticed[name] += was_noticed
    except KeyboardInterrupt:
        print("interrupted")
    for name in sorted(made):
        print(f"{name:40} {noticed[name]:4} of {made[name]:4}  {noticed[name] / made[name]:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
