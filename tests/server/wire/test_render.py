"""Replies as bytes, made once for the same fixture in the same second."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from workbench.core.answering.lookup import Read
from workbench.core.apis.api import API
from workbench.core.apis.chat import API as CHAT
from workbench.core.apis.ollama import API as OLLAMA
from workbench.core.apis.responses import API as RESPONSES
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.http_reply import HTTPReply
from workbench.server.wire.render import MAX_BYTES, MAX_ENTRIES, Renderer

STUB = CHAT.replies.writer("stub")
ASKED = {"role": "user", "content": "hi"}
CALL = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "search", "arguments": '{"word": "a long one, sent in pieces"}'},
}
DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"


def of_fixture(fixture: Any, digest: str = DIGEST) -> Answer:
    return find_answer(view({}), digest, lambda _digest: fixture)


def last_of(renderer: Renderer) -> Read:
    return lambda fixture: renderer.read(fixture)[-1]


def sent_for(renderer: Renderer, fixture: Any, created: int = 7) -> HTTPReply:
    """The reply of a server whose store has ``fixture``."""
    found = find_answer(view({}), DIGEST, lambda _digest: fixture, last_of(renderer))
    return renderer.reply(STUB, found, created, stream=True)


def fresh(found: Answer, created: int, *, stream: bool) -> HTTPReply:
    return STUB.reply(found, created, stream=stream)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2), strategies.fixtures, st.booleans(), st.integers(0, 1), st.booleans()
        ),
        max_size=12,
    ),
    st.lists(strategies.payloads, min_size=3, max_size=3),
)
def test_what_is_remembered_is_what_would_be_made(
    steps: list[tuple[int, Any, bool, int, bool]], payloads: list[dict[str, Any]]
) -> None:
    renderer = Renderer()
    kept: dict[int, Any] = {}
    for which, fixture, stream, created, changed in steps:
        if changed or which not in kept:
            kept[which] = fixture
        payload = payloads[which]
        lookup = {digest(payload): kept[which]}.get
        found = find_answer(view(payload), digest(payload), lookup, last_of(renderer))
        sent = renderer.reply(STUB, found, created, stream=stream)
        assert sent == fresh(found, created, stream=stream)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"refusal": "a"}, {"refusal": "b"}),
        ({"reasoning": "a"}, {"reasoning": "b"}),
        ({"usage": {"prompt_tokens_details": {"a": 1}}}, {"usage": {"prompt_tokens_details": {}}}),
    ],
)
def test_what_profile_openai_alone_sends_is_compared_too(one: Any, other: Any) -> None:
    renderer = Renderer()
    bodies = [
        renderer.reply(
            CHAT.replies.writer("openai"),
            of_fixture({"response": {"content": "x", **more}}),
            0,
            stream=False,
        ).body
        for more in (one, other)
    ]
    assert bodies[0] != bodies[1]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("index", [0.0, False])
def test_equal_is_not_the_same(stream: bool, index: object) -> None:
    def fixture(index: object) -> dict[str, Any]:
        return {"response": {"tool_calls": [{"index": index}]}}

    renderer = Renderer()
    renderer.reply(STUB, of_fixture(fixture(0)), 0, stream=stream)
    found = of_fixture(fixture(index))
    assert renderer.reply(STUB, found, 0, stream=stream) == fresh(found, 0, stream=stream)


@pytest.mark.parametrize("key", ["prompt_tokens", "completion_tokens"])
def test_the_usage_alone_may_differ(key: str) -> None:
    renderer = Renderer()
    for tokens in (1, 2):  # a content of one character is one object wherever it is read from
        found = of_fixture({"response": {"content": "x", "usage": {key: tokens}}})
        assert renderer.reply(STUB, found, 0, stream=False) == fresh(found, 0, stream=False)


def test_the_way_alone_may_differ() -> None:
    renderer = Renderer()
    for count in (2, 3):
        found = of_fixture({"response": {"content": "x", "disconnect_after": count}})
        assert len(renderer.reply(STUB, found, 0, stream=True).frames) == count


def test_whether_the_usage_is_asked_for_may_differ() -> None:
    renderer = Renderer()
    fixture = {"response": {"content": "x"}}
    for wanted in (False, True, False):
        found = find_answer(
            view({"stream_options": {"include_usage": wanted}}), DIGEST, lambda _: fixture
        )
        assert (
            b'"usage"' in renderer.reply(CHAT.replies.writer("openai"), found, 0, stream=True).body
        ) is wanted


def test_the_same_answer_is_made_once() -> None:
    renderer = Renderer()
    fixture = {"response": {"content": "hello", "finish_reason": "stop"}}
    first = sent_for(renderer, fixture)
    assert sent_for(renderer, fixture) is first
    assert sent_for(renderer, fixture, 8) is not first
    again = sent_for(renderer, {**fixture})  # the file was read again
    assert (again, again is first) == (first, False)


def test_what_is_remembered_is_bounded() -> None:
    renderer = Renderer()
    short = {"response": {"content": "x"}}
    others: list[Any] = [{"response": {}} for _ in range(MAX_ENTRIES)]
    first, read = sent_for(renderer, short), renderer.read(short)
    for number, other in enumerate(others):
        renderer.read(other)
        renderer.reply(STUB, of_fixture(other, f"{number:064x}"), 0, stream=False)
    assert renderer.read(short) is not read
    assert sent_for(renderer, short) is not first
    long = {"response": {"content": "x" * MAX_BYTES}}
    assert sent_for(renderer, long) is not sent_for(renderer, long)


def test_what_a_reply_repeats_of_its_request_is_compared() -> None:
    renderer, profile = Renderer(), RESPONSES.replies.writer("openai")
    fixture = {"response": {"content": "x"}}
    sent = []
    for tag in ("a", "b", "a"):
        asked = {"api": "responses", "input": "Hi", "metadata": {"tag": tag}}
        found = find_answer(view(asked), view(asked).digest, lambda _: fixture, last_of(renderer))
        reply = renderer.reply(profile, found, 0, stream=False, repeated=json.dumps(asked).encode())
        assert json.loads(reply.body)["metadata"] == {"tag": tag}
        sent.append(reply)
    assert sent[0] is sent[2]


@pytest.mark.parametrize(
    ("api", "payloads", "paths"),
    [
        (
            OLLAMA,
            [
                {"api": "ollama", "endpoint": "chat", "model": "m", "messages": [ASKED]},
                {"api": "ollama", "endpoint": "generate", "model": "m", "prompt": "hi"},
            ],
            ["/api/chat", "/api/generate"],
        ),
        (
            CHAT,
            [{"model": "m", "messages": [ASKED]}, {"model": "m", "messages": [ASKED]}],
            ["/v1/chat/completions", "/cerebras/v1/chat/completions"],
        ),
    ],
    ids=["endpoints", "providers"],
)
@pytest.mark.parametrize("stream", [False, True])
def test_requests_of_one_digest_get_the_reply_of_their_path(
    api: API, payloads: list[dict[str, Any]], paths: list[str], stream: bool
) -> None:
    renderer, fixture = Renderer(), {"response": {"tool_calls": [CALL]}}
    requests = [view(payload) for payload in payloads]
    assert requests[0].digest == requests[1].digest
    for path, request in zip(paths, requests, strict=True):
        found = find_answer(request, request.digest, lambda _digest: fixture, last_of(renderer))
        writer = api.replies.writer("openai", request, path)
        sent = renderer.reply(writer, found, 7, stream=stream)
        assert sent == writer.reply(found, 7, stream=stream)
