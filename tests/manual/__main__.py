"""Writes the pages of the manual that follow from the code: ``python -m tests.manual``."""

from __future__ import annotations

from tests.manual.generated import PAGES
from workbench.io.manual import FOLDER

for name, write in PAGES.items():
    (FOLDER / f"{name}.md").write_text(write(), "utf-8")
