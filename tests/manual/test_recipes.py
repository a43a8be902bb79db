"""The recipes for CI and containers: their commands run here, without the system around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.manual.blocks import Block, Reader, blocks, needs, written_file
from workbench.io import manual

PAGE = manual.read("recipes")
FILES = {written_file(block): block.text for block in blocks(PAGE) if written_file(block)}
SERVICE = "http://workbench:7899/v1"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """A reader with the fixture and the test that all recipes have."""
    beginning = PAGE.partition("\n## ")[0]
    with Reader(tmp_path, PAGE, needs(PAGE)) as reader:
        for block in blocks(beginning):
            reader.do(block)
        yield reader


def run(reader: Reader, command: str) -> None:
    reader.do(Block(1, "sh", command))


def test_the_commands_for_gitlab(reader: Reader, tmp_path: Path) -> None:
    job = yaml.safe_load(FILES[".gitlab-ci.yml"])["tests"]
    assert job["script"][0].startswith("pip install ")
    for command in [*job["script"][1:], *job["after_script"]]:
        run(reader, command)
    assert all((tmp_path / name).exists() for name in job["artifacts"]["reports"]["junit"])


def test_the_command_of_the_image(reader: Reader) -> None:
    command = re.search(r"^CMD (.+)$", FILES["Dockerfile"], re.MULTILINE)
    assert command
    run(reader, " ".join(json.loads(command[1])))


def test_the_services_of_compose_find_each_other(reader: Reader) -> None:
    services = yaml.safe_load(FILES["compose.yaml"])["services"]
    assert services["tests"]["environment"]["OPENAI_BASE_URL"] == SERVICE
    assert services["tests"]["depends_on"]["workbench"]["condition"] == "service_healthy"
    served = services["workbench"]["command"].replace("--host 0.0.0.0 ", "")
    run(
        reader,
        f"workbench {served} &\n"
        "workbench wait http://127.0.0.1:7899\n"
        "export OPENAI_BASE_URL=http://127.0.0.1:7899/v1 OPENAI_API_KEY=any\n"
        f"{services['tests']['command']}\n"
        "workbench misses suite.log --fail\n",
    )
