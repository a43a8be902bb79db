"""Where benchmarks run: a temporary folder with projects and logs, each made when first needed."""

from __future__ import annotations

import functools
import json
import random
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.screen import Screen
from tests.reference import AGENT_FIXTURES, LOG
from workbench.core.digest import digest
from workbench.core.fixtures import new_document
from workbench.core.log import listening_line, miss_lines, served_line
from workbench.io.state_folder import StateFolder
from workbench.session.drafts import Draft, DraftBook

WORKBENCH = str(Path(sysconfig.get_path("scripts")) / "workbench")
PROGRAMS = Path(__file__).parent / "programs"
SIZE = (120, 36)
# Textual draws at most so many frames a second; the pause between two frames is longer than most
# of what is measured here, and would hide it.
EAGER = {"TEXTUAL_FPS": "1000"}

LARGE_LOG_BYTES = 1_000_000_000
LARGE_LOG_MISSES = 10_000
DUMP_BYTES = 8_000
HITS = 4  # for each miss
ACCESS = b'127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/chat/completions HTTP/1.1" 200 -\n'


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
            for number in range(100_000):
                file.write(missed(request(f"question {number:06}")))
        return folder

    @functools.cached_property
    def large_log(self) -> Path:
        """A log of 1 GB with 10,000 misses of 8 KB."""
        folder = self.project("large")
        with (folder / "mock-llm.log").open("wb") as file:
            file.writelines(_large_log())
        return folder

    def draft_project(self, name: str, content: str) -> Path:
        """One miss and a draft with ``content`` that was typed before."""
        folder = self.project(name)
        shape = {"type": "json_schema", "json_schema": {"name": "Items", "schema": ITEMS_SCHEMA}}
        payload = request("the items, please", response_format=shape)
        (folder / "mock-llm.log").write_bytes(missed(payload))
        found = digest(payload)
        drafts = DraftBook(StateFolder(folder / ".workbench"), folder / "fixtures")
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


def request(text: str, **more: Any) -> dict[str, Any]:
    """A request that says ``text``."""
    return {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}], **more}


def missed(payload: dict[str, Any]) -> bytes:
    """The lines of a miss."""
    return miss_lines(digest(payload), payload).encode()


def items(size: int, *, indent: int | None = None) -> str:
    """A JSON answer of about ``size`` bytes when laid out, with a text at its start."""
    found = [
        {"id": n, "name": f"item number {n}", "price": n * 1.25, "tags": ["red", "large"]}
        for n in range(size // 140)
    ]
    return json.dumps({"remark": "begun ", "items": found}, indent=indent)


def words(size: int, seed: int) -> str:
    """Text of about ``size`` characters."""
    chosen = random.Random(seed).choices(_WORDS, k=size // 6)
    return " ".join(chosen)[:size]


_WORDS = ["agent", "tool", "answer", "weather", "in", "the", "request", "schema", "of", "document"]


def _large_log() -> Iterator[bytes]:
    """Misses among what a suite and the stub write besides: hits, accesses, application logs."""
    rest = LARGE_LOG_BYTES // LARGE_LOG_MISSES - DUMP_BYTES
    hit = served_line("ab" * 32).encode()
    noise = [
        f"2026-11-20 10:09:22,{n:03} INFO [app.worker-{n % 7}] {words(40 + n % 160, n)}\n".encode()
        for n in range(400)
    ]
    block = b"".join(noise)
    filling = (block * (rest // HITS // len(block) + 1))[: rest // HITS]
    filling = filling[: filling.rfind(b"\n") + 1]
    yield listening_line("http://127.0.0.1:7899", "fixtures").encode()
    for number in range(LARGE_LOG_MISSES):
        text = f"question {number:06} {words(DUMP_BYTES - 300, number)}"
        yield missed(request(text))
        minutes, seconds = divmod(number, 60)
        access = ACCESS.replace(b"10:09:22", b"%02d:%02d:%02d" % (*divmod(minutes, 60), seconds))
        yield access
        for _ in range(HITS):
            yield filling
            yield hit
            yield access
