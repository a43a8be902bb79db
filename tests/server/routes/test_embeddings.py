"""The embeddings route over real HTTP: what profiles answer, and what one client costs others."""

from __future__ import annotations

import base64
import json
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest
from openai import OpenAI

from tests.server.running import PATIENCE_SECONDS, RunningServer, wait_until
from workbench.core.apis.embeddings import seed, vector

ROUTE = "/v1/embeddings"
MANY = 2048


def texts(name: str, count: int) -> list[str]:
    """Inputs that nobody asked for before."""
    return [f"{name} {number}" for number in range(count)]


def test_the_official_client_decodes_what_it_asked_for(openai_server: RunningServer) -> None:
    url = openai_server.url + "/v1"
    with OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        made = client.embeddings.create(model="m", input=["a", "b"])  # it asks for base64
        assert made.data[1].embedding == pytest.approx(vector(seed("b")), rel=1e-6)
        [short] = client.embeddings.create(model="m", input="a", dimensions=12).data
        assert len(short.embedding) == 12
        assert len(client.embeddings.create(model="m", input=[1, 2, 3]).data) == 1
        assert len(client.embeddings.create(model="m", input=[[1, 2], [3]]).data) == 2
        with pytest.raises(openai.BadRequestError, match="dimensions must be from 1 to 3,072"):
            client.embeddings.create(model="m", input="a", dimensions=4096)
        with pytest.raises(openai.BadRequestError, match="input is an empty list"):
            client.embeddings.create(model="m", input=[])


def test_profile_openai_writes_base64_and_an_id(openai_server: RunningServer) -> None:
    asked = {"model": "m", "input": "a", "encoding_format": "base64"}
    made = openai_server.post(ROUTE, asked).json()
    assert made["id"].startswith("embd-e2e-")
    data = base64.b64decode(made["data"][0]["embedding"])
    assert struct.unpack("<768f", data) == pytest.approx(vector(seed("a")), rel=1e-6)


def test_profile_stub_writes_numbers_whatever_is_asked_for(server: RunningServer) -> None:
    plain = server.post(ROUTE, {"input": ["a"]})
    asked = {"input": ["a"], "encoding_format": "base64", "dimensions": 3}
    assert server.post(ROUTE, asked).body == plain.body


# What one client costs others


def test_a_long_reply_is_whole_and_others_are_answered_while_it_is_computed(
    server: RunningServer,
) -> None:
    many = texts("many", MANY // 4)
    answered = 0
    connection = server.connect()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(server.post, ROUTE, {"input": many, "model": "m"})
        while not asked.done():
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            answered += 1
        reply = asked.result()
    connection.close()
    assert answered > 10  # otherwise two or three
    assert int(reply.headers["content-length"]) == len(reply.body)
    data = reply.json()["data"]
    assert [item["index"] for item in data] == list(range(len(many)))
    assert data[-1]["embedding"] == vector(seed(many[-1]))


def test_a_client_that_left_is_not_worked_for(server: RunningServer) -> None:
    before = server.log_size()
    body = json.dumps({"input": texts("left", 256)}).encode()
    head = f"POST {ROUTE} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_SECONDS) as client:
        client.sendall(head.encode() + body)
        # Closed with a reset: otherwise it might only have ended its side, and wait for the reply.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # Both would take their turns: the one that asked first would have its reply first.
    server.post(ROUTE, {"input": texts("stayed", 256)})
    wait_until("an access line", lambda: f'"POST {ROUTE} ' in server.log(before))
    assert server.log(before).count(f'"POST {ROUTE} ') == 1


def test_no_more_inputs_than_the_api_takes(
    server: RunningServer, openai_server: RunningServer
) -> None:
    for running in (server, openai_server):
        reply = running.post(ROUTE, {"model": "m", "input": ["a"] * (MANY + 1)})
        assert reply.status == 400
        assert reply.json() == {
            "error": {
                "message": "input has 2,049 items; at most 2,048",
                "type": "invalid_request_error",
                "param": None,
                "code": "too_many_inputs",
            }
        }
