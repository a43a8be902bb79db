"""What a rule is: a name, a severity, words, and a function that finds where it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.core.findings import Fix, Severity
from workbench.core.jsonspan import Path
from workbench.core.requests import Payload

if TYPE_CHECKING:
    from workbench.core.rules.folder import Folder
    from workbench.core.rules.subject import Subject


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about a document besides its text.

    Attributes:
        filename: its name without the folder; None for a text that is no file.
        requests: the requests seen with its digest; the one it stores is used besides.
    """

    filename: str | None = None
    requests: Sequence[Payload] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """One place where a rule is broken; its severity is the rule's.

    Attributes:
        path, inner, inner_offset: as of ``Finding``.
        at_key: whether the place is the key of the value, not the value.
        offset: the place in the text, where no path leads to it.
        fix: makes the fix, if there is one; called for the problems that are listed.
    """

    message: str
    path: Path = ()
    inner: Path | None = None
    inner_offset: int | None = None
    at_key: bool = False
    offset: int | None = None
    fix: Callable[[], Fix | None] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        summary: what is wrong where it is broken, in a few words.
        explain: why that matters and what to do.
    """

    name: str
    severity: Severity
    summary: str
    explain: str


FindInDocument = Callable[["Subject"], Iterable[Problem]]
FindInFolder = Callable[["Folder"], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class DocumentRule(Rule):
    """A rule that one document breaks, whatever lies beside it."""

    find: FindInDocument


@dataclass(frozen=True, slots=True)
class FolderRule(Rule):
    """A rule about documents together.

    Attributes:
        find: gives the names of files that break it, each with the message.
    """

    find: FindInFolder


def rule(
    name: str, severity: Severity, summary: str, explain: str
) -> Callable[[FindInDocument], DocumentRule]:
    """Make a rule of the function that finds where a document breaks it."""

    def make(find: FindInDocument) -> DocumentRule:
        return DocumentRule(name, severity, summary, explain, find)

    return make


def folder_rule(
    name: str, severity: Severity, summary: str, explain: str
) -> Callable[[FindInFolder], FolderRule]:
    """Make a rule of the function that finds the files of a folder that break it."""

    def make(find: FindInFolder) -> FolderRule:
        return FolderRule(name, severity, summary, explain, find)

    return make
