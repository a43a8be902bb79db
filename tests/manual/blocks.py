"""The code blocks of a page, and what is done with each.

The words after the fence say it: ``sh`` is run by bash, ``sh fails`` must fail, ``sh terminal`` is
run in a terminal. ``sh setup`` needs a network, and ``sh shown`` programs that few machines have:
both are only parsed. ``text`` is what the commands before it print, ``text keys`` what a person
sees and presses in the terminal before it, ``text shown`` is no code. Another language is parsed,
and written to the file that is named, or only ``shown``.

A reader begins with an empty folder and the packages that the page names. If a page takes more for
granted, a paragraph of the page or of a section says so: it begins with "You need:". What is
prepared is what these paragraphs name, by the words of ``NEEDS`` and the constants after it.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import yaml
from markdown_it import MarkdownIt

from tests.server.running import RunningServer, clean_environment
from tests.terminal import Terminal
from workbench.io.settings import Settings
from workbench.testing import MockLLM, Reply

SAMPLES: Final = Path(__file__).parents[1] / "samples"
PORT: Final = "7899"
UPSTREAM: Final = "https://api.openai.com/v1"
LOG: Final = "mock-llm.log"
# What the paragraph "You need:" of a page may name, and the folder of SAMPLES with such files.
NEEDS: Final = {
    "a suite": "suite",
    "a project in git": "shop",
    "`myapp`": "pytest",
    "fixtures with a date": "dates",
}
# With this there is a server that had requests: its log, and its port in place of 7899.
NEEDS_LOG: Final = f"`{LOG}`"
# With this, clients find a model on this machine in place of the API of OpenAI.
NEEDS_KEY: Final = "`OPENAI_API_KEY`"
# The plugins of pytest that it may name.
PLUGINS: Final = {
    "pytest-httpx": "pytest_httpx",
    "pytest-recording": "pytest_recording.plugin",
    "pytest-xdist": "xdist.plugin",
    "respx": "respx.plugin",
}
# What the suite behind the log asked for.
MISSES: Final = ("What is the weather in London?", "Today is 2026-11-20. What is new?")
PATIENCE_SECONDS: Final = 60
INSTALLING_SECONDS: Final = 600
SETUP: Final = re.compile(
    r'(\w+="\S+" )?(python3 -m venv|source \S+/activate|'
    r"pip|pipx|uvx?|docker|npm|code|python -m tests|textual serve)\b"
)
PARSING: Final = ("bash", "-n", "-c")
KEYS: Final = {"Enter": "enter", "Tab": "tab", "Escape": "escape", "Ctrl+S": "^s"}
# What a reader presses who only looks.
KEYS_TO_LOOK: Final = "Misses  q"
PARSERS: Final[dict[str, Callable[[str], Any]]] = {
    "json": json.loads,
    "python": lambda text: compile(text, "block", "exec"),
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    # The tools of these are on few machines: ``python -m tests.clients.recipes`` runs them.
    **dict.fromkeys(["dockerfile", "go", "ini", "java", "js", "ruby", "rust"], str),
}


class Block(NamedTuple):
    """A fenced code block.

    Attributes:
        line: where it begins in the page, from 1.
        info: the words after the fence.
    """

    line: int
    info: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced code blocks of a page in Markdown."""
    for token in MarkdownIt().parse(page):
        if token.type in ("fence", "code_block") and token.map:
            yield Block(token.map[0] + 1, token.info, token.content)


def imported(page: str) -> set[str]:
    """The packages that the Python blocks of a page import, without those that Python has."""
    names: set[str] = set()
    for block in blocks(page):
        if block.info.startswith("python"):
            for node in ast.walk(ast.parse(block.text)):
                if isinstance(node, ast.Import):
                    names |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names


