"""Fixes: the edits of a document's text that mend a problem and touch nothing else."""

from __future__ import annotations

from workbench.core import jsonedit, jsonspan
from workbench.core.findings import Fix
from workbench.core.jsonspan import Edit, Path, Scan
from workbench.core.rules.subject import Subject


def change(subject: Subject, title: str, new: object, path: Path) -> Fix:
    """Make the value at ``path`` mean ``new``."""
    return Fix(title, tuple(jsonedit.edits(subject.document.scan, new, path)))


def remove(subject: Subject, path: Path) -> Fix:
    """Take the key at the end of ``path`` out of its object."""
    edits = jsonedit.removal(subject.document.scan, path)
    return Fix(f"remove {path[-1]}", tuple(edits))


def rename_key(subject: Subject, path: Path, new: str) -> Fix:
    """Give the key at the end of ``path`` another name."""
    return Fix(rename_title(new), tuple(renaming(subject.document.scan, path, new)))


def rename_title(new: str) -> str:
    return f'rename to "{new}"'


def inside(subject: Subject, title: str, path: Path, edits: list[Edit]) -> Fix | None:
    """Make ``edits`` in the text that the string at ``path`` holds."""
    node = subject.document.scan.root.at(path)
    if node is None:
        return None
    return Fix(title, tuple(subject.string_places(node.start).edits(edits)))


def mend(subject: Subject, path: Path, edit: Edit | None) -> Fix | None:
    """Mend a slip of JSON in the text that the string at ``path`` holds."""
    return inside(subject, mend_title(edit), path, [edit]) if edit else None


def mend_title(edit: Edit) -> str:
    names = {",": "add the comma", ":": "add the colon"}
    return names.get(edit.new, "remove the comma")


def renaming(document: Scan, path: Path, new: str) -> list[Edit]:
    """The edits that give the key at the end of ``path`` another name."""
    *parent, key = path
    node = document.root.at(parent)
    members = node.members if node else []
    return [Edit(m.start, m.end, jsonspan.dumps(new)) for m in members if m.key == key]
