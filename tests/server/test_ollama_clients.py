"""The official client of Ollama works against fixtures that were promoted from its own misses, or
made for the requests of another API: an agent that calls a tool twice, streamed and not.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from ollama import ChatResponse, Client, Message, ResponseError
from openai import OpenAI

from tests.server import hurried
from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.running import RunningServer, wait_until
from workbench.core.apis.table import view

MODEL: Final = "llama3.2"
KEY: Final = "ollama-" + "Q3x8AbCdEfGh12Jk"
PIXEL: Final = b"\x89PNG\r\n\x1a\n"
TOOL: Final[Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "d",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


@contextmanager
def official(url: str) -> Iterator[Client]:
    with Client(url, headers={"Authorization": f"Bearer {KEY}"}) as client:
        yield client


def whole(parts: Iterator[ChatResponse]) -> ChatResponse:
    """The reply of a stream: what each part adds, and what the last one counts."""
    content, calls = "", list[Message.ToolCall]()
    for part in parts:
        content += part.message.content or ""
        calls += part.message.tool_calls or []
    part.message = Message(role="assistant", content=content, tool_calls=calls or None)
    return part


def ollama(url: str, stream: bool) -> str:
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": QUESTION},
    ]
    with official(url) as client:
        while True:
            if stream:
                reply = whole(client.chat(MODEL, messages, tools=[TOOL], stream=True))
            else:
                reply = client.chat(MODEL, messages, tools=[TOOL])
            assert (reply.done, reply.done_reason) == (True, "stop")
            assert None not in (reply.prompt_eval_count, reply.eval_count, reply.eval_duration)
            messages.append(reply.message)
            if not reply.message.tool_calls:
                return reply.message.content or ""
            for call in reply.message.tool_calls:
                name, output = call.function.name, get_weather(**call.function.arguments)
                messages.append({"role": "tool", "tool_name": name, "content": output})


def chat(url: str, stream: bool) -> str:
    """The same agent of OpenAI's client, which names calls by their ids."""
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": QUESTION},
    ]
    with OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        while True:
            asked: Any = {"model": MODEL, "messages": messages, "tools": [TOOL]}
            if stream:
                with client.chat.completions.stream(**asked) as events:
                    message: Any = events.get_final_completion().choices[0].message
            else:
                message = client.chat.completions.create(**asked).choices[0].message
            if not message.tool_calls:
                return str(message.content)
            outputs = [
                {
                    "role": "tool",
                    "tool_call_id": call.id,
                    "content": get_weather(**json.loads(call.function.arguments)),
                }
                for call in message.tool_calls
            ]
            messages += [message, *outputs]


def test_an_agent_is_given_its_answers_miss_by_miss(server: RunningServer) -> None:
    assert promoted(server, lambda: ollama(server.url, False)) == (ANSWER, [1, 1, 1, 0])
    # The same requests, streamed: the fixtures are there.
    assert promoted(server, lambda: ollama(server.url, True)) == (ANSWER, [0])
    written = server.log() + "".join(path.read_text() for path in server.fixtures.iterdir())
    assert KEY not in written


def test_fixtures_of_chat_answer_it(server: RunningServer) -> None:
    promoted(server, lambda: chat(server.url, False))
    for stream in (False, True):
        assert promoted(server, lambda: ollama(server.url, stream)) == (ANSWER, [0])  # noqa: B023


def ask(server: RunningServer, response: dict[str, Any], *, stream: bool = False) -> ChatResponse:
    """What the client makes of a fixture."""
    messages = [{"role": "user", "content": json.dumps(response)}]
    digest = view({"model": MODEL, "messages": messages}).digest
    server.write_fixture(digest, {"response": response})
    with official(server.url) as client:
        if stream:
            return whole(client.chat(MODEL, messages, stream=True))
        return client.chat(MODEL, messages)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("response", "reason", "content"),
    [
        ({"refusal": "No."}, "stop", "No."),
        ({"content": "It", "finish_reason": "length"}, "length", "It"),
        ({"content": "", "finish_reason": "content_filter"}, "content_filter", ""),
        ({"content": "a\n\u2028b\u0085 <c>"}, "stop", "a\n\u2028b\u0085 <c>"),
    ],
)
def test_how_a_reply_ends(
    server: RunningServer, response: dict[str, Any], stream: bool, reason: str, content: str
) -> None:
    reply = ask(server, response, stream=stream)
    assert (reply.done_reason, reply.message.content) == (reason, content)


def test_thoughts_and_parallel_calls(server: RunningServer) -> None:
    calls = [
        {
            "id": f"call_{city}",
            "type": "function",
            "function": {"name": "get_weather", "arguments": json.dumps({"city": city})},
        }
        for city in ("Rome", "Oslo")
    ]
    for stream in (False, True):
        reply = ask(server, {"reasoning": "Hm, hm.", "tool_calls": calls}, stream=stream)
        assert [call.function.arguments for call in reply.message.tool_calls or []] == [
            {"city": "Rome"},
            {"city": "Oslo"},
        ]
        if not stream:
            assert reply.message.thinking == "Hm, hm."


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_errors_have_their_text(server: RunningServer, status: int, stream: bool) -> None:
    with pytest.raises(ResponseError) as raised:
        ask(server, {"error": {"status": status, "message": "Not now."}}, stream=stream)
    assert (raised.value.status_code, raised.value.error) == (status, "Not now.")


