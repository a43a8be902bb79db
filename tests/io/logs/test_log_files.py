"""Which logs a command line names, and what is not a log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.io.logs.log_files import expand, why_not_a_log


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


@given(text=st.text(st.characters(), max_size=300), cut_at=st.integers(0, 300))
def test_text_that_begins_as_nothing_else_may_be_a_log(text: str, cut_at: int) -> None:
    # Also where it holds NULs, and where its first bytes end inside a character.
    head = b"x" + text.encode("utf-8", "replace")
    assert why_not_a_log(head[: cut_at + 1]) == ""


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"", ""),
        (bytes(9000), ""),
        (bytes(9000) + b"a line\n", ""),
        (b"na\xefve\n", ""),
        (b"na\xefve\0\n", "it is not a text file"),
        (b"\x1f\x8b\x08", "it is compressed with gzip; decompress it first"),
        (b"PK\x03\x04", "it is compressed with zip; decompress it first"),
        ("x".encode("utf-16"), "it is UTF-16; a log is UTF-8"),
    ],
)
def test_what_a_file_is_that_is_not_a_log(head: bytes, why: str) -> None:
    assert why_not_a_log(head) == why
