"""Clients of Amazon Bedrock work against fixtures that were promoted from their own misses: an
agent that calls a tool twice, streamed and not, by Converse and by the body of Anthropic's models.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import anthropic
import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError
from urllib3.exceptions import ProtocolError

from tests.server import hurried
from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.running import RunningServer, wait_until
from workbench.core.apis.table import view

MODEL: Final = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
ARN: Final = f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/{MODEL}"
KEY_ID: Final = "AKIA" + "Q3EXAMPLE7ABCDEF"
SECRET: Final = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzzzzzzzzz"
TOKEN: Final = "FwoGZXIvYXdzEBYaDH" + "hLkq8mAbCdEfGh12"
SCHEMA: Final = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}

Agent = Callable[[str, bool], str]


@contextmanager
def official(url: str) -> Iterator[Any]:
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=KEY_ID,
        aws_secret_access_key=SECRET,
        aws_session_token=TOKEN,
        config=Config(retries={"total_max_attempts": 1}),
    )
    with closing(client):
        yield client


@contextmanager
def official_anthropic(url: str) -> Iterator[Any]:
    with anthropic.AnthropicBedrock(
        base_url=url,
        aws_region="us-east-1",
        aws_access_key=KEY_ID,
        aws_secret_key=SECRET,
        max_retries=0,
    ) as client:
        yield client


def events(client: Any, asked: Any) -> list[Any]:
    """The events of a stream of Converse."""
    with closing(client.converse_stream(**asked)["stream"]) as stream:
        return list(stream)


def whole(events: list[Any]) -> dict[str, Any]:
    """The reply of a stream of Converse."""
    blocks: dict[int, dict[str, Any]] = {}
    reply: dict[str, Any] = {"content": blocks}
    for event in events:
        match event:
            case {"contentBlockStart": {"start": start, "contentBlockIndex": index}}:
                blocks[index] = {"toolUse": {**start["toolUse"], "input": ""}}
            case {"contentBlockDelta": {"delta": {"text": text}, "contentBlockIndex": index}}:
                before = blocks.setdefault(index, {"text": ""})
                before["text"] += text
            case {"contentBlockDelta": {"delta": {"toolUse": call}, "contentBlockIndex": index}}:
                blocks[index]["toolUse"]["input"] += call["input"]
            case {"messageStop": stop}:
                reply |= stop
            case {"metadata": metadata}:
                reply |= metadata
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return {**reply, "content": list(blocks.values())}


def converse(url: str, stream: bool, model: str = MODEL) -> str:
    tool = {"name": "get_weather", "description": "d", "inputSchema": {"json": SCHEMA}}
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"text": QUESTION}]}]
    while True:
        asked = {
            "modelId": model,
            "system": [{"text": "Be brief."}],
            "messages": messages,
            "toolConfig": {"tools": [{"toolSpec": tool}]},
        }
        with official(url) as client:
            if stream:
                reply = whole(events(client, asked))
            else:
                reply = client.converse(**asked)
                reply |= reply["output"]["message"]
        assert reply["usage"]["totalTokens"] > 0
        messages.append({"role": "assistant", "content": reply["content"]})
        if reply["stopReason"] == "end_turn":
            return "".join(block["text"] for block in reply["content"])
        assert reply["stopReason"] == "tool_use"
        results = [
            {
                "toolUseId": block["toolUse"]["toolUseId"],
                "content": [{"text": get_weather(**block["toolUse"]["input"])}],
            }
            for block in reply["content"]
        ]
        messages.append({"role": "user", "content": [{"toolResult": each} for each in results]})


def by_an_arn(url: str, stream: bool) -> str:
    return converse(url, stream, ARN)


def anthropic_bedrock(url: str, stream: bool) -> str:
    with official_anthropic(url) as client:
        runner = client.beta.messages.tool_runner(
            model=MODEL,
            max_tokens=99,
            tools=[anthropic.beta_tool(get_weather)],
            messages=[{"role": "user", "content": QUESTION}],
            stream=stream,
        )
        for turn in runner:
            message = turn.get_final_message() if stream else turn
    return "".join(block.text for block in message.content if block.type == "text")


@pytest.mark.parametrize("agent", [converse, by_an_arn, anthropic_bedrock])
def test_an_agent_is_given_its_answers_miss_by_miss(server: RunningServer, agent: Agent) -> None:
    assert promoted(server, lambda: agent(server.url, False)) == (ANSWER, [1, 1, 1, 0])
    # The same requests, streamed: the fixtures are there.
    assert promoted(server, lambda: agent(server.url, True)) == (ANSWER, [0])
    written = server.log() + "".join(path.read_text() for path in server.fixtures.iterdir())
    assert not any(secret in written for secret in (KEY_ID, SECRET, TOKEN, "Signature="))


def ask(server: RunningServer, response: dict[str, Any], *, stream: bool = False) -> Any:
    """What boto3 makes of a fixture."""
    messages = [{"role": "user", "content": [{"text": json.dumps(response)}]}]
    request = {"api": "converse", "model": MODEL, "messages": messages}
    server.write_fixture(view(request).digest, {"response": response})
    asking = {"modelId": MODEL, "messages": messages}
    with official(server.url) as client:
        if stream:
            return events(client, asking)
        return client.converse(**asking)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("response", "reason", "content"),
    [
        ({"refusal": "No."}, "guardrail_intervened", [{"text": "No."}]),
        ({"content": "It", "finish_reason": "length"}, "max_tokens", [{"text": "It"}]),
        ({"content": "", "finish_reason": "content_filter"}, "content_filtered", []),
    ],
)
def test_how_a_reply_ends(
    server: RunningServer, response: dict[str, Any], stream: bool, reason: str, content: Any
) -> None:
    reply = ask(server, response, stream=stream)
    reply = whole(reply) if stream else {**reply, **reply["output"]["message"]}
    assert (reply["stopReason"], reply["content"]) == (reason, content)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "ValidationException"),
        (401, "UnrecognizedClientException"),
        (404, "ResourceNotFoundException"),
        (429, "ThrottlingException"),
        (500, "InternalServerException"),
        (503, "ServiceUnavailableException"),
    ],
)
def test_errors_are_those_of_the_service(
    server: RunningServer, status: int, code: str, stream: bool
) -> None:
    with pytest.raises(ClientError) as raised:
        ask(server, {"error": {"status": status, "message": "Not now."}}, stream=stream)
    assert raised.value.response["Error"] == {"Code": code, "Message": "Not now."}
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_errors_as_the_client_for_anthropics_models_has_them(server: RunningServer) -> None:
    messages = [{"role": "user", "content": "Give me an error."}]
    digest = view({"api": "messages", "model": MODEL, "messages": messages}).digest
    error = {"status": 429, "message": "Slow down."}
    server.write_fixture(digest, {"response": {"error": error}})
    for stream in (False, True):
        with (
            official_anthropic(server.url) as client,
            pytest.raises(anthropic.RateLimitError, match=r"Slow down\."),
        ):
            client.messages.create(model=MODEL, max_tokens=9, messages=messages, stream=stream)


def test_a_stream_that_breaks_off_is_an_error(server: RunningServer) -> None:
    with pytest.raises(ProtocolError):
        ask(server, {"content": "A long text.", "disconnect_after": 3}, stream=True)


def test_a_body_for_another_model_is_listed_as_unsupported(server: RunningServer) -> None:
    before = server.log_size()
    with (
        official(server.url) as client,
        pytest.raises(ClientError, match="it is not for a model of Anthropic") as raised,
    ):
        client.invoke_model(modelId="amazon.titan-text", body='{"inputText": "Hi"}')
    assert raised.value.response["Error"]["Code"] == "ValidationException"
    assert "unsupported request POST /model/amazon.titan-text/invoke" in server.log(before)


def test_an_image_is_that_of_a_request_of_messages(server: RunningServer) -> None:
    pixel = b"\x89PNG\r\n"
    data = base64.b64encode(pixel).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    blocks = [{"type": "text", "text": "See:"}, {"type": "image", "source": source}]
    asked = {"api": "messages", "model": MODEL, "messages": [{"role": "user", "content": blocks}]}
    server.write_fixture(view(asked).digest, {"response": {"content": "A pixel."}})
    content = [{"text": "See:"}, {"image": {"format": "png", "source": {"bytes": pixel}}}]
    with official(server.url) as client:
        reply = client.converse(modelId=MODEL, messages=[{"role": "user", "content": content}])
    assert reply["output"]["message"]["content"] == [{"text": "A pixel."}]


def test_tokens_are_counted(server: RunningServer) -> None:
    messages = [{"role": "user", "content": [{"text": "a word " * 40}]}]
    with official(server.url) as client:
        counted = client.count_tokens(modelId=MODEL, input={"converse": {"messages": messages}})
        body = {
            "anthropic_version": "bedrock-2023-05-31",
            "max_tokens": 9,
            "messages": [{"role": "user", "content": "a word " * 40}],
        }
        asked: Any = {"invokeModel": {"body": json.dumps(body)}}
        invoked = client.count_tokens(modelId=MODEL, input=asked)
    assert invoked["inputTokens"] == counted["inputTokens"] > 20


@pytest.mark.parametrize("agent", [converse, anthropic_bedrock])
def test_what_the_service_says_is_recorded_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: Agent
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("real", "recorded", "replayed"):
        (tmp_path / name).mkdir()
    (tmp_path / "recorded" / "pyproject.toml").touch()
    with RunningServer(tmp_path / "real") as real:
        promoted(real, lambda: agent(real.url, False))
        arguments = ("--record", "--upstream", real.url)
        with RunningServer(
            tmp_path / "recorded", arguments=arguments, working_folder=tmp_path / "recorded"
        ) as recording:
            assert agent(recording.url, True) == ANSWER
            assert len(list(recording.fixtures.glob("*.json"))) == 3
            assert agent(recording.url, False) == ANSWER
    (journal,) = (tmp_path / "recorded").rglob("*.jsonl")
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert not any(secret in written for secret in (KEY_ID, SECRET, TOKEN, "Signature="))
    with RunningServer(tmp_path / "replayed", arguments=("--replay", str(journal))) as replaying:
        assert agent(replaying.url, True) == ANSWER


def test_an_error_of_the_service_is_passed_on_by_a_server_that_records(tmp_path: Path) -> None:
    for name in ("real", "recording"):
        (tmp_path / name).mkdir()
    messages = [{"role": "user", "content": [{"text": "no fixture"}]}]
    with RunningServer(tmp_path / "real", arguments=("--strict",)) as real:
        arguments = ("--record", "--upstream", real.url)
        with (
            RunningServer(tmp_path / "recording", arguments=arguments) as recording,
            official(recording.url) as client,
            pytest.raises(ClientError) as raised,
        ):
            client.converse(modelId=MODEL, messages=messages)
    assert raised.value.response["Error"]["Code"] == "ResourceNotFoundException"


def test_a_held_stream_hears_a_message_that_is_no_event_and_then_its_answer(tmp_path: Path) -> None:
    with (
        RunningServer(tmp_path, arguments=("--hold",), program=hurried.PROGRAM) as server,
        ThreadPoolExecutor(4) as pool,
    ):

        def by_converse(text: str, stream: bool) -> str:
            asked = {"modelId": MODEL, "messages": [{"role": "user", "content": [{"text": text}]}]}
            with official(server.url) as client:
                if stream:
                    content = whole(events(client, asked))["content"]
                else:
                    content = client.converse(**asked)["output"]["message"]["content"]
            return str(content[0]["text"])

        def by_invoke(text: str) -> str:
            messages = [{"role": "user", "content": text}]
            with (
                official_anthropic(server.url) as client,
                client.messages.stream(model=MODEL, max_tokens=9, messages=messages) as events,
            ):
                return str(events.get_final_text())

        asked = {
            "streamed": pool.submit(by_converse, "streamed", True),
            "plain": pool.submit(by_converse, "plain", False),
            "refused": pool.submit(by_converse, "refused", True),
            "invoked": pool.submit(by_invoke, "invoked"),
        }
        wait_until("held", lambda: len(held(server)) == 4)
        heard_at = hurried.QUIET_SECONDS + 0.5
        wait_until("heard", lambda: min(request["age_s"] for request in held(server)) > heard_at)
        error = {"error": {"status": 429, "message": "Too late."}}
        for text in asked:
            messages = [{"role": "user", "content": text}]
            digest = view({"api": "messages", "model": MODEL, "messages": messages}).digest
            response = error if text == "refused" else {"content": f"At last, {text}."}
            server.write_fixture(digest, {"response": response})
        for text in ("streamed", "plain", "invoked"):
            assert asked[text].result(60) == f"At last, {text}."
        with pytest.raises(EventStreamError, match=r"throttlingException.*Too late\."):
            asked["refused"].result(60)


def held(server: RunningServer) -> Any:
    return server.request("GET", "/__workbench/held").json()
