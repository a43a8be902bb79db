"""The fixtures written since the start, and the command that brings them into git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from workbench.core.fixture.names import digest_of, file_name
from workbench.core.fixture.summary import NO_SUMMARY
from workbench.core.text import shell
from workbench.io.files.path_text import shown
from workbench.io.processes.git import is_in_repository
from workbench.session.session import Session


class WrittenAnswer(NamedTuple):
    """A fixture that was written since the start.

    Attributes:
        name: name of the fixture.
        answer: the answer in few words.
        test: the first test that sent the request, or "".
        is_moved: whether its answer was moved from an older request.
    """

    name: str
    answer: str
    test: str
    is_moved: bool


def written_names(session: Session) -> list[str]:
    """The names of the fixtures that were saved or re-keyed since the start, and are still there,
    in order.
    """
    written = [*session.history.written("save"), *session.history.written("re-key")]
    return [name for name in dict.fromkeys(written) if session.store.stamp(name) is not None]


def written_answers(session: Session) -> Iterator[WrittenAnswer]:
    """These fixtures, with data from the list of fixtures."""
    saved = session.history.written("save")
    for name in written_names(session):
        entry = session.fixtures.entries.get(file_name(name))
        summary = NO_SUMMARY if entry is None else entry.summary
        test = session.miss_index.test_of(digest_of(name)) or summary.test
        yield WrittenAnswer(name, summary.answer, test, is_moved=name not in saved)


def git_add_command(session: Session) -> str:
    """The command that adds these files to git, and the list of ignored requests if it changed, and
    that takes out the files which are gone, such as those that were moved; "" where there is
    nothing to do, or no repository.
    """
    store = session.store
    files = list(map(store.path, written_names(session)))
    gone = [store.path(n) for n in session.history.changed() if store.stamp(n) is None]
    ignore = session.ignore.path
    if session.decisions.ignored.total() and ignore.exists():
        files.append(ignore)
    if not (files or gone) or not is_in_repository(store.folder):
        return ""
    # Git may not know a file that is gone, which ``git add`` takes for an error.
    parts = (("git add --", files), ("git rm -q --cached --ignore-unmatch --", gone))
    return " && ".join(
        shell.command([*command.split(), *(os.fspath(shown(path)) for path in paths)])
        for command, paths in parts
        if paths
    )