def needs(page: str) -> str:
    """The paragraphs that say what the reader needs; "" without one."""
    return "\n".join(re.findall(r"^You need: .+?(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL))


def written_file(block: Block) -> str:
    """The file that a block is written to; "" if it is not for a file."""
    language, _, about = block.info.partition(" ")
    return about if language in PARSERS and about != "shown" else ""


class Reader:
    """Does what a page says, block by block, in a folder of its own.

    Port 7899 stands for a port of this reader, the API of OpenAI for a model on this machine.

    Args:
        needs: the paragraphs that say what the reader has; "" for an empty folder.
        has_tools: run what is else only parsed, with the settings of the one who runs this.
        size: columns and rows of the terminal, in which nobody ever used workbench.
    """

    def __init__(
        self,
        folder: Path,
        page: str,
        needs: str = "",
        *,
        has_tools: bool = False,
        size: tuple[int, int] = (100, 30),
    ) -> None:
        self._size = size
        self._folder = folder
        self._page = page
        self._needs = " ".join(needs.split())
        self._has_tools = has_tools
        self._inherited = clean_environment() if has_tools else {}
        self._printed = ""
        self._groups: list[int] = []
        self._stack = ExitStack()
        for words, sample in NEEDS.items():
            if words in self._needs:
                shutil.copytree(SAMPLES / sample, folder, dirs_exist_ok=True)

    def __enter__(self) -> Self:
        model = self._stack.enter_context(MockLLM(strict=False))
        model.script(Reply.text("Rain."), repeat_last=True)
        # A socket that listens already: no other program can take its port.
        self._listener = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = self._listener.getsockname()[1]
        if NEEDS_LOG in self._needs:
            server_port = self._start_server()
            port = port if f"--port {PORT}" in self._page else server_port
        self._replaced = {
            UPSTREAM: model.base_url,
            f"--port {PORT}": f"--fd {self._listener.fileno()}",
            PORT: str(port),
        }
        named = [plugin for words, plugin in PLUGINS.items() if words in self._needs]
        plugins = [f"-p {plugin}" for plugin in ("workbench.testing.plugin", *named)]
        self._variables = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "WORKBENCH_PORT": "0",
            "XDG_DATA_HOME": str(self._folder / ".data"),
        }
        if not self._has_tools:
            self._variables |= {
                "HOME": str(self._folder),
                "LC_ALL": "C.UTF-8",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTEST_ADDOPTS": f"-p no:cacheprovider {' '.join(plugins)}",
            }
        if NEEDS_KEY in self._needs:
            self._variables |= {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "x"}
        return self

    def __exit__(self, *_: object) -> None:
        for group in self._groups:  # what a block left running
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        self._stack.close()

    def _start_server(self) -> int:
        """Start a server that had a suite; its log is ``mock-llm.log``. Returns its port."""
        fixtures = Settings.resolve(environ={}, start=self._folder).fixtures
        server = self._stack.enter_context(RunningServer(self._folder, fixtures=fixtures))
        (self._folder / LOG).hardlink_to(server.log_path)
        for question in MISSES:
            message = {"role": "user", "content": question}
            server.chat({"model": "gpt-4o", "messages": [message]})
        server.post("/v1/rerank", {"input": "hello"})
        return server.port

    def do(self, block: Block, following: Block | None = None) -> None:
        """Do what a block says. Raises AssertionError if that fails, or if it does not say what.

        Args:
            following: the block after it.
        """
        language, _, about = block.info.partition(" ")
        match language, about:
            case "sh", "":
                assert self._run(block.text) == 0, self._printed
            case "sh", "fails":
                assert self._run(block.text) != 0, self._printed
            case "sh", "setup" | "shown" if self._has_tools:
                assert self._run(block.text) == 0, self._printed
            case "sh", "setup":
                assert all(map(SETUP.match, block.text.splitlines())), "why is it not run?"
                subprocess.run([*PARSING, block.text], check=True)
            case "sh", "shown":
                subprocess.run([*PARSING, block.text], check=True)
            case "sh", "terminal":
                has_keys = following is not None and following.info == "text keys"
                keys = following.text if following and has_keys else KEYS_TO_LOOK
                self._run_in_terminal(block.text, keys)
            case "text", "":
                pattern = ".*".join(map(re.escape, block.text.strip().split("…")))
                assert re.fullmatch(pattern, self._printed.strip(), re.S), self._printed
            case "text", "keys" | "shown":
                pass  # pressed in the terminal that the block before it starts; a drawing
            case _, "shown":
                PARSERS[language](block.text)
            case _:
                assert about, f"{block.info!r} does not say what to do"
                PARSERS[language](block.text)
                file = self._folder / about
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, "utf-8")

    def _run(self, command: str) -> int:
        """Run commands; returns the exit code of the first that fails, else 0."""
        output = self._folder / ".printed"
        with output.open("wb") as file:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", self._replace(command)],
                cwd=self._folder,
                env={**self._inherited, **self._variables},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                pass_fds=[self._listener.fileno()],
                start_new_session=True,
            )
        self._groups.append(process.pid)
        code = process.wait(INSTALLING_SECONDS if self._has_tools else PATIENCE_SECONDS)
        self._printed = output.read_text("utf-8")
        return code

    def _run_in_terminal(self, command: str, keys: str) -> None:
        """Run one command in a terminal and press keys.

        Args:
            keys: what must be seen, two blanks, and what is pressed then, a pair a line.
        """
        removed = dict.fromkeys(os.environ.keys() - self._inherited.keys() - {"TERM", "COLORTERM"})
        with Terminal(
            shlex.split(self._replace(command)),
            columns=self._size[0],
            rows=self._size[1],
            folder=self._folder,
            environment={**removed, **self._variables},
        ) as terminal:
            for line in keys.splitlines():
                seen, pressed = re.split(r" {2,}", line.strip())
                terminal.wait_for(seen, PATIENCE_SECONDS)
                terminal.press(*([KEYS[pressed]] if pressed in KEYS else pressed))
            assert terminal.wait_for_end(PATIENCE_SECONDS) == 0

    def _replace(self, text: str) -> str:
        for shown, real in self._replaced.items():
            text = text.replace(shown, real)
        return text
