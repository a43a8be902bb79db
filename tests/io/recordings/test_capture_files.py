"""Bodies of HAR files in files of their own, in a folder or an archive."""

from __future__ import annotations

import gzip
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from workbench.core.imports.captures import CaptureError
from workbench.io.recordings import capture_files
from workbench.io.recordings.capture_files import attached_in, decompressed, is_archive, unzipped


def zipped(**files: bytes) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_a_file_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.json").write_bytes(b"{}")
    assert attached_in(tmp_path)("sub/a.json") == b"{}"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "sub/../../secret", "link", "a\0"])
def test_no_file_outside_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "har"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"{}")
    (folder / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(CaptureError, match="is outside of the folder of the HAR file"):
        attached_in(folder)(name)
    with pytest.raises(CaptureError):
        unzipped(zipped(**{"x.har": b"{}"}))[1](name)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError) as raised:
        attached_in(tmp_path)("a.json")
    assert str(raised.value) == "a.json cannot be read: No such file or directory"
    with pytest.raises(CaptureError, match=r"^a\.json is not in the archive$"):
        unzipped(zipped(**{"x.har": b"{}"}))[1]("a.json")


@pytest.mark.parametrize("folder", ["", "run/"])
def test_an_archive(folder: str) -> None:
    data = zipped(**{f"{folder}har.har": b"1", f"{folder}a.json": b"2"})
    assert is_archive(data)
    har, attached = unzipped(data)
    assert (har, attached("a.json")) == (b"1", b"2")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 and no more", "the archive cannot be read: "),
        (zipped(a=b"1"), "the archive has 0 files *.har; expected one"),
        (zipped(**{"a.har": b"1", "b.har": b"2"}), "the archive has 2 files *.har; expected one"),
    ],
)
def test_an_archive_without_one_har_file(data: bytes, why: str) -> None:
    with pytest.raises(CaptureError) as raised:
        unzipped(data)
    assert str(raised.value).startswith(why)


def test_a_damaged_or_huge_file_in_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped(**{"x.har": b"{}", "a": b"abc" * 100})
    with pytest.raises(CaptureError, match="a cannot be read: Bad CRC-32"):
        unzipped(data.replace(b"abcabc", b"abcabd"))[1]("a")
    monkeypatch.setattr(capture_files, "MAX_BODY", 5)
    with pytest.raises(CaptureError, match="a is longer than"):
        unzipped(data)[1]("a")


def test_a_file_may_be_compressed() -> None:
    assert decompressed(gzip.compress(b"{}")) == decompressed(b"{}") == b"{}"
    with pytest.raises(CaptureError, match=r"^the file is not gzip: it is cut$"):
        decompressed(gzip.compress(b"{}")[:-1])
