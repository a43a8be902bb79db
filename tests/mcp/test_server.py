"""``workbench mcp``, asked by the SDK's own client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.mcp.agent import Agent
from tests.server.running import RunningServer, clean_environment
from tests.session.support import chat, tool
from workbench.core.digest import digest

PAYLOAD = chat("weather in London?", tools=[tool()])
DIGEST = digest(PAYLOAD)
WRONG = [{"name": "get_weather", "arguments": {"town": "London"}}]
RIGHT = [{"name": "get_weather", "arguments": {"city": "London"}}]


def test_an_agent_answers_what_a_server_holds(tmp_path: Path) -> None:
    from mcp import Client, StdioServerParameters, stdio_client

    (tmp_path / "pyproject.toml").touch()
    errors = tmp_path / "mcp.log"
    with (
        RunningServer(tmp_path, arguments=("--hold", "60", "--profile", "openai")) as server,
        errors.open("w") as log,
    ):
        words = ["-m", "workbench", "mcp", "--server", server.url]
        start = StdioServerParameters(
            command=sys.executable,
            args=[*words, "--fixtures", str(server.fixtures)],
            cwd=tmp_path,
            env=clean_environment(),
        )

        async def work() -> None:
            async with Client(stdio_client(start, errlog=log)) as client:
                agent = Agent(client)
                await answers_once(agent, server)
                await fixtures_a_miss(agent, server)
                await looks_at_the_fixture(agent)
                await makes_mistakes(agent)

        asyncio.run(work())
    assert errors.read_text() == ""


async def answers_once(agent: Agent, server: RunningServer) -> None:
    """A held request is answered once; a wrong answer is not sent, and nothing is saved."""
    asking = asyncio.ensure_future(asyncio.to_thread(server.chat, PAYLOAD))
    assert await agent.held() == DIGEST
    assert (await agent.call("list_held"))["miss"] == "fallback"
    refused = await agent.call("answer_held", digest=DIGEST[:8], tool_calls=WRONG)
    assert not refused["sent"]
    assert {problem["rule"] for problem in refused["problems"]} == {"arguments-schema"}
    assert not asking.done()
    assert (await agent.call("answer_held", digest=DIGEST[:8], tool_calls=RIGHT))["sent"]
    (call,) = (await asking).json()["choices"][0]["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "London"}
    assert not server.fixtures.exists()


async def fixtures_a_miss(agent: Agent, server: RunningServer) -> None:
    """An agent reads a miss, sees what is wrong with its answer, mends it and saves it, which
    answers the client that waits.
    """
    asking = asyncio.ensure_future(asyncio.to_thread(server.chat, PAYLOAD))
    assert await agent.held() == DIGEST
    (miss,) = (await agent.call("list_misses"))["misses"]
    shown = (miss["digest"], miss["last_user_text"], miss["held"])
    assert shown == (DIGEST, "weather in London?", True)
    asked = await agent.call("show_request", digest=DIGEST)
    assert json.loads(asked["text"]) == PAYLOAD
    assert (await agent.call("explain", digest=DIGEST)) == {"digest": DIGEST, "nearest": None}

    wrong = await agent.call("promote", digest=DIGEST, tool_calls=WRONG, write=True)
    assert not wrong["written"]
    assert "city is missing; get_weather requires it" in wrong["problems"][0]["message"]
    tried = await agent.call("promote", digest=DIGEST, tool_calls=RIGHT)
    assert (tried["written"], tried["problems"]) == (False, [])
    assert not server.fixtures.exists()
    assert not asking.done()
    assert (await agent.call("promote", digest=DIGEST, tool_calls=RIGHT, write=True))["written"]
    assert (await asking).json()["choices"][0]["finish_reason"] == "tool_calls"
    assert (await agent.call("list_misses"))["misses"] == []
    (row,) = (await agent.call("list_misses", all_states=True))["misses"]
    assert row["state"] == "answered"


async def looks_at_the_fixture(agent: Agent) -> None:
    from mcp.types import TextResourceContents

    sent = await agent.call("preview", digest=DIGEST[:8])
    assert sent["profile"] == "openai"
    assert json.loads(sent["text"])["choices"][0]["finish_reason"] == "tool_calls"
    streamed = await agent.call("preview", digest=DIGEST[:8], stream=True)
    assert streamed["text"].endswith("data: [DONE]\n\n")
    assert await agent.call("validate") == {"files": 1, "total": {}, "findings": []}
    for uri, key in (
        (f"workbench://fixtures/{DIGEST}", "request_digest"),
        ("workbench://fixture-schema", "$defs"),
    ):
        (content,) = (await agent.client.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        assert key in json.loads(content.text)


async def makes_mistakes(agent: Agent) -> None:
    """Each is an error that says what is wrong, and the server goes on."""
    from mcp import MCPError

    for name, arguments, words in (
        ("promote", {"digest": DIGEST, "content": "Rain."}, "replace=true"),
        ("promote", {"digest": DIGEST}, "Give one of content, tool_calls and response"),
        ("promote", {"digest": DIGEST, "content": "x", "variant": 9}, "variant 9"),
        ("promote", {"digest": 5, "content": "x"}, "valid string"),
        ("show_request", {"digest": ""}, "at least 1 character"),
        ("show_request", {"digest": DIGEST, "variant": 2}, "has 1 request"),
        ("explain", {"digest": "beef"}, "no miss in the log begins with beef"),
        ("rekey", {"old": "beef", "new": DIGEST}, "begins with beef"),
        ("rekey", {"old": DIGEST}, "Give old and new, or neither."),
        ("rekey", {"old": DIGEST, "new": DIGEST}, "has a fixture already"),
        ("preview", {"digest": "../../etc/passwd"}, "is not a digest"),
        ("show_request", {"digest": "x"}, "at least 4)\nlist the misses: "),
        ("validate", {"digests": ["beef"]}, "no fixture"),
        ("answer_held", {"digest": DIGEST, "content": "x"}, "no client is waiting"),
        ("list_misses", {"limit": 10_000}, "less than or equal to 50"),
        ("no_such_tool", {}, "Unknown tool"),
        ("no_such_tool" * 9_999, {}, "Unknown tool"),
        ("explain", {"digest": "beef\x1b" * 9_999}, r"beef\x1bbeef"),
        ("validate", {"digests": [5] * 9_999}, "(cut, of "),
    ):
        said = await agent.error(name, **arguments)
        assert words in said
        assert len(said) < 3_000
    for uri in ("workbench://fixtures/beef", "workbench://" + "beef" * 9_999):
        with pytest.raises(MCPError, match=r"no fixture|Unknown resource") as caught:
            await agent.client.read_resource(uri)
        assert len(str(caught.value)) < 3_000
    assert (await agent.call("list_misses"))["total"] == 0


def test_it_needs_the_sdk(tmp_path: Path) -> None:
    program = "import sys; sys.modules['mcp'] = None; from workbench.cli.main import main; "
    words = [sys.executable, "-c", program + "sys.exit(main(['mcp']))"]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    said = "the MCP SDK is not installed: pip install 'llm-fixture-workbench[mcp]'"
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"workbench mcp: error: {said}\n"


def test_standard_input_is_no_log(project: Project) -> None:
    ran = project.run("mcp", "--log", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "standard input carries the protocol" in ran.err


def test_an_agent_that_leaves_before_its_answer_causes_no_traceback(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "workbench", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.close()
        client = {"name": "agent", "version": "1"}
        parameters = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
