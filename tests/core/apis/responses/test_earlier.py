"""Requests that continue an earlier response, or refer to items of one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.apis.responses.asking import asked, call, custom_call, plain
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.responses.earlier import REFERENCES, forwarded
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.request_body import RequestError

SAID = {"content": "Let me see.", "reasoning": "Hm.", "tool_calls": [call("f", '{"a": 1}')]}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "21"}


def resolved(payload: dict[str, Any], *answers: Answer) -> dict[str, Any]:
    payload = {"api": "responses", "model": "gpt-5", **payload}
    known = {f"{name}_{of.digest}": of for of in answers for name in ("resp", "msg", "fc")}
    known |= {f"fc_{of.digest}0": of for of in answers}
    found = {given: known[given] for given in REFERENCES.ids(payload) if given in known}
    return dict(REFERENCES.resolve(payload, found))


def test_a_continued_conversation_is_the_one_that_a_client_repeats() -> None:
    first = asked(SAID, instructions="Be brief.")
    payload = {"input": [OUTPUT], "instructions": "Be kind."}
    continued = resolved({**payload, "previous_response_id": f"resp_{first.digest}"}, first)
    items = [{"role": "user", "content": "Hi"}, *plain(first)["output"], OUTPUT]
    repeated = {"api": "responses", "model": "gpt-5", **payload, "input": items}
    assert view(continued).digest == view(repeated).digest
    # And a further turn has all of it.
    second = asked({"content": "Warm."}, **continued)
    third = resolved({"input": "Bye", "previous_response_id": f"resp_{second.digest}"}, second)
    assert [message.role for message in view(third).messages] == [
        *("user", "assistant", "tool", "assistant", "user")
    ]


def test_the_fixture_of_a_chat_request_is_continued() -> None:
    chat = view({"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]})
    first = find_answer(chat, chat.digest, lambda _: {"response": SAID})
    payload = {"input": [OUTPUT], "previous_response_id": f"resp_{first.digest}"}
    assert view(resolved(payload, first)).digest == view(resolved(payload, asked(SAID))).digest


def test_references_are_replaced_by_items() -> None:
    first = asked(SAID)
    ids = [f"rs_{first.digest}", f"msg_{first.digest}", f"fc_{first.digest}0"]
    references = [{"type": "item_reference", "id": given} for given in ids]
    found = resolved({"input": ["Hi", *references, OUTPUT]}, first)
    _, message, function = plain(first)["output"]
    assert found["input"] == ["Hi", references[0], message, function, OUTPUT]


def test_what_refers_to_nothing_stays_as_it_is() -> None:
    payload = {"api": "responses", "model": "gpt-5", "input": "Hi"}
    assert resolved(payload) == payload


@pytest.mark.parametrize(
    ("payload", "status", "code", "param"),
    [
        (
            {"previous_response_id": "resp_1"},
            400,
            "previous_response_not_found",
            "previous_response_id",
        ),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, 404, None, "input"),
    ],
)
def test_what_is_not_known(
    payload: dict[str, Any], status: int, code: str | None, param: str
) -> None:
    with pytest.raises(UnknownIDError, match="_1' not found") as caught:
        resolved(payload)
    reply = caught.value.reply
    assert (reply.status, reply.code, reply.param) == (status, code, param)
    assert caught.value.reason.startswith("this server does not have ")


def test_an_item_that_a_known_response_does_not_have() -> None:
    first = asked({"content": "Hi"})
    with pytest.raises(UnknownIDError):
        resolved({"input": [{"type": "item_reference", "id": f"fc_{first.digest}0"}]}, first)


def test_items_that_would_be_too_long_together() -> None:
    first = asked({"content": "x" * 1024 * 1024})
    reference = {"type": "item_reference", "id": f"msg_{first.digest}"}
    assert len(resolved({"input": [reference] * 63}, first)["input"]) == 63
    with pytest.raises(RequestError, match="longer than 64 MiB"):
        resolved({"input": [reference] * 64}, first)


def is_own(given: str) -> bool:
    return len(given) > 64


PARTS: Any = [
    {"type": "input_text", "text": "What is this?"},
    {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low"},
    {"type": "input_image", "file_id": "file-1", "detail": "auto"},
    {"type": "input_file", "filename": "a.txt", "file_data": "AA=="},
]


@pytest.mark.parametrize("calls", [[call("f", '{"a": 1}')], [custom_call("f", "a\nb")], []])
def test_another_server_gets_the_conversation_in_place_of_our_id(calls: list[Any]) -> None:
    said = {"content": "Let me see.", "reasoning": "Hm.", "tool_calls": calls}
    first = asked(said, input=[{"role": "user", "content": PARTS}])
    kind = "custom_tool_call" if calls and "custom" in calls[0] else "function_call"
    output = [{**OUTPUT, "type": f"{kind}_output"}] if calls else []
    body = {"model": "gpt-5", "input": output, "store": False, "instructions": "Be kind."}
    second = asked({"content": "Hm."}, **resolved(continuing(body, first), first))
    third = continuing({**body, "input": "Bye"}, second)
    whole = resolved(third, second)
    sent = forwarded(third, whole, is_own)
    assert sent.keys() == body.keys()
    assert (sent["store"], sent["instructions"]) == (False, "Be kind.")
    assert sent["input"][-1] == {"role": "user", "content": "Bye"}
    assert sent["input"][0]["content"] == PARTS
    types = [item["type"] for item in sent["input"] if "type" in item]
    assert types == [kind, f"{kind}_output"] * bool(calls)
    assert not any("id" in item for item in sent["input"])
    assert view({"api": "responses", **sent}).digest == view(whole).digest


def continuing(body: dict[str, Any], earlier: Answer) -> dict[str, Any]:
    return {**body, "previous_response_id": f"resp_{earlier.digest}"}


def test_another_server_gets_our_items_without_their_ids_and_its_own_as_they_are() -> None:
    first = asked(SAID)
    reasoning, message, function = plain(first)["output"]
    reference = {"type": "item_reference", "id": function["id"]}
    theirs = {"type": "item_reference", "id": "msg_1"}
    own = ["Hi", reasoning, message, reference]
    body = {"model": "gpt-5", "input": [*own, theirs], "previous_response_id": "resp_1"}
    replaced = {**body, "input": ["Hi", reasoning, message, function, message]}
    sent = forwarded(body, replaced, is_own)
    items = [{k: v for k, v in item.items() if k != "id"} for item in (message, function)]
    assert sent == {**body, "input": ["Hi", *items, theirs]}
    assert forwarded({"input": "Hi"}, {"input": "Hi"}, is_own) == {"input": "Hi"}
