"""The hook for pre-commit, run as pre-commit runs it: with the names of the files it is for."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.running import command
from tests.core.fixture.rules.rule_cases import DIGEST, content
from tests.reference import AGENT_FIXTURES

FILE = Path(__file__).parents[1] / ".pre-commit-hooks.yaml"


def hook() -> dict[str, str]:
    """The one hook; each line of the file is a key and a plain value."""
    first, *more = FILE.read_text().splitlines()
    assert first.startswith("- ")
    assert all(line.startswith("  ") for line in more)
    return dict(line[2:].split(": ", 1) for line in [first, *more])


def test_the_hook_is_for_fixtures() -> None:
    found = hook()
    assert found["id"] == "workbench-validate"
    assert found["language"] == "python"
    wanted = re.compile(found["files"])
    fixtures = [f"fixtures/{DIGEST}.json", f"{DIGEST}.json", f"a/b/{DIGEST}.json"]
    others = [
        "package.json",
        f"fixtures/{DIGEST}.json.bak",
        f"x{DIGEST}.json",
        f"{DIGEST[:9]}.json",
    ]
    assert [name for name in [*fixtures, *others] if wanted.search(name)] == fixtures


def test_the_hook_checks_the_files_it_is_given(tmp_path: Path) -> None:
    program, *arguments = shlex.split(hook()["entry"])
    assert program == "workbench"
    good = [str(path) for path in sorted(AGENT_FIXTURES.iterdir())]
    assert command(*arguments, *good, cwd=tmp_path).returncode == 0
    bad = tmp_path / f"{DIGEST}.json"
    bad.write_text(content("1"))
    ran = command(*arguments, *good, bad.name, cwd=tmp_path)
    assert ran.returncode == 1
    assert f"{bad.name}:1:26: error content-not-string".encode() in ran.stdout
