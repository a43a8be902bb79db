"""The fixtures folder: reading, writing and listing ``<digest>.json``."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.digest import is_digest, short
from workbench.core.fixtures.document import read_value
from workbench.core.replies.response import FixtureError
from workbench.io.atomic import AlreadyExistsError, write_atomic
from workbench.io.regular import read_regular
from workbench.io.state_folder import project_folder

SUFFIX = ".json"
# Resolution of file system clocks: a file written twice within this time keeps its stamp.
_TICK_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class FileStamp:
    """Identifies one state of a file without reading it."""

    modified_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        return cls(status.st_mtime_ns, status.st_size, status.st_ino)

    def is_settled(self, now_ns: int) -> bool:
        """Whether a write at ``now_ns`` or later gives the file another stamp."""
        return abs(now_ns - self.modified_ns) > _TICK_NS


class FixtureChangedError(Exception):
    """Another program wrote or deleted the file since the caller read it."""

    def __init__(self, digest: str, now: FileStamp | None) -> None:
        happened = "was deleted" if now is None else "was changed"
        super().__init__(f"{short(digest)}.json {happened} by another program")
        self.digest = digest
        self.now = now


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A file that was read.

    Attributes:
        is_settled: its last change is so old that the next one gives it another stamp.
    """

    stamp: FileStamp
    value: Mapping[str, Any] | None
    error: FixtureError | None
    is_settled: bool


class FixtureStore:
    """One folder of fixtures. It need not exist; the first save creates it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._prefix = os.path.join(folder, "")
        self._loaded: dict[str, _Loaded] = {}

    def path(self, digest: str) -> Path:
        if not is_digest(digest):
            raise ValueError(f"not a digest: {digest!r}")
        return self.folder / f"{digest}{SUFFIX}"

    def stamp(self, digest: str) -> FileStamp | None:
        """The state of the file; None if there is none, or no permission to look."""
        try:
            return self._look(digest)
        except OSError:
            return None

    def _look(self, digest: str) -> FileStamp | None:
        """As ``stamp``, but raises OSError if there is no permission to look."""
        try:
            # Called for every request: text is four times as fast as a Path.
            return FileStamp.of(os.stat(f"{self._prefix}{digest}{SUFFIX}"))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, digest: str) -> bytes | None:
        """The bytes of the file, or None if there is none. Raises OSError."""
        try:
            return read_regular(self.path(digest))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def load(self, digest: str) -> Mapping[str, Any] | None:
        """The fixture, read again only if its file changed.

        Raises:
            FixtureError: the file is there and cannot be used.
        """
        try:
            stamp = self._look(digest)
            if stamp is None:
                self._loaded.pop(digest, None)
                return None
            loaded = self._loaded.get(digest)
            if loaded is None or loaded.stamp != stamp or not loaded.is_settled:
                loaded = self._load(digest, stamp)
                self._loaded[digest] = loaded
        except FileNotFoundError:  # deleted since the stamp
            return None
        except OSError as error:
            raise FixtureError("invalid-json", f"cannot be read: {error.strerror}") from None
        if loaded.error is not None:
            raise loaded.error
        return loaded.value

    def _load(self, digest: str, stamp: FileStamp) -> _Loaded:
        is_settled = stamp.is_settled(time.time_ns())
        data = read_regular(self.path(digest))
        try:
            return _Loaded(stamp, read_value(data), None, is_settled)
        except FixtureError as error:
            return _Loaded(stamp, None, error, is_settled)

    def mode(self, digest: str) -> int | None:
        """The permissions of the file, or None if there is none."""
        try:
            return stat.S_IMODE(os.stat(self.path(digest)).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def save(
        self, digest: str, data: bytes, *, expected: FileStamp | None, mode: int | None = None
    ) -> FileStamp:
        """Write the file, atomically.

        Args:
            expected: the state the caller last saw; None if there was no file.
            mode: permissions of a new file, instead of the default.

        Raises:
            FixtureChangedError: the file is in another state; nothing is written.
            OSError: the folder or file cannot be written, or the file is a link out of the project.
        """

        def confirm() -> None:
            self._check(digest, expected)
            refuse_stray_link(self.path(digest))

        confirm()
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            written = write_atomic(
                self.path(digest), data, create=expected is None, mode=mode, confirm=confirm
            )
        except AlreadyExistsError:
            raise FixtureChangedError(digest, self.stamp(digest)) from None
        return FileStamp.of(written)

    def _check(self, digest: str, expected: FileStamp | None) -> None:
        now = self.stamp(digest)
        if now != expected:
            raise FixtureChangedError(digest, now)

    def delete(self, digest: str, *, expected: FileStamp | None) -> None:
        """Delete the file. Raises as ``save``."""
        self._check(digest, expected)
        self.path(digest).unlink(missing_ok=True)

    def digests(self) -> set[str]:
        """The digests that have a file. Raises OSError if the folder cannot be read."""
        return {name[: -len(SUFFIX)] for name in self.names() if is_digest(name[: -len(SUFFIX)])}

    def names(self) -> list[str]:
        """The names of all ``*.json`` files of the folder, sorted; [] if there is no folder."""
        try:
            with os.scandir(self.folder) as entries:
                return sorted(
                    e.name for e in entries if e.name.endswith(SUFFIX) and _may_be_file(e)
                )
        except (FileNotFoundError, NotADirectoryError):
            return []


def _may_be_file(entry: os.DirEntry[str]) -> bool:
    try:
        return not entry.is_dir()
    except OSError:  # a symlink to itself; reading it reports the error
        return True


def refuse_stray_link(path: Path) -> None:
    """Raise OSError if ``path`` is a symbolic link through which a save would leave the project: to
    a file that does not exist, or to a file outside.

    The project is the nearest folder upwards with a ``pyproject.toml`` or ``.git``, else the folder
    above that of ``path``. The folders of ``path`` may themselves be links.
    """
    if not path.is_symlink():
        return
    what = f"{path.name[:12]}… is a symbolic link"
    target = Path(os.path.realpath(path))
    if not target.exists():
        raise OSError(errno.ENOENT, f"{what} to a file that does not exist", str(path))
    folders = (path.parent.absolute(), path.parent.resolve())
    projects = [project_folder(folder) or folder.parent for folder in folders]
    if not any(target.is_relative_to(project.resolve()) for project in projects):
        raise OSError(errno.EPERM, f"{what} to a file outside the project", str(path))
