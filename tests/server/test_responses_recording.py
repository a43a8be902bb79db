"""Responses of an upstream have ids of their own: what continues one is recorded and replayed."""

from __future__ import annotations

import contextlib
import http.client
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from openai import BadRequestError, OpenAI
from openai.types.responses import Response

from tests.scripted_server import ScriptedServer
from tests.server.running import PATIENCE_SECONDS, RunningServer, wait_until
from tests.server.scripted_upstream import head
from workbench.core.apis.table import view
from workbench.io.recordings.recording_file import journals

CALL = {
    "type": "function_call",
    "id": "fc_1",
    "status": "completed",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": "{}",
}
OUTPUT: Any = {"type": "function_call_output", "call_id": "call_1", "output": "21"}
TEXT = {"type": "output_text", "text": "Warm.", "annotations": []}
MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "status": "completed",
    "role": "assistant",
    "content": [TEXT],
}


SAID: list[tuple[str, dict[str, Any]]] = [
    ("resp_1", CALL),
    ("resp_2", MESSAGE),
    ("resp_3", MESSAGE),
    ("resp_4", MESSAGE),
    ("resp_5", MESSAGE),
]


def response(id: str, item: dict[str, Any]) -> bytes:
    return json.dumps(
        {"id": id, "object": "response", "status": "completed", "output": [item]}
    ).encode()


def run(client: OpenAI) -> Response:
    """Two turns of an agent, the second of which names the first."""
    first = client.responses.create(model="gpt-5", input="Rome?")
    return client.responses.create(model="gpt-5", input=[OUTPUT], previous_response_id=first.id)


def asked(text: str) -> dict[str, Any]:
    """An input item of the user."""
    return {"role": "user", "content": text}


def sent(request: bytes) -> Any:
    """The body that the upstream got."""
    return json.loads(request.partition(b"\r\n\r\n")[2])


def test_a_conversation_that_is_continued_by_id(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    said = iter([response(*each) for each in SAID])
    with ScriptedServer(lambda client, _: client.sendall(head() + next(said))) as upstream:
        options = ("--record", "--upstream", f"{upstream.url}/v1")
        with RunningServer(tmp_path, arguments=options, working_folder=tmp_path) as server:
            client = OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0)
            with client:
                assert run(client).output_text == "Warm."
                whole: Any = {"api": "responses", "model": "gpt-5"}
                whole["input"] = [asked("Rome?"), CALL, OUTPUT]
                assert (server.fixtures / f"{view(whole).digest}.json").exists()
                # The fixtures answer with ids of this server, which the upstream does not know.
                answered = run(client)
                assert (answered.output_text, len(upstream.requests)) == ("Warm.", 2)
                third = client.responses.create(
                    model="gpt-5", input="Oslo?", previous_response_id=answered.id, user="me"
                )
                fourth: Any = {"model": "gpt-5", "input": "Bye", "previous_response_id": third.id}
                client.responses.create(**fourth)
        # Its id is in the run, but not in a server that starts now.
        (path,) = journals(tmp_path / ".workbench" / "runs")
        with (
            RunningServer(tmp_path, arguments=options, working_folder=tmp_path) as server,
            OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0) as client,
        ):
            fifth: Any = {**fourth, "input": "Go", "previous_response_id": "resp_4"}
            client.responses.create(**fifth)
            said_since = [MESSAGE, asked("Oslo?"), MESSAGE, asked("Bye"), MESSAGE, asked("Go")]
            whole = {**whole, "input": [asked("Rome?"), CALL, OUTPUT, *said_since]}
            assert (server.fixtures / f"{view(whole).digest}.json").exists()
            with pytest.raises(BadRequestError, match="'resp_9' not found"):
                client.responses.create(**{**fifth, "previous_response_id": "resp_9"})
        assert sent(upstream.requests[4]) == fifth
    own_id, its_id = map(sent, upstream.requests[2:4])
    assert own_id.keys() == {"model", "input", "user"}
    assert [item.get("type", item.get("role")) for item in own_id["input"]] == [
        *("user", "function_call", "function_call_output", "assistant", "user")
    ]
    assert its_id == fourth, "the upstream knows its own"
    with RunningServer(tmp_path, arguments=("--replay", str(path))) as server:
        with OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0) as client:
            assert run(client).output_text == "Warm."
        assert "differs" not in server.log()


@pytest.fixture
def long_search(tmp_path: Path) -> Iterator[RunningServer]:
    """A recording server with a journal that takes several seconds to search."""
    (tmp_path / "pyproject.toml").touch()
    runs = tmp_path / ".workbench" / "runs"
    runs.mkdir(parents=True)
    runs.joinpath("long.jsonl").write_bytes(b"\n" * 100_000_000)
    options = ("--record", "--upstream", "http://127.0.0.1:9/v1")
    with RunningServer(tmp_path, arguments=options, working_folder=tmp_path) as server:
        yield server


def continued(number: int) -> dict[str, Any]:
    return {"model": "m", "input": "Go", "previous_response_id": f"resp_{number}"}


def test_journals_are_not_searched_for_items(long_search: RunningServer) -> None:
    """Those of another server's replies are not found there either."""
    items = [{"type": "item_reference", "id": f"msg_{number}"} for number in range(1000)]
    began = time.monotonic()
    reply = long_search.post("/v1/responses", {"model": "m", "input": items})
    assert (reply.status, time.monotonic() - began < 1) == (404, True)


def test_a_search_ends_with_its_client_and_with_the_server(long_search: RunningServer) -> None:
    with ThreadPoolExecutor(8) as clients:

        def leave(number: int) -> None:
            body = json.dumps(continued(number)).encode()
            asking = http.client.HTTPConnection("127.0.0.1", long_search.port)
            asking.request("POST", "/v1/responses", body, {"Content-Type": "application/json"})
            asking.close()

        list(clients.map(leave, range(8)))
        wait_until("left", lambda: long_search.log().count("the client left") == 8)
        last = clients.submit(long_search.post, "/v1/responses", continued(9))
        time.sleep(0.3)
        assert not last.done()
        assert long_search.request("GET", "/healthz").status == 200
        began = time.monotonic()
        long_search.let_go()
        long_search.process.wait(PATIENCE_SECONDS)
        assert time.monotonic() - began < 2
        with contextlib.suppress(OSError, http.client.HTTPException):
            last.result()
