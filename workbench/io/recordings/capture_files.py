"""Files of captures that are not read as they are: HAR files whose bodies have files of their own,
beside them or in a ZIP archive, and compressed files.

Playwright writes the former: ``recordHar: {content: "attach"}``, with a path that ends in ``.zip``
or not. LangChain compresses its cassettes.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from workbench.core.imports.captures import Attached, CaptureError
from workbench.core.replies.content_encoding import MAX_BODY, PackingError, unpacked
from workbench.core.text.wording import mebibytes
from workbench.io.files.path_text import error_text
from workbench.io.files.regular import read_regular

_ARCHIVE: Final = b"PK\x03\x04"
_GZIP: Final = b"\x1f\x8b"
_HAR: Final = ".har"
# Each may be followed by .gz.
ENDINGS: Final = (".har", ".zip", ".json", ".yaml", ".yml", ".toml")


class FolderFiles(NamedTuple):
    """The files below a folder.

    Attributes:
        captures: those whose names end as those of captures.
        others: all others.
        unreadable: a message for each folder that cannot be read.
    """

    captures: list[str]
    others: list[str]
    unreadable: list[str]


def files_below(folder: str) -> FolderFiles:
    """The files in a folder and its subfolders, sorted, without hidden ones. Links to folders are
    not followed: they count as other files.
    """
    below = FolderFiles([], [], [])

    def note(error: OSError) -> None:
        below.unreadable.append(error_text(error))

    for place, subfolders, files in os.walk(folder, onerror=note):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        links = [name for name in subfolders if os.path.islink(os.path.join(place, name))]
        for name in sorted([*links, *files]):
            if not name.startswith("."):
                is_capture = name.lower().removesuffix(".gz").endswith(ENDINGS)
                is_file = is_capture and name not in links
                (below.captures if is_file else below.others).append(os.path.join(place, name))
    return below


def attached_in(folder: Path) -> Attached:
    """Reads the files in a folder that a HAR file names; none outside it."""

    def read(name: str) -> bytes:
        path = folder / _checked(name)
        try:
            if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
                raise CaptureError(f"{name} is outside of the folder of the HAR file")
            return read_regular(path)
        except OSError as error:
            raise CaptureError(f"{name} cannot be read: {error.strerror or error}") from None

    return read


def decompressed(data: bytes) -> bytes:
    """The content of a file that may be compressed by gzip. Raises CaptureError."""
    if not data.startswith(_GZIP):
        return data
    try:
        return unpacked("gzip", data)
    except PackingError as error:
        raise CaptureError(f"the file {error}") from None


def is_archive(data: bytes) -> bool:
    return data.startswith(_ARCHIVE)


def unzipped(data: bytes) -> tuple[bytes, Attached]:
    """The HAR file in an archive, and how the files beside it are read.

    Raises:
        CaptureError: there is not exactly one, or the archive is damaged.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise CaptureError(f"the archive cannot be read: {error}") from None
    names = [name for name in archive.namelist() if name.endswith(_HAR)]
    if len(names) != 1:
        raise CaptureError(f"the archive has {len(names)} files *.har; expected one")
    folder = PurePosixPath(names[0]).parent
    read = _reader(archive)
    return read(names[0]), lambda name: read(str(folder / _checked(name)))


def _reader(archive: zipfile.ZipFile) -> Callable[[str], bytes]:
    def read(name: str) -> bytes:
        try:
            with archive.open(name) as file:
                data = file.read(MAX_BODY + 1)
        except KeyError:
            raise CaptureError(f"{name} is not in the archive") from None
        except (zipfile.BadZipFile, OSError, RuntimeError, EOFError, ValueError) as error:
            raise CaptureError(f"{name} cannot be read: {error}") from None
        if len(data) > MAX_BODY:
            raise CaptureError(f"{name} is longer than {mebibytes(MAX_BODY)}")
        return data

    return read


def _checked(name: str) -> str:
    """A name that does not lead out of the folder. Raises CaptureError."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise CaptureError(f"{name!a} is outside of the folder of the HAR file")
    return name
