"""What validation finds: a rule that is broken, where, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.core.jsonspan import Edit, Path

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that is certain to be right.

    Attributes:
        title: what it does, to stand behind its key: ``remove "unit"``.
        edits: of the document's text.
    """

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule in one document.

    Attributes:
        path: the value in the document it is about; () is the whole.
        inner: the value inside the JSON text that the string at ``path`` holds (arguments,
            structured content), or None where it is about the string itself.
        inner_offset: the place in the string at ``path``, as an index: where it breaks off, if it
            was to be JSON.
        line, column: the place in the document's text, from 1.
    """

    rule: str
    severity: Severity
    message: str
    path: Path = ()
    inner: Path | None = None
    inner_offset: int | None = None
    line: int = 1
    column: int = 1
    fix: Fix | None = None

    @property
    def blocks(self) -> bool:
        """Whether it keeps a draft from being saved."""
        return self.severity == "error"
