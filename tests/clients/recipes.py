"""``python -m tests.clients.recipes [PAGE…]``: what pages of the manual do with tools that few
machines have. The tests only parse such blocks; here they are run.

It needs a network, Node.js, npm, Go, Java, Ruby and Rust, and is no part of the test suite. Each
section begins with an empty folder and the files that come before the first one. Prints what came
of each. Exits with 1 if any fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Final

from tests.clients.installing import CACHE, install_python
from tests.manual.blocks import Block, Reader, blocks, needs
from workbench.io import manual

PAGES: Final = ("languages", "migrate-aimock", "recipes")
TOOLS: Final = ("tox", "nox")


def sections(page: str) -> dict[str, str]:
    """The sections of a page by their titles, each with what comes before the first one."""
    first, *others = re.split(r"^## ", page, flags=re.MULTILINE)
    return {text.partition("\n")[0]: f"{first}\n## {text}" for text in others}


def is_with_tools(block: Block) -> bool:
    return block.info in ("sh setup", "sh shown")


def missing_tool(section: list[Block]) -> str:
    """What a section needs and this machine has not; "" if nothing."""
    commands = " ".join(block.text for block in section if is_with_tools(block))
    if "docker" in commands:
        found = shutil.which("docker")
        if (
            not found
            or subprocess.run([found, "info"], capture_output=True, check=False).returncode
        ):
            return "a Docker that runs"
    return ""


def problem(section: str) -> str:
    """What goes wrong where a reader does what a section says; "" if nothing."""
    with (
        tempfile.TemporaryDirectory(prefix="workbench-recipe-") as folder,
        Reader(Path(folder), section, needs(section), has_tools=True) as reader,
    ):
        for block, following in pairwise([*blocks(section), None]):
            assert block is not None
            try:
                reader.do(block, following)
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                return f"line {block.line}, {block.info}: {str(error)[-3000:]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.recipes")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"of {', '.join(PAGES)}")
    names = parser.parse_args().pages or [*PAGES]
    folder = CACHE / "recipes"
    install_python(folder, TOOLS)
    os.environ["PATH"] += f"{os.pathsep}{folder / 'bin'}"
    is_failed = False
    for name in names:
        for title, section in sections(manual.read(name)).items():
            of_section = [*blocks(section)]
            if not any(map(is_with_tools, of_section)):
                continue
            if tool := missing_tool(of_section):
                outcome = f"not run: it needs {tool}"
            else:
                outcome = problem(section) or "ok"
                is_failed |= outcome != "ok"
            print(f"{name}, {title}: {outcome}", flush=True)
    return int(is_failed)


if __name__ == "__main__":
    sys.exit(main())
