"""Requests that continue an earlier response, or refer to items of one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.apis.responses.asking import asked, call, plain
from workbench.core.apis.earlier import UnknownIDError
from workbench.core.apis.responses.earlier import REFERENCES
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, answer

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
    first = answer(chat, chat.digest, lambda _: {"response": SAID})
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
    assert caught.value.reason.endswith("is not known to this server")


def test_an_item_that_a_known_response_does_not_have() -> None:
    first = asked({"content": "Hi"})
    with pytest.raises(UnknownIDError):
        resolved({"input": [{"type": "item_reference", "id": f"fc_{first.digest}0"}]}, first)
