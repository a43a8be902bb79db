"""``python -m tests.clients [CLIENT…]``: the newest clients of npm and PyPI against ``workbench
serve``, with the environment of ``workbench run``.

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
from workbench.core.replies.profile_names import RUN_PROFILE
from workbench.io.processes.client_environment import client_environment

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


# The clients of agents.py, with the package of each.
PYTHON = {
    f"py-{name}": Client((package,))
    for name, package in {
        "anthropic": "anthropic",
        "anthropic-bedrock": "anthropic[bedrock]",
        "anthropic-foundry": "anthropic",
        "anthropic-vertex": "anthropic[vertex]",
        "azure-ai-inference": "azure-ai-inference",
        "azure-openai": "openai",
        "boto3": "boto3",
        "cerebras": "cerebras-cloud-sdk",
        "cohere": "cohere",
        "fireworks": "fireworks-ai",
        "gemini": "google-genai",
        "gemini-vertex": "google-genai",
        "groq": "groq",
        "huggingface": "huggingface_hub",
        "langchain-aws": "langchain-aws",
        "litellm-anthropic": "litellm",
        "litellm-azure": "litellm",
        "litellm-bedrock": "litellm",
        "litellm-cerebras": "litellm",
        "litellm-cohere_chat": "litellm",
        "litellm-deepseek": "litellm",
        "litellm-fireworks_ai": "litellm",
        "litellm-gemini": "litellm",
        "litellm-groq": "litellm",
        "litellm-mistral": "litellm",
        "litellm-openai": "litellm",
        "litellm-openrouter": "litellm",
        "litellm-together_ai": "litellm",
        "litellm-xai": "litellm",
        "mistral": "mistralai",
        "openai": "openai",
        "openrouter": "openrouter",
        "openrouter-by-openai": "openai",
        "perplexity": "perplexityai",
        "strands": "strands-agents",
        "together": "together",
    }.items()
}
# Its streams have the pieces of a call as calls of their own.
PYTHON["py-langchain-cohere"] = Client(("langchain-cohere",), ("plain",))
NODE = {
    "openai-chat": Client(("openai",)),
    "openai-responses": Client(("openai",)),
    "azure-openai": Client(("openai",)),
    "anthropic": Client(("@anthropic-ai/sdk",)),
    "cohere": Client(("cohere-ai",)),
    "anthropic-bedrock": Client(("@anthropic-ai/bedrock-sdk",)),
    "aws-sdk": Client(("@aws-sdk/client-bedrock-runtime",)),
    "groq": Client(("groq-sdk",)),
    "together": Client(("together-ai",)),
    "google-genai": Client(("@google/genai",)),
    "ai-openai-chat": Client(("ai", "@ai-sdk/openai")),
    "ai-openai": Client(("ai", "@ai-sdk/openai")),
    "ai-anthropic": Client(("ai", "@ai-sdk/anthropic")),
    "ai-cohere": Client(("ai", "@ai-sdk/cohere")),
    "ai-bedrock": Client(("ai", "@ai-sdk/amazon-bedrock")),
    "ai-google": Client(("ai", "@ai-sdk/google")),
    "ai-groq": Client(("ai", "@ai-sdk/groq")),
    "ai-mistral": Client(("ai", "@ai-sdk/mistral")),
    "codex": Client(("@openai/codex",), ("stream",), CODEX_SAID),
    "claude": Client(("@anthropic-ai/claude-code",), ("stream",), CLAUDE_SAID),
}
CLIENTS = NODE | PYTHON


def command(name: str, mode: str, url: str, installed: Path) -> list[str]:
    """The command that asks the question with a client."""
    if name in PYTHON:
        python = str(installed / "venv" / "bin" / "python")
        return [python, str(HERE / "agents.py"), name.removeprefix("py-"), mode]
    program = str(installed / "node_modules" / ".bin" / name)
    if name == "codex":
        base_url = f'openai_base_url="{url}/v1"'
        options = ["--skip-git-repo-check", "-m", "gpt-5", "-c", base_url]
        return [program, "exec", *options, QUESTION]
    if name == "claude":
        return [program, "-p", QUESTION, "--allowedTools", "Bash", "--model", "claude-sonnet-4-6"]
    return ["node", str(installed / "agents.mjs"), name, url, mode]


def environment(url: str, home: Path) -> dict[str, str]:
    """That of ``workbench run``, without any settings of the one who runs this."""
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home),
        # Else it asks for a title of the conversation, too.
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        # Else it asks for prices at each start.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    return client_environment(url, own)


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
            profile = ("--profile", RUN_PROFILE)
            with RunningServer(Path(folder), arguments=profile) as server, quiet():
                outcome, misses = promoted(server, run, CLIENTS[name].said)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return f"failed: {error}"
    wanted = [1] * len(CLIENTS[name].said) + [0]
    if (outcome, misses) == (ANSWER, wanted):
        return "ok"
    return f"failed: it said {outcome!r}, with {misses} misses a run"


def install_node(folder: Path) -> None:
    for file in ("package.json", "agents.mjs"):
        shutil.copy(HERE / file, folder)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, check=True)


def install_python(folder: Path, names: list[str]) -> None:
    """Install the clients one after the other: one that cannot be has no version then."""
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    for package in dict.fromkeys(CLIENTS[name].packages[0] for name in names):
        subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=False)


def versions(name: str, installed: Path) -> str:
    """The packages of a client with their versions."""
    if name in PYTHON:
        package = CLIENTS[name].packages[0].partition("[")[0]
        program = f"import importlib.metadata as m; print(m.version({package!r}))"
        words = [str(installed / "venv" / "bin" / "python"), "-c", program]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return f"{package} {done.stdout.strip() or 'is not installed'}"
    packages = []
    for package in CLIENTS[name].packages:
        about = json.loads((installed / "node_modules" / package / "package.json").read_text())
        packages.append(f"{package} {about['version']}")
    return ", ".join(packages)


def main() -> int:
    names = sys.argv[1:] or list(CLIENTS)
    if unknown := set(names) - CLIENTS.keys():
        print(f"no such client: {', '.join(sorted(unknown))}; there are {', '.join(CLIENTS)}")
        return 2
    failed = False
    with tempfile.TemporaryDirectory(prefix="workbench-clients-") as folder:
        installed = Path(folder)
        if of_node := [name for name in names if name in NODE]:
            install_node(installed)
        if of_python := [name for name in names if name in PYTHON]:
            install_python(installed, of_python)
        for name in [*of_node, *of_python]:
            for mode in CLIENTS[name].modes:
                outcome = tried(name, mode, installed)
                failed = failed or outcome != "ok"
                print(f"{name} ({versions(name, installed)}), {mode}: {outcome}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
