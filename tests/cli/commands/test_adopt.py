"""``workbench adopt``: requests stored in fixtures that lack them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed
from workbench.core.digest import digest

PAYLOAD = chat("weather in London?", temperature=0.5)
DIGEST = digest(PAYLOAD)
TEXT = '{"_comment": "by  hand",\n  "response": {"content": "Rain."}}\n'


@pytest.fixture
def written(project: Project) -> Project:
    project.fixtures.mkdir()
    (project.fixtures / f"{DIGEST}.json").write_text(TEXT)
    project.write_log(missed(PAYLOAD, chat("another")))
    return project


def test_the_request_is_stored_and_no_other_byte_changes(written: Project) -> None:
    ran = written.run("adopt", written.log)
    assert ran == (0, f"fixtures/{DIGEST}.json\n", "")
    assert written.fixture(DIGEST)["request"] == PAYLOAD
    text = (written.fixtures / f"{DIGEST}.json").read_text()
    stored = text[len(TEXT) - 2 : -2]
    assert text.replace(stored, "") == TEXT
    assert written.run("adopt", written.log) == (
        0,
        "",
        "workbench adopt: note: nothing to do: every fixture stores its request\n",
    )
    assert (written.fixtures / f"{DIGEST}.json").read_text() == text


def test_a_dry_run_writes_nothing(written: Project) -> None:
    assert written.run("adopt", written.log, "--dry-run").out == f"fixtures/{DIGEST}.json\n"
    assert (written.fixtures / f"{DIGEST}.json").read_text() == TEXT


def test_as_json(written: Project) -> None:
    (written.fixtures / f"{'a' * 64}.json").write_text(TEXT)
    (written.fixtures / f"{'b' * 64}.json").write_text("{broken")
    ran = written.run("adopt", written.log, "--format", "json")
    assert ran.code == 1
    assert ran.rows == {
        "adopted": [{"digest": DIGEST, "path": f"fixtures/{DIGEST}.json"}],
        "left_out": [{"digest": "b" * 64, "reason": "the file cannot be read."}],
        "unknown": ["a" * 64],
        "partial": [],
    }


def test_what_no_log_tells_is_counted(written: Project) -> None:
    (written.fixtures / f"{'a' * 64}.json").write_text(TEXT)
    ran = written.run("adopt", written.log)
    assert (ran.code, ran.err) == (
        0,
        "workbench adopt: note: 1 fixture still without a request: these logs do not contain it\n",
    )


def test_a_file_that_cannot_be_read_is_said_and_left(written: Project) -> None:
    path = written.fixtures / f"{DIGEST}.json"
    path.write_text("{broken")
    ran = written.run("adopt", written.log)
    assert (ran.code, ran.out) == (1, "")
    assert f"{DIGEST[:12]}: the file cannot be read" in ran.err
    assert path.read_text() == "{broken"


@pytest.mark.parametrize(
    ("payload", "settings"),
    [(PAYLOAD, "store_request = false"), (chat("x", seed=1e999), "")],
)
def test_a_request_that_is_not_to_be_stored_is_not(
    written: Project, payload: dict[str, Any], settings: str
) -> None:
    written.settings(settings)
    (written.fixtures / f"{DIGEST}.json").unlink()
    path = written.fixtures / f"{digest(payload)}.json"
    path.write_text(TEXT)
    written.write_log(missed(payload))
    ran = written.run("adopt", written.log)
    assert (ran.code, ran.out) == (1, "")
    assert path.read_text() == TEXT


def test_a_large_request_is_adopted_in_part_and_in_full_once_it_may_be(written: Project) -> None:
    payload = chat("x" * 3_000)
    written.settings("store_request_kib = 2")
    (written.fixtures / f"{DIGEST}.json").unlink()
    name = digest(payload)
    (written.fixtures / f"{name}.json").write_text(TEXT)
    written.write_log(missed(payload))
    ran = written.run("adopt", written.log)
    assert (ran.code, ran.out) == (0, f"fixtures/{name}.json\n")
    note = "The fixture leaves out the messages of its request, which has more than 2 KiB"
    assert f"workbench adopt: note: {name[:12]}: {note}" in ran.err
    assert "messages" not in written.fixture(name)["request"]
    before = (written.fixtures / f"{name}.json").read_text()
    again = written.run("adopt", written.log)
    assert (again.code, again.out) == (0, "")
    assert note in again.err
    assert (written.fixtures / f"{name}.json").read_text() == before
    assert written.run("rekey", "--edited").out == ""
    assert written.run("validate", "--strict").code == 0
    written.settings("store_request_kib = 4")
    assert written.run("adopt", written.log).out == f"fixtures/{name}.json\n"
    assert written.fixture(name)["request"] == payload


def test_then_the_nearest_is_found(written: Project) -> None:
    asked = chat("weather in London, please?")
    written.write_log(missed(PAYLOAD, asked))
    assert "no similar fixture" in written.run("explain", written.log, digest(asked)).out
    written.run("adopt", written.log)
    found = written.run("explain", written.log, digest(asked), "--format", "json").rows
    assert found["nearest"]["digest"] == DIGEST
    assert json.loads(TEXT)["response"] == written.fixture(DIGEST)["response"]
