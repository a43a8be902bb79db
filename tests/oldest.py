"""``python -m tests.oldest``: the tests that depend most on libraries, with the oldest versions of
these that the package allows, in an environment of its own. Arguments go to pytest.

``python -m tests`` runs all tests with the newest.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Agent frameworks and the clients of Gemini, Bedrock and Ollama are tried with the newest libraries
# alone: some want newer ones.
NEEDED = (
    *("pytest", "pytest-timeout", "pytest-xdist"),
    *("hypothesis", "httpx2", "psutil", "pyte", "trio"),
    *("openai", "anthropic", "google-genai"),
)
SERVER = "tests/server"
MOCKS = "tests/testing/mocks"
PLUGIN = "tests/testing/plugin/test_plugin.py"
TESTS = [
    *("tests/tui", "tests/io", "tests/testing", SERVER),
    # Before 9.1, pytest does not look at options that come too late.
    f"--deselect={PLUGIN}::test_an_option_that_a_conftest_defines_too_late_is_one_line",
    *(
        f"--ignore={SERVER}/test_{name}.py"
        for name in (
            *("frameworks", "hold_flows", "any_client", "gemini"),
            *("responses_clients", "messages_clients", "gemini_clients"),
            *("bedrock_clients", "ollama_clients", "other_providers"),
        )
    ),
    f"--deselect={SERVER}/test_running_tests.py::test_any_client_names_its_requests[ask_gemini]",
    f"--deselect={SERVER}/misses/test_cut_off.py"
    "::test_a_client_that_waits_long_gets_the_status_itself[generate_content]",
    *(f"--ignore={MOCKS}/test_{name}.py" for name in ("frameworks", "gemini", "ollama")),
    "--ignore=tests/testing/evals/test_tool_objects.py",
]


def oldest(extra: str) -> list[str]:
    """The lower end of each range among the dependencies, as pip writes it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"][extra]]
    ranges = [re.match(r"([\w-]+)>=([\d.]+),<", text) for text in needed]
    return [f"{found[1]}=={found[2]}" for found in ranges if found is not None]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="workbench-oldest-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        constraints = Path(folder, "constraints.txt")
        constraints.write_text("\n".join(oldest("pytest")))
        print("\n".join(oldest("pytest")), flush=True)
        install = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, "-c", str(constraints), "-e", str(ROOT), *NEEDED], check=True)
        # Warnings of old libraries about each other are not ours to mend.
        run = [python, "-m", "pytest", "-n", "5", "-W", "default"]
        code = subprocess.run([*run, *TESTS, *sys.argv[1:]], cwd=ROOT, check=False).returncode
        # The SDK of this extra wants a newer pydantic than the package does.
        mcp = [needed for needed in oldest("mcp") if needed.startswith("mcp=")]
        print(*mcp, flush=True)
        subprocess.run([*install, "-e", f"{ROOT}[mcp]", *mcp], check=True)
        run_mcp = [*run, "tests/mcp", *sys.argv[1:]]
        return code or subprocess.run(run_mcp, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
