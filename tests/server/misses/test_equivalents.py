"""Requests answered from the fixture of an equivalent request, and from variants in a fixture."""

from __future__ import annotations

from tests.equivalent_requests import conversation
from tests.server.running import RunningServer
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import variant_name
from workbench.core.replies.response import FALLBACK_TEXT

STUB, OPENAI = conversation("stub"), conversation("openai")


def state(server: RunningServer) -> object:
    rows = server.request("GET", "/__workbench/misses").json()
    return next(row["state"] for row in rows if row["digest"] == digest(OPENAI))


def test_an_equivalent_fixture_answers_and_the_log_names_both(server: RunningServer) -> None:
    before = server.log_size()
    assert server.chat(OPENAI).content == FALLBACK_TEXT
    assert state(server) == "missing"
    fixture = {"response": {"content": "Yes."}, "request": STUB}
    server.write_fixture(digest(STUB), fixture)
    assert server.chat(OPENAI).content == "Yes."
    assert state(server) == "answered"
    assert b'"."' in server.chat({**OPENAI, "stream": True}).body
    served = f"[mock-llm] served fixture {digest(STUB)} (equivalent to {digest(OPENAI)})\n"
    log = server.log(before)
    assert log.count(served) == 2
    assert log.count("unknown fixture hash") == 1

    server.write_fixture(digest(OPENAI), {"response": {"content": "Its own."}})
    assert server.chat(OPENAI).content == "Its own."
    server.write_fixture(digest(OPENAI), b"{broken")
    assert server.chat(OPENAI).content == FALLBACK_TEXT
    (server.fixtures / f"{digest(OPENAI)}.json").unlink()
    server.write_fixture(digest(STUB), {**fixture, "response": "no object"})
    assert server.chat(OPENAI).content == FALLBACK_TEXT


def test_a_verification_leaves_no_trace(server: RunningServer) -> None:
    asked = conversation("openai", said="Verified?")
    stored = conversation("stub", said="Verified?")
    server.write_fixture(digest(stored), {"response": {"content": "Yes."}, "request": stored})
    before = server.log_size()
    assert server.chat(asked, {"X-Workbench-Verify": "1"}).content == "Yes."
    assert "served fixture" not in server.log(before)


def test_the_variant_for_the_tools_of_a_request_answers(server: RunningServer) -> None:
    stored, asked = conversation("stub", said="Which?"), conversation("openai", said="Which?")
    tools = {"tools": [{"type": "function", "function": {"name": "f"}}]}
    offering = {**stored, **tools}
    server.write_fixture(digest(stored), {"response": {"content": "Without."}, "request": stored})
    server.write_fixture(
        variant_name(digest(stored), view(offering)),
        {"response": {"content": "With tools."}, "request": offering},
    )
    for request in (stored, asked):
        assert server.chat({**request, **tools}).content == "With tools."
        assert server.chat(request).content == "Without."
