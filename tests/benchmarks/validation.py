"""Row 16: checking 10,000 fixtures of 1.7 KB by all rules, the first time and again."""

from __future__ import annotations

import contextlib
import io
import os
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.place import Place
from tests.benchmarks.table import Row
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.io.state_folder import StateFolder

FIXTURES = 10_000
INSTRUCTIONS = "You are a weather assistant. Answer briefly, and call tools where they help. " * 5
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}


def _request(number: int) -> dict[str, Any]:
    question = f"What is the weather in city number {number}, and what shall I wear there?"
    said = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": question}]
    return {"model": "gpt-4o", "messages": said, "tools": [TOOL], "tool_choice": "auto"}


def _fixture(request: dict[str, Any], found: str) -> str:
    call = {
        "index": 0,
        "id": f"call_{found[:8]}",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
    }
    response = {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    return new_document(found, response, description="asks for a city", request=request).text


def _project(place: Place) -> Path:
    """A project with these fixtures."""
    project = place.folder / "validated"
    if not project.exists():
        (project / "fixtures").mkdir(parents=True)
        (project / "pyproject.toml").touch()
        for number in range(FIXTURES):
            request = _request(number)
            found = digest(request)
            path = project / "fixtures" / f"{found}.json"
            path.write_text(_fixture(request, found), "utf-8")
        _validate(project)  # what is loaded stays loaded, as in every round but the first
    return project


def _validate(project: Path) -> float:
    told = io.StringIO()
    begun = time.perf_counter()
    with contextlib.chdir(project), contextlib.redirect_stderr(told):
        assert main(["validate", "--strict"]) == 0
    taken = time.perf_counter() - begun
    assert told.getvalue() == f"workbench validate: note: {FIXTURES:,} files: no problems\n"
    return taken


def first(place: Place) -> float:
    project = _project(place)
    for file in StateFolder(project / ".workbench").cache.iterdir():
        file.unlink()
    return _validate(project)


def again(place: Place) -> float:
    project = _project(place)
    _validate(project)
    return _validate(project)


def read(place: Place) -> float:
    """Reading the files, as they are listed."""
    folder = str(_project(place) / "fixtures")
    begun = time.perf_counter()
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            assert file.read()
    return time.perf_counter() - begun


ROWS = [
    Row(16, "validate, 10,000 fixtures", "reading them", 30, first, read),
    Row(16, "the same again", "reading them", 2, again, read),
]
