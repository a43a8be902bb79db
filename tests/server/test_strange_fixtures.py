"""What may lie where a fixture should: each is a line in the log and the fallback."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import RunningServer
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import variant_name
from workbench.core.replies.response import FALLBACK_TEXT

PAYLOAD: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "strange"}]}
NAME = f"{digest(PAYLOAD)}.json"
BROKEN_RESPONSE = '{"response": {\n"content": 5}}'


def long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 * 1024**3)


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path.with_name("s")))  # short: its length has a bound
        path.with_name("s").rename(path)


STRANGE: list[tuple[Callable[[Path], object], str]] = [
    (Path.mkdir, "cannot be read: Is a directory"),
    (os.mkfifo, "cannot be read: it is not a file"),
    (lambda path: path.symlink_to("/dev/zero"), "cannot be read: it is not a file"),
    (lambda path: path.symlink_to(path), "cannot be read: "),
    (lambda path: path.symlink_to("/etc/passwd"), "line 1, column 1: "),
    (listener, "cannot be read: "),
    (long, "cannot be read: it is longer than 64 MiB"),
    (Path.touch, "line 1, column 1: "),
    (lambda path: path.write_bytes(bytes(1000)), "line 1, column 1: "),
    (lambda path: path.write_bytes(b'{"response":' + b"[" * 200_000), "line 1, column "),
    (lambda path: path.write_text(BROKEN_RESPONSE), "line 2, column 12: content is"),
]


@pytest.fixture
def path(server: RunningServer) -> Iterator[Path]:
    server.fixtures.mkdir(exist_ok=True)
    path = server.fixtures / NAME
    yield path
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def answer(server: RunningServer) -> Any:
    for kind in ("misses", "exchanges", "held"):  # they look at files, too
        assert server.request("GET", f"/__workbench/{kind}").status == 200
    assert server.request("GET", "/v1/models").status == 200
    return server.chat(PAYLOAD).content


@pytest.mark.parametrize(("make", "said"), STRANGE)
def test_it_is_logged_and_answered_as_a_miss(
    server: RunningServer, path: Path, make: Callable[[Path], object], said: str
) -> None:
    make(path)
    before = server.log_size()
    assert answer(server) == FALLBACK_TEXT
    log = server.log(before)
    assert f"[mock-llm] failed to load fixture {path}: " in log
    assert said in log
    assert f"unknown fixture hash {digest(PAYLOAD)}" in log
    assert "Traceback" not in log


def test_a_link_to_nothing_is_a_miss(server: RunningServer, path: Path) -> None:
    path.symlink_to("/nothing/there")
    before = server.log_size()
    assert answer(server) == FALLBACK_TEXT
    assert "failed to load" not in server.log(before)


@pytest.mark.usefixtures("path")
def test_the_folder_goes_and_comes_back(server: RunningServer) -> None:
    server.write_fixture(digest(PAYLOAD), {"response": {"content": "here"}})
    assert answer(server) == "here"
    away = server.fixtures.with_name("away")
    server.fixtures.rename(away)
    assert answer(server) == FALLBACK_TEXT
    server.fixtures.write_text("a file in its place")
    assert answer(server) == FALLBACK_TEXT
    server.fixtures.unlink()
    server.fixtures.symlink_to(away)
    assert answer(server) == "here"
    server.fixtures.unlink()
    shutil.move(away, server.fixtures)
    assert answer(server) == "here"


def test_a_broken_variant_is_told_by_its_own_name(server: RunningServer) -> None:
    server.write_fixture(digest(PAYLOAD), {"response": {"content": "fine"}})
    path = server.fixtures / f"{variant_name(digest(PAYLOAD), view(PAYLOAD))}.json"
    path.write_text(BROKEN_RESPONSE)
    before = server.log_size()
    assert answer(server) == FALLBACK_TEXT
    assert f"failed to load fixture {path}: line 2, column 12: content is" in server.log(before)
    path.unlink()
    assert answer(server) == "fine"
    (server.fixtures / NAME).unlink()
