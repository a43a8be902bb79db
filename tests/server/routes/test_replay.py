"""The chat route of a server that replays a run whose journal was damaged, or edited."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.recorded import FIRST, write_recording
from tests.server.running import RunningServer
from workbench.core.digest import digest


def journal(folder: Path, *replies: Mapping[str, Any]) -> Path:
    """A run of one request, which was asked again and again."""
    path = write_recording(folder, "damaged", [])
    with path.open("a") as file:
        for position, reply in enumerate(replies, 1):
            exchange = {"type": "exchange", "position": position, "node": "", "call": position}
            exchange |= {"source": "recorded", "digest": digest(FIRST), "request": FIRST}
            reply = {"status": 200, "content_type": "application/json", "body": "{}", **reply}
            file.write(json.dumps({**exchange, "reply": reply}, separators=(",", ":")) + "\n")
    return path


def test_what_cannot_be_sent_is_named_and_the_rest_is_replayed(tmp_path: Path) -> None:
    damaged: dict[str, dict[str, Any]] = {
        "reply.status is 99, not one of 200 to 599": {"status": 99},
        "reply.status is 100, not one of 200 to 599": {"status": 100},
        "reply.body is not empty; a reply with status 204 has none": {"status": 204},
        "reply.content_type has U+000A, which no header can have": {"content_type": "a\nb: c"},
        "reply.content_type has U+65E5, which no header can have": {"content_type": "日"},
    }
    path = journal(tmp_path, *damaged.values(), {"body": '{"whole": true}'})
    with RunningServer(tmp_path, arguments=("--replay", str(path))) as server:
        for position, why in enumerate(damaged, 1):
            assert f"{path}: exchange {position} cannot be read: {why}\n" in server.log()
        assert server.chat(FIRST).json() == {"whole": True}
        assert server.chat(FIRST).status == 404


def test_a_reply_without_a_body_leaves_its_connection_in_step(tmp_path: Path) -> None:
    path = journal(tmp_path, *({"status": status, "body": ""} for status in (204, 304)))
    asked = json.dumps(FIRST).encode()
    kind = {"Content-Type": "application/json"}
    with RunningServer(tmp_path, arguments=("--replay", str(path))) as server:
        connection = server.connect()
        for status in (204, 304):
            connection.request("POST", "/v1/chat/completions", asked, kind)
            reply = connection.getresponse()
            assert (reply.status, reply.read()) == (status, b"")
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() == b'{"ok":true}\n'
        connection.close()


def test_a_reply_of_another_status_stays_what_it_is_for_another_api(tmp_path: Path) -> None:
    path = journal(tmp_path, {"status": 302, "content_type": "text/plain", "body": "elsewhere"})
    asked = {"model": FIRST["model"], "input": FIRST["messages"]}
    with RunningServer(tmp_path, arguments=("--replay", str(path))) as server:
        reply = server.post("/v1/responses", asked)
        assert (reply.status, reply.body) == (302, b"elsewhere")


def test_what_another_shape_of_a_reply_leaves_out_is_told(tmp_path: Path) -> None:
    choice = {"message": {"content": "a"}, "logprobs": {"content": [1]}, "finish_reason": "stop"}
    replies = [{"body": json.dumps({"choices": [choice]})}, {"body": "odd"}]
    asked = {**FIRST, "stream": True}
    with RunningServer(
        tmp_path, arguments=("--replay", str(journal(tmp_path, *replies)))
    ) as server:
        assert server.chat(asked).body.startswith(b"data: ")
        assert server.chat(asked).body == b"odd"
        log = server.log()
    assert (
        "replayed exchange 1 without logprobs of the reply, which a fixture cannot contain\n" in log
    )
    assert (
        "replayed exchange 2 in its recorded form, not in the requested one: the body is not" in log
    )


def test_a_recording_without_a_usable_exchange_is_said_to_have_none(tmp_path: Path) -> None:
    path = journal(tmp_path, {"status": 99})
    with RunningServer(tmp_path, arguments=("--replay", str(path))) as server:
        reply = server.chat(FIRST)
        assert (reply.status, reply.json()["error"]["message"]) == (
            404,
            "a call without a node, call 1: the recording has no reply that can be replayed",
        )
