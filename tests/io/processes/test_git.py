"""Which files git has in a commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

from workbench.io.processes.git import committed_files


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True)


def test_only_what_is_in_the_last_commit_as_it_is_now(tmp_path: Path) -> None:
    folder = tmp_path / "e2e" / "fixtures"
    folder.mkdir(parents=True)
    assert committed_files(folder) == frozenset()
    git(tmp_path, "init", "-q")
    assert committed_files(folder) == frozenset()
    for name in ("kept.json", "changed.json", "staged.json", "assumed.json", "née \n.json"):
        (folder / name).write_text("{}")
    (folder / "below").mkdir()
    (folder / "below" / "x.json").write_text("{}")
    git(tmp_path, "add", ".")
    assert committed_files(folder) == frozenset()
    git(tmp_path, "commit", "-q", "-m", "x")
    (folder / "changed.json").write_text("[]")
    (folder / "staged.json").write_text("[]")
    git(tmp_path, "add", "e2e/fixtures/staged.json")
    (folder / "added.json").write_text("{}")
    git(tmp_path, "add", "e2e/fixtures/added.json")
    (folder / "untracked.json").write_text("{}")
    git(tmp_path, "update-index", "--assume-unchanged", "e2e/fixtures/assumed.json")
    (folder / "assumed.json").write_text("[]")
    assert committed_files(folder) == {"kept.json", "née \n.json", "below/x.json"}
    git(tmp_path, "update-index", "--skip-worktree", "e2e/fixtures/kept.json")
    assert "kept.json" not in committed_files(folder)
    assert committed_files(tmp_path / "none") == frozenset()
