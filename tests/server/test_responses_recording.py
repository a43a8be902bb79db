"""Responses of an upstream have ids of their own: what continues one is recorded and replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from openai import OpenAI

from tests.scripted_server import ScriptedServer
from tests.server.running import RunningServer
from tests.server.scripted_upstream import head
from workbench.core.apis.table import view
from workbench.io.runs.recorded_run import journals

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


def response(id: str, item: dict[str, Any]) -> bytes:
    return json.dumps(
        {"id": id, "object": "response", "status": "completed", "output": [item]}
    ).encode()


def run(url: str) -> str:
    """Two turns of an agent, the second of which names the first."""
    with OpenAI(base_url=url + "/v1", api_key="none", max_retries=0) as client:
        first = client.responses.create(model="gpt-5", input="Rome?")
        second = client.responses.create(
            model="gpt-5", input=[OUTPUT], previous_response_id=first.id
        )
        return second.output_text


def test_a_conversation_that_is_continued_by_id(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    said = iter([response("resp_one", CALL), response("resp_two", MESSAGE)])
    with ScriptedServer(lambda client, _: client.sendall(head() + next(said))) as upstream:
        options = ("--record", "--upstream", f"{upstream.url}/v1")
        with RunningServer(tmp_path, arguments=options, working_folder=tmp_path) as server:
            assert run(server.url) == "Warm."
    user = {"role": "user", "content": "Rome?"}
    whole = view({"api": "responses", "model": "gpt-5", "input": [user, CALL, OUTPUT]})
    assert (server.fixtures / f"{whole.digest}.json").exists()
    # The fixtures answer with ids of this server.
    with RunningServer(tmp_path) as server:
        before = server.log_size()
        assert run(server.url) == "Warm."
        assert "unknown fixture hash" not in server.log(before)
    (path,) = journals(tmp_path / ".workbench" / "runs")
    with RunningServer(tmp_path, arguments=("--replay", str(path))) as server:
        assert run(server.url) == "Warm."
        assert "differs" not in server.log()
