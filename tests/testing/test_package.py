"""Importing ``workbench.testing``: its names, and what is loaded."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import workbench.testing
from workbench.testing import (
    CallFailedError,
    CheckpointError,
    MissingReplyError,
    NoReplyError,
    RecordedError,
)

LOADED = """
import sys
from workbench.testing import GoldenQuery, MockLLM, Reply, check_tool
mock = MockLLM()
mock.script(Reply.text("x"))
heavy = {"uvicorn", "httpx", "httpx2", "openai", "pytest", "textual", "jsonschema", "pydantic"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""
FORGOTTEN = """
import urllib.request
from workbench.testing import MockLLM
mock = MockLLM()
with urllib.request.urlopen(f"{mock.base_url}/models") as reply:
    print(reply.status)
"""


def ran(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.stderr == ""
    return done.stdout


def test_each_public_name_is_there() -> None:
    names = workbench.testing.__all__
    assert names == sorted(names)
    assert {name for name in names if not hasattr(workbench.testing, name)} == set()
    assert set(names) <= set(dir(workbench.testing))
    assert not hasattr(workbench.testing, "Replay")


def test_what_is_not_used_is_not_loaded() -> None:
    assert ran(LOADED) == "[]\n"


def test_g8_a_mock_that_nobody_closes_does_not_keep_the_program() -> None:
    assert ran(FORGOTTEN) == "200\n"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (CallFailedError(503, "busy"), "503: busy"),
        (RecordedError("Lost", "no way"), "Lost: no way"),
        (MissingReplyError("plan", 2, "it has 1 reply", None, None), "call 2: it has 1 reply."),
        (NoReplyError("nothing"), "nothing"),
        (CheckpointError("broken"), "broken"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_comes_out_of_another_process(error: Exception, text: str) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert text in str(other)
        assert vars(other) == vars(error)
