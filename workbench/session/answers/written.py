"""The fixtures written since the start, and the command that adds them to git."""

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
    """

    name: str
    answer: str
    test: str


def written_names(session: Session) -> list[str]:
    """The names of the fixtures that were saved or re-keyed since the start, and are still there,
    in order.
    """
    written = [*session.history.written("save"), *session.history.written("re-key")]
    return [name for name in dict.fromkeys(written) if session.store.stamp(name) is not None]


def written_answers(session: Session) -> Iterator[WrittenAnswer]:
    """These fixtures, with data from the list of fixtures."""
    for name in written_names(session):
        entry = session.fixtures.entries.get(file_name(name))
        summary = NO_SUMMARY if entry is None else entry.summary
        test = session.miss_index.test_of(digest_of(name)) or summary.test
        yield WrittenAnswer(name, summary.answer, test)


def git_add_command(session: Session) -> str:
    """The command that adds these files to git, and the list of ignored requests if it changed; ""
    where there is nothing to add, or no repository.
    """
    files = list(map(session.store.path, written_names(session)))
    ignore = session.ignore.path
    if session.decisions.ignored.total() and ignore.exists():
        files.append(ignore)
    if not files or not is_in_repository(session.store.folder):
        return ""
    return shell.command(["git", "add", "--", *(os.fspath(shown(file)) for file in files)])
