"""``workbench-ignore.txt``: lines of people and lines of ours."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.io.ignore_list import FILE_NAME, IgnoreList

A, B, C = "a" * 64, "b" * 64, "c" * 64
HEADER = "# Requests whose fallback is wanted: a digest a line, then the reason.\n"


@pytest.fixture
def ignore(tmp_path: Path) -> IgnoreList:
    return IgnoreList(tmp_path / "fixtures")


def write(ignore: IgnoreList, data: bytes | str) -> None:
    ignore.path.parent.mkdir(exist_ok=True)
    ignore.path.write_bytes(data if isinstance(data, bytes) else data.encode())
    ignore.load()


def again(ignore: IgnoreList) -> dict[str, str]:
    """The reasons as the next program reads them."""
    other = IgnoreList(ignore.path.parent)
    other.load()
    return other.reasons


def test_without_a_file_nothing_is_ignored(ignore: IgnoreList) -> None:
    assert ignore.reasons == {}
    ignore.load()
    assert ignore.reasons == {}
    assert not ignore.path.parent.exists()


def test_it_is_in_the_fixtures_folder(ignore: IgnoreList, tmp_path: Path) -> None:
    assert (
        ignore.path
        == tmp_path / "fixtures" / FILE_NAME
        == tmp_path / "fixtures" / ("workbench-ignore.txt")
    )


def test_a_first_line_has_a_heading(ignore: IgnoreList) -> None:
    ignore.add(A, "the fallback is fine")
    assert ignore.path.read_text() == f"{HEADER}{A} the fallback is fine\n"
    assert ignore.reasons == again(ignore) == {A: "the fallback is fine"}
    assert os.listdir(ignore.path.parent) == [FILE_NAME]


def test_lines_are_added_behind_the_others(ignore: IgnoreList) -> None:
    ignore.add(B, "two")
    ignore.add(A, "one")
    assert ignore.path.read_text() == f"{HEADER}{B} two\n{A} one\n"
    assert list(ignore.reasons) == [B, A]


def test_another_reason_takes_the_place_of_the_first(ignore: IgnoreList) -> None:
    ignore.add(A, "first")
    ignore.add(A, "second")
    assert ignore.reasons == {A: "second"}
    assert ignore.path.read_text().count(A) == 1


def test_a_removed_line_is_gone(ignore: IgnoreList) -> None:
    ignore.add(A, "one")
    ignore.add(B, "two")
    ignore.remove(A)
    assert ignore.path.read_text() == f"{HEADER}{B} two\n"
    assert ignore.reasons == {B: "two"}


def test_with_its_last_line_a_file_of_ours_goes(ignore: IgnoreList) -> None:
    ignore.add(A, "one")
    ignore.remove(A)
    assert ignore.reasons == {}
    assert os.listdir(ignore.path.parent) == []


def test_with_its_last_line_a_file_with_remarks_stays(ignore: IgnoreList) -> None:
    write(ignore, f"# ours\n{A}\n")
    ignore.remove(A)
    assert ignore.path.read_text() == "# ours\n"


def test_removing_what_is_not_there_changes_nothing(ignore: IgnoreList) -> None:
    ignore.remove(A)
    assert not ignore.path.exists()
    ignore.add(B, "two")
    text = ignore.path.read_text()
    ignore.remove(A)
    assert ignore.path.read_text() == text


def test_lines_of_people_are_understood(ignore: IgnoreList) -> None:
    write(
        ignore,
        f"# {A} in a remark\n\n  {A}   indented,  with   spaces  \r\n{B}\tafter a tab\n{C}\n"
        f"{'d' * 63} too short\n{'E' * 64} capitals\nnonsense\n",
    )
    assert ignore.reasons == {A: "indented,  with   spaces", B: "after a tab", C: ""}


def test_what_is_understood_can_be_removed(ignore: IgnoreList) -> None:
    write(ignore, f"  {A}  one\r\n{B}\ttwo\n{C}\n{A} once more\n# end")
    for digest in (A, B, C):
        ignore.remove(digest)
    assert ignore.reasons == {}
    assert ignore.path.read_text() == "# end\n"


def test_everything_else_stays_as_it_is(ignore: IgnoreList) -> None:
    before = b"# caf\xe9, not UTF-8\r\n\n" + A.encode() + b"\tone \xff\n# end, without a line end"
    write(ignore, before)
    assert ignore.reasons == {A: "one \ufffd"}
    ignore.add(B, "two")
    assert ignore.path.read_bytes() == before + f"\n{B} two\n".encode()
    ignore.remove(B)
    assert ignore.path.read_bytes() == before + b"\n"


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("", ""),
        ("  two   words ", "two words"),
        ("two\nlines\r\nand\u2028more\u0085so", "two lines and more so"),
        (f"x\n{B} smuggled", f"x {B} smuggled"),
        ("naïve 🚀", "naïve 🚀"),
        ("# not a remark", "# not a remark"),
    ],
)
def test_a_reason_stays_on_its_line(ignore: IgnoreList, reason: str, kept: str) -> None:
    ignore.add(A, reason)
    assert ignore.reasons == again(ignore) == {A: kept}


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(alphabet="\udc80\udcff x"))
def test_any_reason(tmp_path: Path, reason: str, bytes_of_an_argument: str) -> None:
    ignore = IgnoreList(tmp_path)
    ignore.add(A, reason)
    # What is no UTF-8 on the command line arrives as half surrogates, and goes as it came.
    ignore.add(B, bytes_of_an_argument)
    assert set(ignore.reasons) == {A, B}
    assert ignore.reasons[A] == " ".join(reason.split())
    ignore.remove(B)
    ignore.remove(A)
    assert not ignore.path.exists()


def test_lines_written_meanwhile_are_kept(ignore: IgnoreList) -> None:
    ignore.add(A, "one")
    with ignore.path.open("a") as file:
        file.write(f"{B} by another program\n")
    ignore.add(C, "three")
    assert ignore.reasons == {A: "one", B: "by another program", C: "three"}


def test_the_mode_and_a_link_are_kept(ignore: IgnoreList, tmp_path: Path) -> None:
    target = tmp_path / "shared.txt"
    target.write_text("# shared\n")
    target.chmod(0o640)
    ignore.path.parent.mkdir()
    ignore.path.symlink_to(target)
    ignore.add(A, "one")
    assert ignore.path.is_symlink()
    assert target.read_text() == f"# shared\n{A} one\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_what_cannot_be_read_raises(ignore: IgnoreList) -> None:
    ignore.path.mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        ignore.load()
    with pytest.raises(OSError, match="directory"):
        ignore.add(A, "one")


def test_what_cannot_be_written_raises_and_changes_nothing(ignore: IgnoreList) -> None:
    ignore.path.parent.write_text("a file in its place")
    ignore.load()
    with pytest.raises(OSError, match="fixtures"):
        ignore.add(A, "one")
    assert ignore.reasons == {}


def test_unsupported_requests_are_named_by_method_and_path(ignore: IgnoreList) -> None:
    write(ignore, f"POST /v1/moderations  the app does without\n{A} x\nPOST it\npost /v1/x y\n")
    assert ignore.reasons == {"POST /v1/moderations": "the app does without", A: "x"}
    ignore.add("GET /v1/files", "none are needed")
    ignore.add("POST /v1/moderations", "still does")
    assert again(ignore) == {
        A: "x",
        "GET /v1/files": "none are needed",
        "POST /v1/moderations": "still does",
    }
    ignore.remove("POST /v1/moderations")
    assert (
        ignore.path.read_text() == f"{A} x\nPOST it\npost /v1/x y\nGET /v1/files none are needed\n"
    )
