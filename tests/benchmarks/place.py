"""Where benchmarks run: a temporary folder with projects and logs, each made when first needed."""

from __future__ import annotations

import functools
import json
import shutil
import sys
import sysconfig
from pathlib import Path

from tests.benchmarks.screen import Screen
from tests.benchmarks.stress_log import missed, request, stress_log
from tests.reference import AGENT_FIXTURES, LOG
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.io.state_folder import StateFolder
from workbench.session.drafts.store import Draft, DraftStore

WORKBENCH = str(Path(sysconfig.get_path("scripts")) / "workbench")
PROGRAMS = Path(__file__).parent / "programs"
SIZE = (120, 36)
# Textual draws at most so many frames a second; the pause between two frames is longer than most
# of what is measured here, and would hide it.
EAGER = {"TEXTUAL_FPS": "1000"}

LARGE_LOG_BYTES = 1_000_000_000
LARGE_LOG_MISSES = 10_000
DUMP_BYTES = 8_000


class Place:
    """The folder of one run of the benchmarks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = {
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        (folder / "data" / "workbench").mkdir(parents=True)
        (folder / "data" / "workbench" / "welcomed").touch()

    # Programs

    def workbench(
        self,
        project: Path,
        *,
        size: tuple[int, int] = SIZE,
        environment: dict[str, str] | None = None,
    ) -> Screen:
        """The application in ``project``."""
        command = [WORKBENCH, "--log", "mock-llm.log", "--fixtures", "fixtures"]
        return self.run(command, project, size=size, environment=environment)

    def program(
        self,
        name: str,
        *arguments: str,
        size: tuple[int, int] = SIZE,
        environment: dict[str, str] | None = None,
    ) -> Screen:
        """One of the small applications in ``programs``."""
        command = [sys.executable, str(PROGRAMS / f"{name}.py"), *arguments]
        return self.run(command, self.folder, size=size, environment=environment)

    def run(
        self,
        command: list[str],
        folder: Path,
        *,
        size: tuple[int, int] = SIZE,
        environment: dict[str, str] | None = None,
    ) -> Screen:
        return Screen(
            command, folder=folder, size=size, environment=self._environment | (environment or {})
        )

    # Projects

    def project(self, name: str) -> Path:
        """An empty project, made anew."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "fixtures").mkdir(parents=True)
        return folder

    @functools.cached_property
    def small_project(self) -> Path:
        """A log of 108 misses and a few fixtures."""
        folder = self.project("small")
        shutil.copy(LOG, folder / "mock-llm.log")
        for path in sorted(AGENT_FIXTURES.glob("*.json"))[:4]:
            shutil.copy(path, folder / "fixtures")
        return folder

    @functools.cached_property
    def many_misses(self) -> Path:
        """A log of 100,000 misses."""
        folder = self.project("many")
        with (folder / "mock-llm.log").open("wb") as file:
            file.writelines(stress_log(100_000))
        return folder

    @functools.cached_property
    def large_log(self) -> Path:
        """A log of 1 GB with 10,000 misses of 8 KB."""
        folder = self.project("large")
        with (folder / "mock-llm.log").open("wb") as file:
            file.writelines(stress_log(LARGE_LOG_MISSES, dump=DUMP_BYTES, size=LARGE_LOG_BYTES))
        return folder

    def draft_project(self, name: str, content: str) -> Path:
        """One miss and a draft with ``content`` that was typed before."""
        folder = self.project(name)
        shape = {"type": "json_schema", "json_schema": {"name": "Items", "schema": ITEMS_SCHEMA}}
        payload = request("the items, please", response_format=shape)
        (folder / "mock-llm.log").write_bytes(missed(payload))
        found = digest(payload)
        drafts = DraftStore(StateFolder(folder / ".workbench"), folder / "fixtures")
        response = {"content": content, "finish_reason": "stop"}
        text = new_document(found, response, request=payload).text
        drafts.add(Draft(found, text, touched=True))
        drafts.store(found)
        return folder


ITEMS_SCHEMA = {
    "type": "object",
    "properties": {
        "remark": {"type": "string"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "name": {"type": "string"},
                    "price": {"type": "number"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["id", "name", "price", "tags"],
            },
        },
    },
    "required": ["remark", "items"],
}


def items(size: int, *, indent: int | None = None) -> str:
    """A JSON answer of about ``size`` bytes when laid out, with a text at its start."""
    found = [
        {"id": n, "name": f"item number {n}", "price": n * 1.25, "tags": ["red", "large"]}
        for n in range(size // 140)
    ]
    return json.dumps({"remark": "begun ", "items": found}, indent=indent)