def test_a_stream_that_breaks_off_is_an_error(server: RunningServer) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        ask(server, {"content": "A long text.", "disconnect_after": 3}, stream=True)


def test_generate_and_images_are_as_in_chat(server: RunningServer) -> None:
    url = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    content = [
        {"type": "text", "text": "See:"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}]
    digest = view({"model": MODEL, "messages": messages}).digest
    server.write_fixture(digest, {"response": {"content": "A pixel."}})
    asked: dict[str, Any] = {"system": "Be brief.", "prompt": "See:", "images": [PIXEL]}
    sent: list[Any] = [messages[0], {"role": "user", "content": "See:", "images": [PIXEL]}]
    with official(server.url) as client:
        assert client.generate(MODEL, **asked).response == "A pixel."
        parts = client.generate(MODEL, **asked, stream=True)
        assert "".join(part.response or "" for part in parts) == "A pixel."
        assert client.chat(MODEL, sent).message.content == "A pixel."


def test_structured_output(server: RunningServer) -> None:
    asked = [{"role": "user", "content": "Give me JSON."}]
    digest = view({"model": MODEL, "messages": asked}).digest
    server.write_fixture(digest, {"response": {"content": '{"city": "Rome"}'}})
    before = server.log_size()
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    with official(server.url) as client:
        reply = client.chat(MODEL, asked, format=schema)
    assert json.loads(reply.message.content or "") == {"city": "Rome"}
    assert "unknown" not in server.log(before)


def test_models_version_and_embeddings(server: RunningServer) -> None:
    asked = {"model": MODEL, "messages": [{"role": "user", "content": "Which models?"}]}
    server.write_fixture(view(asked).digest, {"response": {"content": "These."}, "request": asked})
    assert httpx.get(f"{server.url}/api/version").json()["version"]
    with official(server.url) as client:
        shown = client.show("any")
        assert "tools" in (shown.capabilities or [])
        assert any(name.endswith("context_length") for name in shown.modelinfo or {})
        assert MODEL in [model.model for model in client.list().models]
        assert all(model.model for model in client.ps().models)
        several = client.embed("m", ["a", "b"]).embeddings
        (one,) = client.embed("m", "a").embeddings
        assert one == several[0] != several[1]
        assert client.embeddings("m", "a").embedding == one


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda client: client.pull(MODEL), "/api/pull"),
        (lambda client: client.generate(MODEL, "Go on.", context=[1, 2]), "/api/generate"),
    ],
)
def test_what_is_unsupported_is_listed(
    server: RunningServer, call: Callable[[Client], Any], path: str
) -> None:
    before = server.log_size()
    with official(server.url) as client, pytest.raises(ResponseError, match=path) as raised:
        call(client)
    assert raised.value.status_code == 400
    assert f"unsupported request POST {path}: " in server.log(before)


def test_a_held_request_waits_for_its_answer_or_an_error(tmp_path: Path) -> None:
    """Signs of waiting are sent meanwhile, which the client does not take for a reply."""
    with (
        RunningServer(tmp_path, arguments=("--hold",), program=hurried.PROGRAM) as server,
        ThreadPoolExecutor() as threads,
    ):
        messages = [{"role": "user", "content": "Wait."}]
        digest = view({"model": MODEL, "messages": messages}).digest

        def ask(response: dict[str, Any]) -> str:
            (server.fixtures / f"{digest}.json").unlink(missing_ok=True)
            with official(server.url) as client:
                before = server.log_size()
                reply = threads.submit(lambda: whole(client.chat(MODEL, messages, stream=True)))
                wait_until("it is held", lambda: digest in server.log(before))
                time.sleep(1)  # until signs were sent
                server.write_fixture(digest, {"response": response})
                return reply.result(20).message.content or ""

        assert ask({"content": "Done."}) == "Done."
        with pytest.raises(ResponseError, match="Not now") as raised:
            ask({"error": {"status": 503, "message": "Not now."}})
        assert raised.value.status_code == -1  # that of the stream was 200


def test_what_ollama_says_is_recorded_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("real", "recorded", "replayed"):
        (tmp_path / name).mkdir()
    (tmp_path / "recorded" / "pyproject.toml").touch()
    with RunningServer(tmp_path / "real") as real:
        promoted(real, lambda: ollama(real.url, False))
        arguments = ("--record", "--upstream", real.url)
        with RunningServer(
            tmp_path / "recorded", arguments=arguments, working_folder=tmp_path / "recorded"
        ) as recording:
            assert ollama(recording.url, True) == ANSWER
            assert len(list(recording.fixtures.glob("*.json"))) == 3
            assert ollama(recording.url, False) == ANSWER
    (journal,) = (tmp_path / "recorded").rglob("*.jsonl")
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in written
    with RunningServer(tmp_path / "replayed", arguments=("--replay", str(journal))) as replaying:
        assert ollama(replaying.url, True) == ANSWER
