"""Which logs names and patterns mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench.io.log_paths import expand


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["a.log"], ["a.log"]),
        (["*.log"], ["a.log", "b.log"]),
        (["b.log", "*.log"], ["b.log", "a.log"]),
        (["**/*.log"], ["a.log", "b.log", "sub/c.log"]),
        (["no-such.log"], ["no-such.log"]),
        (["no-such-*.log", "a.log"], ["no-such-*.log", "a.log"]),
        (["odd[1].log"], ["odd[1].log"]),
        (["s*"], ["s*"]),  # a folder is no log
        (["link", "a.log"], ["link"]),
        (["-", "a.log"], ["-", "a.log"]),
        ([], []),
    ],
)
def test_expand(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    patterns: Sequence[str],
    expected: Sequence[str],
) -> None:
    (tmp_path / "sub").mkdir()
    for name in ["a.log", "b.log", "sub/c.log", "odd[1].log", "odd1.log"]:
        (tmp_path / name).touch()
    if "[" not in "".join(patterns):
        (tmp_path / "odd[1].log").unlink()
        (tmp_path / "odd1.log").unlink()
    (tmp_path / "link").symlink_to("a.log")
    monkeypatch.chdir(tmp_path)
    assert expand(patterns) == [Path(name) for name in expected]
