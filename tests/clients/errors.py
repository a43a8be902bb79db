"""``python -m tests.clients.errors [CLIENT…]``: what the newest clients make of errors that are
answered by hand while they wait.

It needs node, npm and a network, and is no part of the test suite. Each client asks for plain
replies and streams, with its default of retries and without. Each try of its waits and gets the
same error: ``early``, before something was sent to it, or ``late``, after status 200. Prints a
line for each client, and exits with 1 if one of them takes an error for a success.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import anthropic
import openai
from google import genai
from google.genai import types

from tests.clients.installing import install_javascript
from tests.server import hurried
from tests.server.misses.test_hold import get, post
from tests.server.running import RunningServer

HERE: Final = Path(__file__).parent
STATUSES: Final = (400, 401, 429, 500, 503, 529)
MODES: Final = ("plain", "stream", "helper")
WITHOUT_HELPER: Final = {
    ("google-genai-py", "helper"),
    ("google-genai", "helper"),
    ("cohere", "helper"),
}
# The time-out of each client, and the seconds that ``fetch`` is said to wait.
CLIENT_SECONDS: Final = 10
# Nothing is sent so long where the answer comes early.
LONG_SECONDS: Final = 600
WAIT_SECONDS: Final = 300
NO_OUTCOME: Final = "no outcome"


@dataclass(frozen=True)
class Case:
    """One request of one client.

    Attributes:
        mode: ``plain``, ``stream``, or ``helper``: a stream that the client puts together.
        retries: None: its default.
    """

    number: int
    client: str
    status: int
    mode: str
    retries: int | None

    @property
    def question(self) -> str:
        return f"case {self.number}."


def openai_chat(url: str, case: Case) -> str:
    with openai.OpenAI(
        base_url=url + "/v1", api_key="none", timeout=CLIENT_SECONDS, **_retries(case)
    ) as client:
        asked: Any = {"role": "user", "content": case.question}
        if case.mode == "plain":
            reply = client.chat.completions.create(model="gpt-4o", messages=[asked])
            return reply.choices[0].message.content or ""
        if case.mode == "helper":
            with client.chat.completions.stream(model="gpt-4o", messages=[asked]) as stream:
                return str(stream.get_final_completion())
        chunks = client.chat.completions.create(model="gpt-4o", messages=[asked], stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def openai_responses(url: str, case: Case) -> str:
    with openai.OpenAI(
        base_url=url + "/v1", api_key="none", timeout=CLIENT_SECONDS, **_retries(case)
    ) as client:
        if case.mode == "plain":
            return client.responses.create(model="gpt-5", input=case.question).output_text
        if case.mode == "helper":
            with client.responses.stream(model="gpt-5", input=case.question) as stream:
                return str(stream.get_final_response())
        events = client.responses.create(model="gpt-5", input=case.question, stream=True)
        return "".join(str(getattr(event, "delta", "")) for event in events)


def anthropic_messages(url: str, case: Case) -> str:
    asked: Any = {"role": "user", "content": case.question}
    with anthropic.Anthropic(
        base_url=url, api_key="none", timeout=CLIENT_SECONDS, **_retries(case)
    ) as client:
        if case.mode == "plain":
            reply = client.messages.create(model="claude", max_tokens=9, messages=[asked])
            return str(reply.content)
        if case.mode == "helper":
            with client.messages.stream(model="claude", max_tokens=9, messages=[asked]) as stream:
                return stream.get_final_text()
        events = client.messages.create(model="claude", max_tokens=9, messages=[asked], stream=True)
        return "".join(str(getattr(event, "delta", "")) for event in events)


def google_genai(url: str, case: Case) -> str:
    retry = None if case.retries is None else types.HttpRetryOptions(attempts=case.retries + 1)
    options = types.HttpOptions(base_url=url, timeout=CLIENT_SECONDS * 1000, retry_options=retry)
    with genai.Client(api_key="none", http_options=options) as client:
        models = client.models
        if case.mode == "plain":
            return models.generate_content(model="gemini", contents=case.question).text or ""
        chunks = models.generate_content_stream(model="gemini", contents=case.question)
        return "".join(chunk.text or "" for chunk in chunks)


def _retries(case: Case) -> dict[str, Any]:
    return {} if case.retries is None else {"max_retries": case.retries}


PYTHON: Final[dict[str, Callable[[str, Case], str]]] = {
    "openai-chat-py": openai_chat,
    "openai-responses-py": openai_responses,
    "anthropic-py": anthropic_messages,
    "google-genai-py": google_genai,
}
JAVASCRIPT: Final = (
    "openai-chat",
    "openai-responses",
    "anthropic",
    "cohere",
    "google-genai",
    "ai-openai-chat",
    "ai-openai",
    "ai-anthropic",
    "ai-cohere",
    "ai-google",
)
# Of npm, for those of JAVASCRIPT.
PACKAGES: Final = (
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "@ai-sdk/openai",
    "@anthropic-ai/sdk",
    "@google/genai",
    "ai",
    "openai",
    "zod",
)


def of_python(url: str, case: Case) -> str:
    """What the application sees of a case of a client for Python."""
    try:
        return f"success: {PYTHON[case.client](url, case)!r}"
    except Exception as error:
        status = getattr(error, "status_code", None) or getattr(error, "code", None) or ""
        return f"{type(error).__name__} {status}".strip()


def of_javascript(url: str, cases: Sequence[Case], installed: Path) -> Iterator[tuple[int, str]]:
    """The same of all cases of clients for JavaScript, by their numbers."""
    asked = [{**vars(case), "question": case.question} for case in cases]
    done = subprocess.run(
        ["node", str(installed / "errors.mjs"), url, str(CLIENT_SECONDS)],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        timeout=WAIT_SECONDS,
        check=True,
    )
    for line in done.stdout.splitlines():
        outcome = json.loads(line)
        yield outcome["number"], outcome["outcome"]


def answer_all(
    server: RunningServer, statuses: Sequence[int], *, is_late: bool, end: threading.Event
) -> None:
    """Answer all that wait with the errors of their cases, until the end."""
    numbers: dict[str, int] = {}
    while not end.wait(0.1):
        for record in get(server, "held"):
            if is_late and not record["begun"]:
                continue
            digest = record["digest"]
            if digest not in numbers:
                asked = json.dumps(get(server, f"misses/{digest}")["requests"])
                match = re.search(r"case (\d+)\.", asked)
                assert match is not None
                numbers[digest] = int(match[1])
            status = statuses[numbers[digest]]
            error = {"error": {"status": status, "message": "by hand"}}
            post(server, f"held/{record['id']}/answer", error)


def outcomes(cases: Sequence[Case], installed: Path, *, is_late: bool) -> dict[int, str]:
    """What the applications see of all cases, by their numbers."""
    seconds = hurried.QUIET_SECONDS if is_late else LONG_SECONDS
    environment = hurried.settings(seconds, CLIENT_SECONDS)
    statuses = [case.status for case in cases]
    end = threading.Event()
    of_node = [case for case in cases if case.client not in PYTHON]
    others = [case for case in cases if case.client in PYTHON]
    with (
        tempfile.TemporaryDirectory(prefix="workbench-errors-") as folder,
        RunningServer(
            Path(folder),
            arguments=("--hold",),
            environment=environment,
            program=hurried.PROGRAM,
        ) as server,
        ThreadPoolExecutor(len(others) + 2) as threads,
    ):
        answering = threads.submit(answer_all, server, statuses, is_late=is_late, end=end)
        try:
            waiting = {case.number: threads.submit(of_python, server.url, case) for case in others}
            seen = dict(of_javascript(server.url, of_node, installed)) if of_node else {}
            seen |= {number: future.result(WAIT_SECONDS) for number, future in waiting.items()}
        finally:
            end.set()
            answering.result(WAIT_SECONDS)
    return seen


def tried(cases: Sequence[Case], installed: Path, *, is_late: bool) -> bool:
    """Print what the applications see; returns whether it was a failure each time."""
    seen = outcomes(cases, installed, is_late=is_late)
    rows: dict[str, dict[str, list[int]]] = {}
    for case in cases:
        retries = "default" if case.retries is None else str(case.retries)
        row = f"{case.client} | {case.mode} | {retries} | {'late' if is_late else 'early'}"
        statuses = rows.setdefault(row, {}).setdefault(seen.get(case.number, NO_OUTCOME), [])
        statuses.append(case.status)
    for row, by_outcome in rows.items():
        told = [f"{', '.join(map(str, of))}: {outcome}" for outcome, of in by_outcome.items()]
        print(f"{row} | {'; '.join(told)}", flush=True)
    shown = {outcome for by_outcome in rows.values() for outcome in by_outcome}
    return not any(outcome.startswith(("success", NO_OUTCOME)) for outcome in shown)


def main() -> int:
    names = sys.argv[1:] or [*PYTHON, *JAVASCRIPT]
    kinds = [kind for kind in product(names, MODES) if kind not in WITHOUT_HELPER]
    cases = [
        Case(number, name, status, mode, retries)
        for number, ((name, mode), retries, status) in enumerate(
            product(kinds, (None, 0), STATUSES)
        )
    ]
    with tempfile.TemporaryDirectory(prefix="workbench-npm-") as folder:
        installed = Path(folder)
        install_javascript(installed, PACKAGES)
        shutil.copy(HERE / "errors.mjs", installed)
        print("client | mode | retries | answer | status answered: what the application sees")
        good = [tried(cases, installed, is_late=is_late) for is_late in (False, True)]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
