"""The types, codes and statuses of errors whose fixtures do not say them, in each API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.core.apis.table import BY_NAME
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.replies.response import read_delivery


def body(api: str, error: dict[str, Any], profile: ProfileName = "openai") -> Any:
    """The error that a fixture's ``error`` is sent as."""
    found = read_delivery({"error": error}).error
    assert found is not None
    writer = BY_NAME[api].replies.writer(profile)
    return json.loads(writer.error_reply(found).body)["error"]


@pytest.mark.parametrize("profile", PROFILE_NAMES)
@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, "invalid_request_error", None),
        (401, "invalid_request_error", "invalid_api_key"),
        (403, "request_forbidden", "unsupported_country_region_territory"),
        (404, "invalid_request_error", "model_not_found"),
        (422, "invalid_request_error", None),
        (429, "requests", "rate_limit_exceeded"),
        (500, "server_error", None),
        (503, "service_unavailable_error", "server_is_overloaded"),
        (504, "server_error", None),
    ],
)
def test_openai(api: str, profile: ProfileName, status: int, kind: str, code: str | None) -> None:
    found = body(api, {"status": status}, profile)
    assert (found["type"], found["code"], found["param"]) == (kind, code, None)


@pytest.mark.parametrize(
    ("given", "kind", "code"),
    [
        ({"type": "tokens"}, "tokens", None),
        ({"code": "slow_down"}, "requests", "slow_down"),
        ({"type": "insufficient_quota"}, "insufficient_quota", "insufficient_quota"),
        ({"code": "insufficient_quota"}, "insufficient_quota", "insufficient_quota"),
        ({"type": "a", "code": "b"}, "a", "b"),
    ],
)
def test_openai_is_told(given: dict[str, str], kind: str, code: str | None) -> None:
    found = body("chat", {"status": 429, **given})
    assert (found["type"], found["code"]) == (kind, code)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (409, "conflict_error"),
        (413, "request_too_large"),
        (422, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (503, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
def test_anthropic(status: int, kind: str) -> None:
    assert body("messages", {"status": status})["type"] == kind


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ({"status": 400}, "INVALID_ARGUMENT"),
        ({"status": 400, "type": "FAILED_PRECONDITION"}, "FAILED_PRECONDITION"),
        ({"status": 400, "type": "invalid_request_error"}, "INVALID_ARGUMENT"),
        ({"status": 401}, "UNAUTHENTICATED"),
        ({"status": 403}, "PERMISSION_DENIED"),
        ({"status": 404}, "NOT_FOUND"),
        ({"status": 422}, "INVALID_ARGUMENT"),
        ({"status": 429}, "RESOURCE_EXHAUSTED"),
        ({"status": 499}, "CANCELLED"),
        ({"status": 500}, "INTERNAL"),
        ({"status": 502}, "INTERNAL"),
        ({"status": 503}, "UNAVAILABLE"),
        ({"status": 504}, "DEADLINE_EXCEEDED"),
    ],
)
def test_gemini(error: dict[str, Any], name: str) -> None:
    assert body("gemini", error)["status"] == name
