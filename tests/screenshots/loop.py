"""The moving picture: a suite is answered while it waits, from its first request to its end."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from textual.pilot import Pilot

from tests.screenshots.stage import keys, shows, write
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import suite_started_line
from workbench.io.network.ports import listen
from workbench.io.processes.client_environment import client_environment
from workbench.io.processes.server_process import ChildServer
from workbench.session.suite.suite import Suite

SIZE = (120, 32)
TEST = '''"""An agent that books seats, and a question."""

import json

from openai import OpenAI

BOOK = {
    "type": "function",
    "function": {
        "name": "book_seats",
        "description": "Book seats on a flight.",
        "parameters": {
            "type": "object",
            "properties": {
                "origin": {"type": "string", "description": "IATA code"},
                "destination": {"type": "string", "description": "IATA code"},
                "seats": {"type": "integer", "minimum": 1, "maximum": 9},
            },
            "required": ["origin", "destination", "seats"],
            "additionalProperties": False,
        },
    },
}


def ask(messages, **more):
    completions = OpenAI().chat.completions
    return completions.create(model="gpt-4o", messages=messages, **more).choices[0].message


def test_greeting():
    assert ask([{"role": "user", "content": "Say hello in Norwegian."}]).content == "Hei!"


def test_booking():
    messages = [
        {"role": "system", "content": "You are a travel agent."},
        {"role": "user", "content": "Two seats to Oslo on Friday, please."},
    ]
    while (reply := ask(messages, tools=[BOOK])).tool_calls:
        messages.append(reply.model_dump(exclude_none=True))
        for call in reply.tool_calls:
            seats = ["4A", "4B", "4C"][: json.loads(call.function.arguments)["seats"]]
            result = json.dumps({"ok": True, "seats": seats})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    assert "4A and 4B" in reply.content
'''
GREETING = {
    "model": "gpt-4o",
    "messages": [{"role": "user", "content": "Say hello in Norwegian."}],
}


class Frame(NamedTuple):
    """One picture: what stands above it, and the name of the file that also has it; "" for none."""

    title: str
    name: str = ""


@contextmanager
def held_suite(folder: Path) -> Iterator[tuple[ChildServer, Suite]]:
    """A suite of two tests and the server that its clients ask. One request has a fixture."""
    (folder / "test_travel.py").write_text(TEST)
    fixtures = folder / "fixtures"
    fixtures.mkdir()
    (folder / ".git").mkdir()
    response = {"content": "Hei!", "finish_reason": "stop"}
    document = new_document(digest(GREETING), response, request=GREETING)
    (fixtures / f"{digest(GREETING)}.json").write_text(document.text, "utf-8")
    listener, _ = listen("127.0.0.1", 0)
    log = folder / "run.log"
    log.write_text(suite_started_line(), "utf-8")
    variables = {
        **client_environment(f"http://127.0.0.1:{listener.getsockname()[1]}", os.environ),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    arguments = ["--profile", "openai", "--hold"]
    with ChildServer(listener, fixtures=fixtures, log=log, arguments=arguments) as server:
        suite = Suite(["pytest", "-q"], variables, log=log)
        try:
            yield server, suite
        finally:
            suite.end()


async def frames(pilot: Pilot[None]) -> AsyncIterator[Frame]:
    """Answer the suite; yields where a picture is to be taken."""
    await shows(pilot, "Waiting for you 1")
    await shows(pilot, "1/2")
    yield Frame(
        "workbench run -- pytest -q    A test asks for an answer that no file has, and waits"
    )
    await keys(pilot, "t")
    await shows(pilot, "3 to fill")
    yield Frame("t: call the tool that the request offers. Its arguments are there to be filled in")
    await write(pilot, "LHR")
    await keys(pilot, "tab")
    await write(pilot, "OSL")
    await keys(pilot, "tab")
    await write(pilot, "12")
    await shows(pilot, "× ")
    await shows(pilot, "draft kept")
    yield Frame("Each value is checked against the schema of the tool as you type")
    await keys(pilot, *["backspace"] * 2)
    await write(pilot, "2")
    await shows(pilot, "no problems")
    yield Frame("Corrected: no problems")
    await keys(pilot, "ctrl+s")
    await shows(pilot, '"4B"')
    yield Frame("Ctrl+S: saved as a file. The test goes on, and asks with the result of its tool")
    await keys(pilot, "enter")
    await write(pilot, "Seats 4A and 4B are yours.")
    await shows(pilot, "no problems")
    yield Frame("Enter: write the answer")
    await keys(pilot, "ctrl+b")
    await shows(pilot, "put together")
    yield Frame("Ctrl+B: the very bytes that the server will send")
    await keys(pilot, "ctrl+b", "ctrl+s")
    await shows(pilot, "Suite passed in")
    yield Frame("Ctrl+S: the test has its answer. All tests passed, in one run", "passed")
    await keys(pilot, "5")
    await shows(pilot, "test_booking")
    yield Frame("5: the tests. From now on they pass without you, on every machine", "suite")
