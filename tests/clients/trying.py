"""Runs a client under ``workbench run`` until it has all its answers: each miss is promoted, as a
model would answer it.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.clients.client import EMBEDDINGS, QUESTION, STRUCTURED, STRUCTURED_QUESTION, Client
from tests.clients.installing import folder_of, programs_of
from tests.server.promoting import ANSWER, MOST_RUNS, WEATHER, dumps_of
from workbench.core.apis.table import APIS, view
from workbench.core.requests.view import RequestView

ROOT: Final = Path(__file__).parents[2]
PATIENCE_SECONDS: Final = 180
WARM: Final = {"city": "Rome", "celsius": 21}
OK: Final = "ok"
_OF_THE_PROJECT: Final = {"PYTHONPATH": str(ROOT)}
_TRACING: Final = ("strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg")
_ADDRESS: Final = re.compile(r'inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]+)"')
_REAL_LOOKING: Final = "sk-proj-4fK9sPq2Lx7Tz0Wb8Vn3"
_WORKBENCH: Final = (sys.executable, "-m", "workbench")


def tried(client: Client, *, is_offline: bool = False) -> dict[str, str]:
    """What came of a client in each of its modes: ``ok``, or what went wrong."""
    with tempfile.TemporaryDirectory(prefix="workbench-client-") as folder:
        runs = Runs(client, Path(folder), is_offline)
        return {mode: runs.outcome(mode) for mode in client.modes}


@dataclass(frozen=True)
class Runs:
    """The runs of a client.

    Attributes:
        folder: of fixtures and log. The client works in one inside it, whose files it may name in
            what it asks.
        is_offline: it runs with ``--offline`` and what looks like real keys, and goes wrong where
            it asks another machine. Needs strace.
    """

    client: Client
    folder: Path
    is_offline: bool = False

    def outcome(self, mode: str) -> str:
        """What came of one mode: ``ok``, or what went wrong."""
        for _ in range(MOST_RUNS):
            try:
                done = self._run(mode)
            except subprocess.TimeoutExpired:
                return f"it was not done after {PATIENCE_SECONDS} seconds"
            if machines := self._other_machines():
                return f"it asked {', '.join(machines)}"
            logs = [path.read_text("utf-8") for path in self._logs()]
            dumps = [dump for log in logs for dump in dumps_of(log)]
            if not dumps:
                return self._verdict(mode, done)
            asked = [view(json.loads(dump)) for dump in dumps]
            # Some clients ask again after any error.
            for request in {request.digest: request for request in asked}.values():
                if problem := self._promote(mode, request):
                    return problem
        return f"each of {MOST_RUNS} runs had requests without a fixture"

    def _logs(self) -> list[Path]:
        return sorted((self.folder / ".workbench").glob("run.log"))

    def _run(self, mode: str) -> subprocess.CompletedProcess[str]:
        """Run the client under ``workbench run``."""
        for log in self._logs():
            log.unlink()
        work, home = self.folder / "work", self.folder / "home"
        work.mkdir(exist_ok=True)
        home.mkdir(exist_ok=True)
        options = ["--intercept"] if self.client.intercept else []
        line = f"cd {shlex.quote(str(work))} && {self.client.line}"
        command = ["sh", "-c", line]
        keys = {}
        if self.is_offline:
            options.append("--offline")
            command = [*_TRACING, "-o", str(self._trace), *command]
            variables = [each for api in APIS for each in api.client.all_placeholders]
            keys = {each.name: _REAL_LOOKING for each in variables if each.is_key}
        return subprocess.run(
            [*_WORKBENCH, "run", "--no-tui", *options, "--", *command],
            env={
                "PATH": f"{programs_of(self.client)}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(home),
                **_OF_THE_PROJECT,
                **keys,
                "INSTALLED": str(folder_of(self.client)),
                "MODE": mode,
                "QUESTION": STRUCTURED_QUESTION if mode == STRUCTURED else QUESTION,
                **self.client.environment,
            },
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    @property
    def _trace(self) -> Path:
        return self.folder / "trace"

    def _other_machines(self) -> list[str]:
        """The addresses that the last run connected with, or sent to, but for this machine."""
        if not self.is_offline:
            return []
        addresses = set(_ADDRESS.findall(self._trace.read_text("utf-8", "replace")))
        return sorted(each for each in addresses if not ipaddress.ip_address(each).is_loopback)

    def _promote(self, mode: str, asked: RequestView) -> str:
        """Write the answer to a request; returns what went wrong."""
        log = next(path for path in self._logs() if asked.digest in path.read_text("utf-8"))
        words = [*_WORKBENCH, "promote", str(log), asked.digest, *self._reply(mode, asked)]
        done = subprocess.run(
            words,
            env={**os.environ, **_OF_THE_PROJECT},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return f"promote: {done.stderr.strip()}" if done.returncode else ""

    def _reply(self, mode: str, asked: RequestView) -> Sequence[str]:
        """What a model would say to a request, as options of ``promote``."""
        if mode == STRUCTURED:
            for tool in asked.tools:
                if tool.properties.keys() >= WARM.keys():
                    return ("--tool-call", tool.name, json.dumps(WARM))
            return ("--content", json.dumps(WARM))
        turns = sum(message.role == "assistant" for message in asked.messages)
        replies = self.client.replies or WEATHER
        reply = replies[min(turns, len(replies) - 1)]
        if reply[0] != "--tool-call":
            return reply
        # Some frameworks put the name of a group before it. Without tools, it is about a title.
        names = [tool.name for tool in asked.tools if tool.name.endswith(reply[1])]
        return ("--tool-call", names[0], *reply[2:]) if names else ("--content", ANSWER)

    def _verdict(self, mode: str, done: subprocess.CompletedProcess[str]) -> str:
        """What came of a run without misses."""
        last = (done.stdout.strip().splitlines() or [""])[-1]
        if done.returncode:
            return f"exit code {done.returncode}: {done.stderr.strip()[-3000:]}"
        is_found = mode == EMBEDDINGS and last == QUESTION
        if last == ANSWER or is_found or (mode == STRUCTURED and _is_warm(last)):
            return OK
        return f"its last line is {last!r}: {done.stderr.strip()[-1000:]}"


def _is_warm(line: str) -> bool:
    try:
        return bool(json.loads(line) == WARM)
    except ValueError:
        return False
