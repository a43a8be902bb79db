"""``python -m tests.clients [CLIENT…]``: the newest clients of npm against ``workbench serve``.

It needs node, npm and a network, and is no part of the test suite. It installs the clients into a
temporary folder. Each then runs an agent of two tool calls, streamed and not where it can do both,
from an empty fixtures folder: what a run misses is promoted, until a run has no miss. Exits with 1
if any of them fails.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.server.promoting import ANSWER, QUESTION, WEATHER, Said, promoted
from tests.server.running import RunningServer

HERE = Path(__file__).parent
PATIENCE_SECONDS = 120

# The tools of Codex whose results are the same in each run; those of its shell are not.
CODEX_SAID = (
    ("--tool-call", "get_goal", "{}"),
    ("--tool-call", "view_image", '{"path":"missing.png"}'),
    ("--content", ANSWER),
)
CLAUDE_SAID = (
    ("--tool-call", "Bash", '{"command":"echo 21 C in Rome"}'),
    ("--tool-call", "Bash", '{"command":"echo 21 C in Oslo"}'),
    ("--content", ANSWER),
)


@dataclass(frozen=True)
class Client:
    """A client, and how it is tried.

    Attributes:
        packages: those whose versions are told.
        modes: what it can do: ``plain``, ``stream``.
        said: what a model would say, by how many results of tools it was told.
    """

    packages: tuple[str, ...]
    modes: tuple[str, ...] = ("plain", "stream")
    said: Said = WEATHER


CLIENTS = {
    "openai-chat": Client(("openai",)),
    "openai-responses": Client(("openai",)),
    "anthropic": Client(("@anthropic-ai/sdk",)),
    "google-genai": Client(("@google/genai",)),
    "ai-openai-chat": Client(("ai", "@ai-sdk/openai")),
    "ai-openai": Client(("ai", "@ai-sdk/openai")),
    "ai-anthropic": Client(("ai", "@ai-sdk/anthropic")),
    "ai-google": Client(("ai", "@ai-sdk/google")),
    "codex": Client(("@openai/codex",), ("stream",), CODEX_SAID),
    "claude": Client(("@anthropic-ai/claude-code",), ("stream",), CLAUDE_SAID),
}


def command(name: str, mode: str, url: str, installed: Path) -> list[str]:
    """The command that asks the question with a client."""
    program = str(installed / "node_modules" / ".bin" / name)
    if name == "codex":
        provider = f'{{name="workbench",base_url="{url}/v1",wire_api="responses"}}'
        settings = ("model_provider=workbench", f"model_providers.workbench={provider}")
        options = [part for setting in settings for part in ("-c", setting)]
        return [program, "exec", "--skip-git-repo-check", "-m", "gpt-5", *options, QUESTION]
    if name == "claude":
        return [program, "-p", QUESTION, "--allowedTools", "Bash", "--model", "claude-sonnet-4-6"]
    return ["node", str(installed / "agents.mjs"), name, url, mode]


def environment(url: str, home: Path) -> dict[str, str]:
    """That of a client which knows no settings of the one who runs this."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home),
        # Else it asks for a title of the conversation, too.
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "test",
    }


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Drops what ``promote`` prints."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


def tried(name: str, mode: str, installed: Path) -> str:
    """What came of a client: ``ok``, or what went wrong."""

    def run() -> str:
        done = subprocess.run(
            command(name, mode, server.url, installed),
            env=environment(server.url, home),
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"exit code {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout.strip()

    with tempfile.TemporaryDirectory(prefix="workbench-client-") as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        home.mkdir()
        work.mkdir()
        try:
            with RunningServer(Path(folder)) as server, quiet():
                outcome, misses = promoted(server, run, CLIENTS[name].said)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return f"failed: {error}"
    wanted = [1] * len(CLIENTS[name].said) + [0]
    if (outcome, misses) == (ANSWER, wanted):
        return "ok"
    return f"failed: it said {outcome!r}, with {misses} misses a run"


def versions(name: str, installed: Path) -> str:
    found = []
    for package in CLIENTS[name].packages:
        about = json.loads((installed / "node_modules" / package / "package.json").read_text())
        found.append(f"{package} {about['version']}")
    return ", ".join(found)


def main() -> int:
    names = sys.argv[1:] or list(CLIENTS)
    if unknown := set(names) - CLIENTS.keys():
        print(f"no such client: {', '.join(sorted(unknown))}; there are {', '.join(CLIENTS)}")
        return 2
    failed = False
    with tempfile.TemporaryDirectory(prefix="workbench-npm-") as folder:
        installed = Path(folder)
        for file in ("package.json", "agents.mjs"):
            shutil.copy(HERE / file, installed)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=installed, check=True)
        for name in names:
            for mode in CLIENTS[name].modes:
                outcome = tried(name, mode, installed)
                failed = failed or outcome != "ok"
                print(f"{name} ({versions(name, installed)}), {mode}: {outcome}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
