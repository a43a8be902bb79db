"""The last lines of test runners."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.session.suite.totals import failures

PYTEST = "=========== 2 failed, 3 passed, 1 skipped, 4 warnings in 0.12s ==========="
COLOURED = (
    "\x1b[31m===== \x1b[0m\x1b[31m\x1b[1m2 failed\x1b[0m, \x1b[32m3 passed\x1b[0m"
    "\x1b[31m in 0.12s\x1b[0m\x1b[31m =====\x1b[0m"
)
UNITTEST = """\
FAIL: test_one (test_it.Test.test_one)
ERROR: test_two (test_it.Test.test_two)
----------------------------------------------------------------------
Ran 8 tests in 0.002s

FAILED (failures=1, errors=1, skipped=1, expected failures=1, unexpected successes=1)"""
SUBTESTS = """\
FAIL: test_parts (test_it.Test.test_parts) (i=1)
FAIL: test_parts (test_it.Test.test_parts) [a message] (i=2)
ERROR: setUpClass (test_it.Other)
Ran 3 tests in 0.001s

FAILED (failures=2, errors=1)"""
CLASS_FAILED = "Ran 0 tests in 0.000s\n\nFAILED (errors=1)"
JEST = """\
Test Suites: 1 failed, 1 passed, 2 total
Tests:       2 failed, 1 skipped, 3 passed, 6 total
Snapshots:   0 total
Time:        1.2 s"""
VITEST = """\
 Test Files  1 failed | 1 passed (2)
      Tests  2 failed | 3 passed | 1 expected fail (6)
   Start at  10:09:22"""
GO = """\
=== RUN   TestOne
--- FAIL: TestOne (0.00s)
    --- FAIL: TestOne/part (0.00s)
=== RUN   TestTwo
--- PASS: TestTwo (0.00s)
FAIL
exit status 1
FAIL\texample.com/app\t0.003s
FAIL"""
MOCHA = """\
\x1b[92m \x1b[0m\x1b[32m 3 passing\x1b[0m\x1b[90m (5ms)\x1b[0m
\x1b[36m \x1b[0m\x1b[36m 2 pending\x1b[0m
\x1b[31m  2 failing\x1b[0m

\x1b[0m  1) x
       bad:
\x1b[0m\x1b[31m      AssertionError [ERR_ASSERTION]: 1 == 2"""
TAP = """\
not ok 5 x bad2
  1 == 3
ok 6 x later # SKIP -
# tests 5
# pass 3
# fail 2
1..6"""
NODE = """\
\x1b[34mℹ tests 6\x1b[39m
\x1b[34mℹ suites 0\x1b[39m
\x1b[34mℹ pass 3\x1b[39m
\x1b[34mℹ fail 2\x1b[39m
\x1b[34mℹ cancelled 0\x1b[39m
\x1b[34mℹ skipped 1\x1b[39m
\x1b[34mℹ todo 0\x1b[39m
\x1b[34mℹ duration_ms 195.552263\x1b[39m

\x1b[31m✖ failing tests:\x1b[39m"""
CARGO = """\
test c ... FAILED
test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.39s
test f ... FAILED
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
error: 2 targets failed:"""
NEXTEST = """\
────────────
     Summary [   0.012s] 5 tests run: 3 passed, 2 failed, 1 skipped
        FAIL [   0.005s] cg tests::c"""


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (PYTEST, "2 failed, 3 passed"),
        (COLOURED, "2 failed, 3 passed"),
        ("1 failed, 1,234 passed", None),
        ("2 failed, 3 passed, 1 error in 75.20s (0:01:15)", "2 failed, 1 error, 3 passed"),
        ("==== 2 errors in 0.10s ====", "2 errors"),
        ("1 failed, 2 passed, 3 subtests passed in 0.10s", "1 failed, 2 passed"),
        ("\x1b[33m\x1b[39m" * 100 + "1 failed in 0.1s", "1 failed"),
        (f"{PYTEST}\nmake: *** [Makefile:2: test] Error 1", "2 failed, 3 passed"),
        (f"{PYTEST}\n1 passed in 0.1s", "2 failed, 3 passed"),
        (f"1 failed in 0.1s\n{PYTEST}", "2 failed, 3 passed"),
        ("3 passed in 0.10s", None),
        ("no tests ran in 0.01s", None),
        ("the log says: 2 failed, 3 passed in 0.12s", None),
        (UNITTEST, "2 failed, 1 error, 3 passed"),
        (CLASS_FAILED, "1 error"),
        (SUBTESTS, "2 failed, 1 error, 2 passed"),
        (SUBTESTS.partition("\n")[2], "2 failed, 1 error"),
        ("FAILED (something else)", None),
        (JEST, "2 failed, 3 passed"),
        (VITEST, "2 failed, 3 passed"),
        (VITEST.replace("2 failed | 3", "3"), None),
        (GO, "1 failed, 1 passed"),
        (f"printed{GO.replace('=== RUN   TestTwo', 'so')}", "1 failed, 1 passed"),
        ("printed--- FAIL: TestOne (0.00s)\n--- FAIL: TestTwo (0.00s)", "2 failed"),
        (MOCHA, "2 failed, 3 passed"),
        (MOCHA.replace("2 failing", "0 failing"), None),
        (TAP, "2 failed, 3 passed"),
        (TAP.replace("# fail 2", ""), None),
        (NODE, "2 failed, 3 passed"),
        (CARGO, "2 failed, 3 passed"),
        (NEXTEST, "2 failed, 3 passed"),
        ("ok  \texample.com/app\t0.003s", None),
        ("--- PASS: TestTwo (0.00s)\nFAIL\texample.com/app [build failed]", None),
        ("x" * 100_000, None),
        ("", None),
    ],
)
def test_what_failed(output: str, said: str | None) -> None:
    found = failures(output.split("\n"))
    assert (None if found is None else str(found)) == said


@pytest.mark.parametrize(("output", "said"), [(GO, None), (CARGO, None), (PYTEST, PYTEST)])
def test_counts_are_not_added_up_without_the_first_lines(output: str, said: str | None) -> None:
    found = failures(output.split("\n"), is_whole=False)
    assert (found is None) == (said is None)


SUITE = """
import unittest
class Test(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): pass
    def test_three(self): self.fail()
    @unittest.skip("later")
    def test_four(self): pass
"""


@pytest.mark.parametrize(
    "runner",
    [["pytest", "-p", "no:cacheprovider"], ["pytest", "-q", "--color=yes"], ["unittest", "-v"]],
    ids=" ".join,
)
def test_what_runners_say(tmp_path: Path, runner: list[str]) -> None:
    (tmp_path / "test_it.py").write_text(SUITE)
    words = [sys.executable, "-m", *runner, "test_it.py"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert str(failures((ran.stdout + ran.stderr).splitlines())) == "1 failed, 2 passed"
