"""How chat requests are received."""

from __future__ import annotations

import pytest

from workbench.core.apis.chat import request


@pytest.mark.parametrize("modalities", [["audio"], ["text", "audio"], [{}]])
def test_what_no_fixture_answers(modalities: list[object]) -> None:
    body = {"model": "gpt-audio", "messages": [], "modalities": modalities}
    reason = "this server does not support modalities other than text"
    assert request.unsupported(body) == reason


@pytest.mark.parametrize("modalities", [["text"], [], None, "audio"])
def test_requests_for_text_alone_are_answered(modalities: object) -> None:
    body = {"modalities": modalities, "audio": {"voice": "alloy", "format": "wav"}}
    assert request.unsupported(body) is None
