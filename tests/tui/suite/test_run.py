"""``workbench run`` in a real terminal: a suite is answered while it waits, in one run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.forked import FORKED
from tests.processes import has_ended
from tests.terminal import Terminal

# Two turns, the second with the answer of the first.
SUITE = """
import json, os, signal, urllib.request
def ask(text):
    body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": text}]})
    url, headers = os.environ["OPENAI_BASE_URL"], {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", body.encode(), headers)
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
print("\\033[31masking\\033[0m", os.getpid(), flush=True)
print("answered", ask("and in " + ask("weather in London?")))
if os.path.exists("stays"):
    print("staying", flush=True)
    signal.pause()
"""


def test_one_run_answers_a_suite_and_the_next_is_green(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "suite.py").write_text(SUITE)
    command = [*FORKED, "run", "--", sys.executable, "suite.py"]
    environment: dict[str, str | None] = {"WORKBENCH_PORT": "0"}
    with Terminal(
        command, columns=120, rows=30, folder=tmp_path, environment=environment
    ) as terminal:
        terminal.wait_for("weather in London?")
        screen = terminal.wait_for("hold on 5m · 1 held")
        assert "5 Suite ● running" in screen
        assert "openai   hold on 5m" in screen
        terminal.press("enter")
        terminal.type("Paris?")
        terminal.wait_for("Paris?")
        terminal.press("^s")
        terminal.wait_for("and in Paris?")
        terminal.press("enter")
        terminal.type("It rains.")
        terminal.wait_for("It rains.")
        terminal.press("^s")
        terminal.wait_for("2 fixtures written.")
        (tmp_path / "stays").touch()
        terminal.press("5")
        terminal.wait_for("answered It rains.")
        terminal.press("1", "X", "5")
        screen = terminal.wait_for("staying")
        terminal.press("q")
        terminal.wait_for("The suite is still running.")
        (asking,) = (line for line in screen.splitlines() if "asking" in line)
        terminal.press("y")
        assert terminal.wait_for_end() == 130  # the second run was not done
        assert has_ended(int(asking.split()[2]))
        said = terminal.wait_for_rest("continue:")
        assert "note:\x1b[0m 2 saved" in said
        assert f"continue: workbench run -- {sys.executable} suite.py" in said
    saved = [json.loads(path.read_text()) for path in (tmp_path / "fixtures").iterdir()]
    assert {one["response"]["content"] for one in saved} == {"Paris?", "It rains."}
    log = (tmp_path / ".workbench" / "run.log").read_text()
    assert log.count("] listening on ") == 2  # the two runs
    assert log.count("unknown fixture hash") == 2


AGENT = """
import json, os, urllib.request
def ask(text):
    body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": text}]})
    url, headers = os.environ["OPENAI_BASE_URL"], {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", body.encode(), headers)
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
def test_weather():
    assert ask("weather in London?") == "It rains."
def test_sum():
    assert os.path.exists("right")
"""


def test_the_tests_of_pytest_are_listed_and_one_page_says_what_happened(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / "test_agent.py").write_text(AGENT)
    pytest = [sys.executable, "-m", "pytest", "-q", "test_agent.py"]
    environment: dict[str, str | None] = {"WORKBENCH_PORT": "0", "WORKBENCH_REPORTING": None}
    environment["PYTEST_XDIST_WORKER"] = None
    with Terminal(
        [*FORKED, "run", "--", *pytest],
        columns=120,
        rows=36,
        folder=tmp_path,
        environment=environment,
    ) as terminal:
        terminal.wait_for("weather in London?")
        terminal.press("5")
        terminal.wait_for("‖ waiting       test_weather")
        terminal.press("enter")
        terminal.wait_for("weather in London?")
        terminal.press("enter")
        terminal.type("It rains.")
        terminal.wait_for("It rains.")
        terminal.press("^s")
        screen = terminal.wait_for("✗ Suite: 1 failed, 1 passed      2 tests   1 answer written")
        assert "✗ test_agent.py::test_sum" in screen
        assert "5 Suite 1 failed, 1 passed" in screen
        terminal.press("y")
        terminal.wait_for("Copied the git add line.")
        assert b"Z2l0IGFkZCAtLSBmaXh0dXJlcy" in terminal.raw  # git add -- fixtures/
        terminal.press("enter")
        terminal.wait_for("✗ failed        test_sum")
        (tmp_path / "right").touch()
        terminal.press("f")
        terminal.wait_for("[5 Suite] 1 passed in")
        screen = terminal.wait_for("only those that had failed")
        assert "test_weather" not in screen.split("[Output]")[0]
        terminal.press("1")
        terminal.wait_for("✓ Suite passed in")
        terminal.wait_for("1 test that had failed")
        terminal.press("r")
        terminal.wait_for("5 Suite 2 passed in")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
