"""Checking fixture files and folders, and mending what is certain."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.fixtures.findings import Finding
from workbench.core.fixtures.mending import mend
from workbench.core.fixtures.rules import Context, Examined, Folder, Outline, check_folder, examine
from workbench.core.log.usage import Usage
from workbench.io.atomic import FileChangedError, write_atomic
from workbench.io.check_cache import CheckCache
from workbench.io.links import refuse_stray_link
from workbench.io.regular import open_finite, refuse_waiting
from workbench.io.state_folder import StateFolder
from workbench.io.store import FileStamp, FixtureStore

Progress = Callable[[int], None]


@dataclass(slots=True)
class CheckedFile:
    """What became of one file.

    Attributes:
        findings: what is wrong with it, in the order of the places.
        fixed: what was wrong and is mended, in the order it was done.
        not_fixed: why what could be mended was not, if so.
    """

    path: str
    findings: list[Finding]
    fixed: list[Finding] = field(default_factory=list)
    not_fixed: str | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """Files of one folder.

    Attributes:
        prefix: what stands before a name in a path; joining paths for each costs more than the
            look at the file.
        names: of the files, each once, in their order.
        is_whole: whether these are all fixtures of the folder.
    """

    folder: Path
    prefix: str
    names: list[str]
    is_whole: bool


class Validation:
    """The check of some paths.

    Args:
        paths: files, and folders whose ``*.json`` files are meant.
        state: where what was found is kept for the next time.
        usage: what logs say of requests.
        fix: whether to make every fix that is certain.

    Raises:
        FileNotFoundError: there is nothing at one of the paths.
        OSError: a folder cannot be read, or a path is that of a pipe, a socket or a device.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        state: StateFolder,
        *,
        usage: Usage | None = None,
        fix: bool = False,
    ) -> None:
        self._groups = _groups(paths)
        self._state = state
        self._usage = usage
        self._fix = fix

    @property
    def count(self) -> int:
        """How many files there are."""
        return sum(len(group.names) for group in self._groups)

    def run(self, progress: Progress = lambda _: None) -> Iterator[CheckedFile]:
        """Check every file, folder by folder.

        Args:
            progress: called with the number of files that are done.
        """
        done = 0
        for group in self._groups:
            checked: dict[str, CheckedFile] = {}
            outlines: dict[str, Outline] = {}
            cache = CheckCache(self._state, group.folder) if group.is_whole else None
            try:
                for name in group.names:
                    checked[name], outlines[name] = self._check(group.prefix + name, name, cache)
                    done += 1
                    progress(done)
            finally:
                if cache is not None:
                    cache.save(frozenset(group.names))
            for name, finding in check_folder(Folder(outlines, self._usage)):
                checked[name].findings.insert(0, finding)
            yield from checked.values()

    def _check(self, path: str, name: str, cache: CheckCache | None) -> tuple[CheckedFile, Outline]:
        read_ns = time.time_ns()
        try:
            status = _status(path, regular=cache is not None)
            known = cache.get(name, status) if cache else None
            if known is not None and not (self._fix and _can_be_mended(known)):
                return CheckedFile(path, known.findings), known.outline
            with open_finite(path) as file:
                data = file.read()
        except OSError as error:
            finding = Finding("invalid-json", "error", f"cannot be read: {error.strerror}")
            return CheckedFile(path, [finding]), Outline()
        examined = examine(data, Context(name))
        if cache:
            cache.put(name, status, examined, read_ns=read_ns)
        if self._fix and _can_be_mended(examined):
            return _mend(path, data, FileStamp.of(status), examined, Context(name))
        return CheckedFile(path, examined.findings), examined.outline


def _can_be_mended(examined: Examined) -> bool:
    return any(finding.fix is not None for finding in examined.findings)


def _mend(
    path: str, data: bytes, stamp: FileStamp, examined: Examined, context: Context
) -> tuple[CheckedFile, Outline]:
    """Make every certain fix, unless another program wrote the file since it was read."""

    def confirm() -> None:
        try:
            is_same = FileStamp.of(_status(path, regular=True)) == stamp
        except FileNotFoundError:
            is_same = False
        if not is_same:
            raise FileChangedError
        refuse_stray_link(Path(path))

    mended = mend(data.decode("utf-8"), context)
    if not mended.made:
        return CheckedFile(path, examined.findings), examined.outline
    try:
        write_atomic(Path(path), mended.text.encode("utf-8"), confirm=confirm)
    except FileChangedError:
        reason = "another program changed it meanwhile"
        return CheckedFile(path, examined.findings, not_fixed=reason), examined.outline
    except OSError as error:
        reason = error.strerror or str(error)
        return CheckedFile(path, examined.findings, not_fixed=reason), examined.outline
    after = examine(mended.text, context)
    return CheckedFile(path, after.findings, mended.made), after.outline


def _status(path: str, *, regular: bool) -> os.stat_result:
    """The status of a file.

    Args:
        regular: refuse what is none: to read a pipe may take for ever.

    Raises:
        OSError: there is no such file.
    """
    status = os.stat(path)
    if regular and not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no file")
    return status


def _groups(paths: Iterable[Path]) -> list[_Group]:
    """The files at ``paths``, each once, folder by folder. Raises as ``Validation``."""
    names: dict[Path, dict[str, None]] = {}
    whole: set[Path] = set()
    for path in paths:
        if path.is_dir():
            whole.add(path)
            names.setdefault(path, {}).update(dict.fromkeys(FixtureStore(path).names()))
        elif os.path.lexists(path):
            with contextlib.suppress(FileNotFoundError):  # a dangling link is a finding
                refuse_waiting(path)
            names.setdefault(path.parent, {})[path.name] = None
        else:
            raise FileNotFoundError(errno.ENOENT, "no such file or folder", str(path))
    return [
        _Group(folder, str(folder / "x").removesuffix("x"), list(found), folder in whole)
        for folder, found in names.items()
    ]
