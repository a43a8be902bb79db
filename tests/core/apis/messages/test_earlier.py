"""Requests that continue a thread: they name the message that they follow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.apis.messages.sample import DIGEST, answered
from workbench.core.apis.messages import API as MESSAGES
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import view

REQUEST = {"api": "messages", "messages": [{"role": "user", "content": "And?"}]}
CONTINUING: dict[str, Any] = {
    **REQUEST,
    "thread": {"type": "continue", "previous_message_id": f"msg_{DIGEST}"},
}


def test_a_thread_is_read_with_the_message_that_it_follows() -> None:
    references = MESSAGES.replies.references
    assert references is not None
    [earlier] = references.ids(CONTINUING)
    assert earlier == f"msg_{DIGEST}"
    found = view(references.resolve(CONTINUING, {earlier: answered({"content": "Hi."})}))
    assert [message.text for message in found.messages] == ["Hi.", "And?"]


def test_a_message_that_is_not_known_is_an_error() -> None:
    references = MESSAGES.replies.references
    assert references is not None
    with pytest.raises(UnknownIDError, match=f"'msg_{DIGEST}' not found") as caught:
        references.resolve(CONTINUING, {})
    assert (caught.value.reply.status, caught.value.reply.code) == (404, "thread_not_found")


def test_other_requests_refer_to_nothing() -> None:
    references = MESSAGES.replies.references
    assert references is not None
    assert references.ids(REQUEST) == []
    assert references.resolve(REQUEST, {}) == REQUEST
