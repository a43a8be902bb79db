"""A scripted model, asked by a real client. The ways to ask it are in ``test_transports``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import httpx2
import openai
import pytest
from openai import OpenAI

from tests.cases import each_case
from tests.equivalent_requests import conversation
from tests.testing.support import ask, client_of, messages, tool
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import variant_name
from workbench.core.recordings.exchanges import Sent
from workbench.testing import (
    Call,
    MockLLM,
    Reply,
    ScriptExhaustedError,
    TooManyCallsError,
    UndeclaredRoleError,
    UnknownRoleError,
)

FIVE_ROLES = ["planner", "researcher", "expert", "critic", "finalizer"]


def declare(mock: MockLLM, *roles: str) -> None:
    for role in roles:
        mock.role(role, system=f"You are the {role}")


@pytest.fixture
def client(mock: MockLLM) -> Iterator[OpenAI]:
    """The official client, without a socket."""
    http = httpx2.Client(transport=mock.transport())
    with client_of(mock, base_url="http://stub/v1", http_client=http) as client:
        yield client


# Roles.


def test_g1_one_mock_answers_five_roles(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, *FIVE_ROLES)
    for role in FIVE_ROLES:
        mock.script(Reply.json({"from": role}), role=role)
    for role in reversed(FIVE_ROLES):
        assert ask(client, system=f"You are the {role} of a team.") == f'{{"from": "{role}"}}'
    mock.assert_calls(reversed(FIVE_ROLES))
    mock.assert_finished()


@pytest.mark.parametrize(
    ("recognised", "asked"),
    [
        ({"model": "gpt-x"}, {"model": "gpt-x"}),
        ({"tool": "search"}, {"tools": [tool("other"), tool("search")]}),
        ({"header": "X-Agent: a"}, {"extra_headers": {"x-agent": "a"}}),
        ({"header": "X-Agent"}, {"extra_headers": {"X-Agent": "whatever"}}),
        ({"header": {"X-Agent": "a"}}, {"extra_headers": {"X-Agent": "a"}}),
        ({"system": "the planner"}, {"system": "You are the planner."}),
    ],
    ids=["model", "tool", "header", "any value", "header as dict", "system"],
)
def test_g1_how_a_role_is_recognised(
    mock: MockLLM, client: OpenAI, recognised: dict[str, Any], asked: dict[str, Any]
) -> None:
    mock.role("it", **recognised)
    mock.script(Reply.text("me"), role="it")
    mock.respond(Reply.text("somebody else"))
    assert ask(client) == "somebody else"
    assert ask(client, **asked) == "me"
    mock.assert_calls([None, "it"])


@pytest.mark.parametrize(
    ("said", "is_it"),
    [
        ({"role": "developer", "content": "You are the planner."}, True),
        ({"role": "system", "content": [{"type": "text", "text": "You are the planner"}]}, True),
        ({"role": "user", "content": "You are the planner"}, False),
    ],
)
def test_g1_what_users_say_is_no_system_message(
    mock: MockLLM, client: OpenAI, said: Any, is_it: bool
) -> None:
    declare(mock, "planner")
    mock.respond(Reply.text("ok"))
    client.chat.completions.create(model="m", messages=[said])
    mock.assert_calls(["planner" if is_it else None])


@pytest.mark.parametrize("header", ["", ": a", "X Agent: a", {"": "a"}, {}])
def test_what_is_no_header_is_refused(mock: MockLLM, header: Any) -> None:
    with pytest.raises(ValueError, match="header"):
        mock.script(Reply.text("x"), header=header)


def test_the_header_of_a_node_needs_no_declaration(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.text("yes"), role="judge")
    assert ask(client, extra_headers={"X-Workbench-Node": "judge"}) == "yes"
    mock.assert_calls(["judge"])


def test_matchers_beside_a_role_declare_it(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.text("one"), role="planner", system="You are the planner")
    mock.script(Reply.text("two"), role="planner")
    assert [ask(client, system="You are the planner") for _ in range(2)] == ["one", "two"]


def test_earlier_definitions_win(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.text("once"), model="a")
    mock.respond(Reply.text("any"))
    mock.script(Reply.text("never"), model="a")
    assert [ask(client, model=m) for m in "baa"] == ["any", "once", "any"]
    with pytest.raises(AssertionError, match=r"1 of 1 in the script for model='a'"):
        mock.assert_finished()


def test_a_script_answers_when_everything_it_names_matches(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.text("both"), model="a", tool="search")
    mock.respond(Reply.text("not both"))
    assert ask(client, model="a") == "not both"
    assert ask(client, model="b", tools=[tool("search")]) == "not both"
    assert ask(client, model="a", tools=[tool("search")]) == "both"


def test_an_undeclared_role_is_named_at_the_first_request(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "critic")
    mock.script(Reply.text("a plan"), role="planner")
    mock.script(Reply.text("fine"), role="critic")
    assert ask(client, system="You are the critic") == "fine"  # surely not meant for the planner
    with pytest.raises(
        openai.BadRequestError, match="script is for role 'planner', which is not declared"
    ):
        ask(client, system="You are the planner")
    [problem] = mock.problems
    assert isinstance(problem, UndeclaredRoleError)
    with pytest.raises(AssertionError, match="script is for role 'planner', which is not declared"):
        mock.assert_finished()


def test_a_role_that_is_misspelt_is_an_error(mock: MockLLM) -> None:
    declare(mock, "planner")
    assert mock.calls("planner") == []
    with pytest.raises(
        UnknownRoleError, match="no such role: 'planer' \\(roles: planner\\); did you mean"
    ):
        mock.calls("planer")
    with pytest.raises(UnknownRoleError, match=r"no such role: 'a' \(no roles declared\)$"):
        MockLLM().calls("a")


# Sequences.


def test_g3_approve_reject_approve(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "critic", "planner")
    decisions = ["approve", "reject", "approve"]
    mock.script(*(Reply.json({"decision": d}) for d in decisions), role="critic")
    mock.script(Reply.text("plan"), role="planner", repeat_last=True)
    for decision in decisions:
        assert ask(client, system="You are the planner") == "plan"
        assert decision in ask(client, system="You are the critic")
    mock.assert_finished()


def test_g3_what_is_exhausted_says_so(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "critic")
    mock.script(Reply.text("a"), Reply.text("b"), role="critic")
    for _ in range(2):
        ask(client, system="You are the critic")
    with pytest.raises(openai.BadRequestError, match="all its 2 replies are used") as caught:
        ask(client, "third", system="You are the critic")
    assert caught.value.code == "script_exhausted"
    assert [type(p) for p in mock.problems] == [ScriptExhaustedError]


def test_a_script_goes_on_where_another_ends(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.text("a"))
    mock.script(Reply.text("b"), Reply.text("c"), repeat_last=True)
    assert "".join(ask(client) for _ in range(5)) == "abccc"
    mock.assert_finished()


def test_m16_a_reply_may_be_a_function_of_the_request(mock: MockLLM, client: OpenAI) -> None:
    mock.respond(lambda call: Reply.text(f"{call.number}: {call.user.upper()}"))
    assert [ask(client, word) for word in ("one", "two")] == ["1: ONE", "2: TWO"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda _: 1 / 0, "division by zero"),
        (lambda _: "text", "must return a Reply"),
    ],
)
def test_a_function_that_makes_no_reply(
    mock: MockLLM, client: OpenAI, function: Any, message: str
) -> None:
    mock.script(function)
    with pytest.raises(openai.BadRequestError, match=message):
        ask(client)
    problem = str(mock.problems[0])
    assert message in problem
    assert f"({__file__}:{function.__code__.co_firstlineno})" in problem


def test_a_reply_that_cannot_be_sent_is_no_fixture(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply({"error": {"status": 429, "retry_after": "soon"}}))
    with pytest.raises(openai.NotFoundError, match=r"Its reply is broken: .*error.retry_after"):
        ask(client)


async def _async_reply(_: Call) -> Reply:
    return Reply.text("x")


@pytest.mark.parametrize(
    ("replies", "message"),
    [
        ((), "at least one"),
        (("text",), r"Reply.text\('text'\)"),
        ((1,), "int"),
        (([Reply.text("a"), Reply.text("b")],), r"one by one, not in a list: put a \* before it"),
        ((_async_reply,), "_async_reply is async; a reply function must not be async"),
    ],
)
def test_what_cannot_be_scripted(mock: MockLLM, replies: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        mock.script(*replies)


@pytest.mark.usefixtures("_mock_server")
def test_g13_an_application_without_an_end_is_ended() -> None:
    with MockLLM(max_calls=3) as mock, client_of(mock) as client:
        mock.respond(Reply.tool_call("again", unchecked=True))
        with pytest.raises(openai.BadRequestError, match=r"made 4 calls, but max_calls is 3"):  # noqa: PT012
            for _ in range(100):
                ask(client, "go on")
        assert len(mock.calls()) == 3
        [problem] = mock.problems
        assert isinstance(problem, TooManyCallsError)
        assert "again()" in str(problem)


# Recorded calls.


def test_g10_calls_by_role_with_all_that_was_asked(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "planner", "critic")
    mock.respond(Reply.text("ok"))
    ask(client, "plan it", system="You are the planner")
    ask(client, "judge it", system="You are the critic")
    ask(client, "better: too thin", system="You are the planner", temperature=0.5)
    first, second = mock.calls("planner")
    assert (first.number, second.number) == (1, 3)
    assert "too thin" in second.text
    assert "too thin" not in first.text
    assert second.messages[-1] == {"role": "user", "content": "better: too thin"}
    assert second.payload["temperature"] == 0.5
    assert second.reply is not None
    assert second.reply.content == "ok"
    assert len({call.digest for call in mock.calls()}) == 3


def test_g10_a_wrong_order_is_shown_as_a_table(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "planner", "critic")
    mock.script(Reply.json({"steps": ["a"]}), role="planner")
    ask(client, "What is 2 + 2?", system="You are the planner")
    with pytest.raises(AssertionError) as caught:
        mock.assert_calls(["planner", "critic"])
    text = str(caught.value)
    assert "call 2 is missing, expected role 'critic'." in text
    assert "What is 2 + 2?" in text
    assert '{"steps": ["a"]}' in text
    with pytest.raises(AssertionError, match="call 1: expected role 'critic', got role 'planner'"):
        mock.assert_calls(["critic"])
    with pytest.raises(AssertionError, match="call 1, by role 'planner', is not expected"):
        mock.assert_calls([])


def test_g9_exchanges_hold_what_was_sent(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "critic")
    mock.script(Reply.text("fine"), Reply.error(503, "no"), role="critic")
    ask(client, system="You are the critic")
    with pytest.raises(openai.InternalServerError):
        ask(client, "again", system="You are the critic")
    one, two = mock.exchanges
    assert (one.node, one.call, one.source, one.stream) == ("critic", 1, "scripted", False)
    assert (two.position, two.call) == (2, 2)
    assert b'"fine"' in one.outcome.body  # type: ignore[union-attr]
    assert (two.outcome.status, one.digest) == (503, mock.calls()[0].digest)  # type: ignore[union-attr]
    assert 0 <= one.ms <= two.at_ms + 1


def demanded(name: str, argument: str) -> dict[str, Any]:
    parameters = {"properties": {argument: {"type": "string"}}, "required": [argument]}
    return {"tools": [tool(name, parameters)], "tool_choice": "required"}


def test_a_miss_is_explained_with_the_script_that_is_nearest(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "planner", "critic")
    mock.script(Reply.text("x"), role="critic", tool="judge")
    with pytest.raises(openai.NotFoundError) as caught:
        ask(client, "judge!", system="You are the critic")
    assert caught.value.code == "fixture_not_found"
    said = str(caught.value)
    assert "nothing answers call 1 of role 'critic'" in said
    assert "mock_llm.script(Reply.text('…'), role='critic')" in said
    assert "does not match: tool 'judge': the request offers none" in said
    [miss] = mock.misses
    assert miss.digest[:12] in said


@pytest.mark.parametrize(
    ("demand", "reply"),
    [
        ({}, "Reply.text('…')"),
        ({"response_format": {"type": "json_object"}}, "Reply.json({})"),
        ({"tools": [tool("f")], "tool_choice": "required"}, "Reply.tool_call('f')"),
        (demanded("f", "city"), "Reply.tool_call('f', city='…')"),
        *(
            (demanded("f", name), f"Reply.tool_call('f', {{{name!r}: '…'}})")
            for name in ("class", "unchecked", "a b", "ﬁ", "\x1b'\"")
        ),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            "Reply.tool_call('f', unchecked=True)",
        ),
    ],
)
def test_a_miss_shows_a_script_that_answers_it(
    mock: MockLLM, client: OpenAI, demand: dict[str, Any], reply: str
) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        ask(client, "hi", **demand)
    lines = str(caught.value).splitlines()
    assert lines[1:] == [f"Script a reply before it: mock_llm.script({reply})"]
    exec(lines[1].partition(": ")[2], {"mock_llm": mock, "Reply": Reply})
    client.chat.completions.create(model="gpt-4o", messages=messages("hi"), **demand)


def test_a_role_that_is_almost_recognised_is_named(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "critic", "planner")
    mock.script(Reply.text("x"), role="critic")
    mock.script(Reply.text("x"), role="planner")
    with pytest.raises(openai.NotFoundError) as caught:
        ask(client, system="You are a planner")
    assert (
        "does not match: role 'planner', recognised by system 'You are the planner': "
        "the request has 'You are a planner'."
    ) in str(caught.value)


def test_a_miss_names_the_stored_request_that_is_nearest(tmp_path: Path) -> None:
    stored = {"model": "m", "messages": messages("what is due on 2026-11-19?")}
    name = digest(stored)
    document = new_document(name, {"content": "this"}, request=stored)
    (tmp_path / f"{name}.json").write_text(document.text)
    with MockLLM(tmp_path) as mock, client_of(mock) as client:
        assert ask(client, "what is due on 2026-11-19?", model="m") == "this"
        assert mock.calls()[0].source == "fixture"
        with pytest.raises(openai.NotFoundError) as caught:
            ask(client, "what is due on 2026-11-20?", model="m")
        for text, place in (("{", "line 1, column 2"), ('{\n "first": {}}', "line 2, column 11")):
            (tmp_path / f"{name}.json").write_text(text)
            with pytest.raises(openai.NotFoundError, match=rf"{name} is broken: {place}"):
                ask(client, "what is due on 2026-11-19?", model="m")
    assert f"Fixture {name[:12]} is the same request but for a date" in str(caught.value)
    assert "2026-11-19 -> 2026-11-20" in str(caught.value)


@pytest.mark.parametrize("call_id", ["call_a", "call_0"])
def test_a_fixture_of_an_equivalent_request_answers(tmp_path: Path, call_id: str) -> None:
    stored, asked = conversation("stub", ids=(call_id,)), conversation("openai")
    document = new_document(digest(stored), {"content": "Yes."}, request=stored)
    (tmp_path / f"{digest(stored)}.json").write_text(document.text)
    with MockLLM(tmp_path) as mock, client_of(mock) as client:
        reply = client.chat.completions.create(**asked)
        assert reply.choices[0].message.content == "Yes."
        assert (mock.calls()[0].source, mock.misses) == ("fixture", [])


def test_a_sequence_begins_with_each_mock_and_comes_after_scripts(tmp_path: Path) -> None:
    stored = {"model": "m", "messages": messages("hi")}
    busy = {"error": {"status": 503, "retry_after": 0}}
    fixture = {"first": [busy, {"content": "a"}], "response": {"content": "z"}}
    (tmp_path / f"{digest(stored)}.json").write_text(json.dumps(fixture))
    for _ in range(2):
        with MockLLM(tmp_path) as mock, client_of(mock, max_retries=1) as client:
            mock.script(Reply.text("scripted"), header="x-scripted")
            assert ask(client, model="m", extra_headers={"x-scripted": "1"}) == "scripted"
            assert [ask(client, model="m") for _ in range(3)] == ["a", "z", "z"]
            statuses = [call.sent.status for call in mock.calls() if isinstance(call.sent, Sent)]
            assert statuses == [200, 503, 200, 200, 200]  # the client asks again
            assert mock.calls()[1].reply == Reply(busy)
            mock.reset()
            assert ask(client, model="m") == "a"


def test_the_variant_for_the_tools_of_a_request_answers(tmp_path: Path) -> None:
    plain = {"model": "m", "messages": messages("hi")}
    document = new_document(digest(plain), {"content": "Without."}, request=plain)
    offered = {**plain, "tools": [tool("f")]}
    (tmp_path / f"{digest(plain)}.json").write_text(document.text)
    name = variant_name(digest(plain), view(offered))
    document = new_document(digest(plain), {"content": "With tools."}, request=offered)
    (tmp_path / f"{name}.json").write_text(document.text)
    with MockLLM(tmp_path) as mock, client_of(mock) as client:
        assert ask(client, model="m") == "Without."
        assert ask(client, model="m", tools=[tool("f")]) == "With tools."


@pytest.mark.usefixtures("_mock_server")
def test_without_strict_a_miss_gets_the_fallback() -> None:
    with MockLLM(strict=False) as mock, client_of(mock) as client:
        assert ask(client).startswith("I don't have enough information")
        assert [call.source for call in mock.calls()] == ["fallback"]
        assert len(mock.misses) == 1
        mock.assert_finished()


def test_g11_what_went_wrong_is_logged(client: OpenAI, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(openai.NotFoundError):
        ask(client, "unknown")
    [record] = [r for r in caplog.records if r.name == "workbench.testing"]
    assert record.levelname == "WARNING"
    assert "fixture_not_found: mock_llm: nothing answers call 1" in record.getMessage()


def test_reset_forgets_everything(mock: MockLLM, client: OpenAI) -> None:
    declare(mock, "planner")
    mock.script(Reply.text("x"), role="planner")
    with pytest.raises(openai.NotFoundError):
        ask(client)
    mock.reset()
    assert (mock.calls(), mock.problems, mock.misses, mock.exchanges) == ([], [], [], [])
    with pytest.raises(UnknownRoleError):
        mock.calls("planner")
    mock.script(Reply.text("new"))
    assert ask(client) == "new"


def test_a_reply_on_its_way_at_a_reset_is_none_of_the_calls_behind(
    mock: MockLLM, client: OpenAI
) -> None:
    def late(_: Call) -> Reply:
        mock.reset()
        mock.script(Reply.text("new"))
        assert ask(client) == "new"
        return Reply.text("late")

    mock.script(late)
    assert ask(client) == "late"
    (exchange,) = mock.exchanges
    assert isinstance(exchange.outcome, Sent)
    assert b"new" in exchange.outcome.body


def test_a_request_that_has_no_digest_is_refused(mock: MockLLM) -> None:
    body = b'{"messages": [{"role": "user", "content": "\\ud800"}]}'
    with httpx.Client(transport=mock.transport()) as http:
        reply = http.post("http://stub/v1/chat/completions", content=body)
        not_json = http.post("http://stub/v1/chat/completions", content=b"{")
        elsewhere = http.get("http://stub/v1/nothing")
        wrong = http.get("http://stub/v1/chat/completions")
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "lone_surrogate")
    assert (not_json.status_code, not_json.json()["error"]["code"]) == (400, "invalid_json")
    assert (elsewhere.status_code, wrong.status_code) == (400, 405)
    assert mock.calls() == []


COMPLETIONS = "this server does not support legacy completions"


@pytest.mark.parametrize("in_process", [True, False], ids=["transport", "server"])
def test_an_unsupported_request_is_told_the_switch_and_fails_the_test(
    mock: MockLLM, in_process: bool
) -> None:
    more: Any = {}
    if in_process:
        http = httpx2.Client(transport=mock.transport())
        more = {"http_client": http, "base_url": "http://stub/v1"}
    with client_of(mock, **more) as client, pytest.raises(openai.BadRequestError) as caught:
        client.completions.create(model="gpt-4o", prompt="hi")
    assert caught.value.code == "unsupported_request"
    assert f"POST /v1/completions: {COMPLETIONS}" in caught.value.message
    assert 'set_default_openai_api("chat_completions")' in caught.value.message
    (asked,) = mock.unsupported
    assert (asked.line, asked.reason) == ("POST /v1/completions", COMPLETIONS)
    (problem,) = mock.problems
    assert problem.code == "unsupported_request"
    with pytest.raises(AssertionError, match="POST /v1/completions") as failed:
        mock.assert_finished()
    assert "client.chat.completions.create()" in str(failed.value)
    mock.reset()
    assert mock.unsupported == []


@pytest.mark.parametrize(
    ("method", "body", "reason"),
    [
        ("POST", b'{"messages": [{"role": "user", "content": "\\ud83d"}]}', "lone surrogate"),
        ("PUT", b"{}", "takes POST, not PUT"),
    ],
)
def test_a_request_that_is_refused_fails_the_test(
    mock: MockLLM, method: str, body: bytes, reason: str
) -> None:
    with httpx.Client(transport=mock.transport()) as http:
        assert http.request(method, "http://stub/v1/chat/completions", content=body).is_error
    (asked,) = mock.unsupported
    assert reason in asked.reason
    with pytest.raises(AssertionError, match=f"{method} /v1/chat/completions: "):
        mock.assert_finished()


def test_an_unsupported_request_is_no_problem_of_a_mock_that_is_not_strict() -> None:
    mock = MockLLM(strict=False)
    with httpx.Client(transport=mock.transport()) as http:
        reply = http.post("http://stub/v1/messages/batches", json={})
    assert (reply.status_code, reply.json()["type"]) == (400, "error")
    assert [asked.line for asked in mock.unsupported] == ["POST /v1/messages/batches"]
    assert mock.calls() == []
    mock.assert_finished()


def test_errors_quote_requests_in_a_form_that_acts_on_no_terminal(mock: MockLLM) -> None:
    def fail(_: object) -> Reply:
        raise ValueError(type("Odd", (str,), {"__repr__": lambda _: "\x1b]0;title\x07"})())

    mock.script(fail)
    with client_of(mock) as client, pytest.raises(openai.APIStatusError):
        ask(client)
    [problem] = mock.problems
    assert "\x1b" not in str(problem)
    assert r"\x1b]0;title\x07" in str(problem)


def test_an_api_that_does_not_exist_has_no_base_url(mock: MockLLM) -> None:
    assert mock.base_url_of("chat") == mock.base_url_of("responses") == mock.base_url
    assert mock.base_url_of("gemini") == mock.base_url_of("messages") == mock.base_url[:-3]
    with pytest.raises(ValueError, match=r"no such API: 'grok' \(choose from chat, .*, bedrock\)$"):
        mock.base_url_of("grok")
    with pytest.raises(ValueError, match='did you mean "anthropic"'):
        mock.base_url_of("antropic")


@pytest.mark.parametrize(
    ("vendor", "api"),
    [("openai", "chat"), ("anthropic", "messages"), ("google", "gemini"), ("bedrock", "converse")],
)
def test_the_name_of_a_vendor_stands_for_its_api(mock: MockLLM, vendor: str, api: str) -> None:
    assert mock.base_url_of(vendor) == mock.base_url_of(api)


def test_a_profile_that_does_not_exist_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="profile must be stub or openai, got 'opnai'"):
        MockLLM(profile=cast(Any, "opnai"))


def test_a_file_in_place_of_the_folder_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "fixtures"
    file.touch()
    with pytest.raises(NotADirectoryError, match="fixtures is a file; give the path of a folder"):
        MockLLM(file)


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "fixtrues"
    with pytest.raises(FileNotFoundError, match=f"MockLLM: {folder} does not exist"):
        MockLLM(folder)


@each_case(
    "make, message",
    [
        (lambda m: m.role(3), "MockLLM.role: name must be a string, got int: 3"),
        (lambda m: m.role("a", system=3), "MockLLM.role: system must be a string, got int: 3"),
        (
            lambda m: m.role("a", header=3),
            r"header must be 'name: value' or \{name: value\}, got int",
        ),
        (lambda m: m.script(Reply.text("x"), model=["m"]), "model must be a string, got list"),
        (lambda m: m.script(Reply.text("x"), repeat_last=3), "repeat_last must be True or False"),
        (lambda m: m.script(Reply.text), r"call Reply.text\(…\) to make a reply"),
        (lambda m: m.script(Reply), r"call Reply\(…\) to make a reply"),
        (lambda m: m.respond([]), "MockLLM.respond takes replies one by one"),
        (lambda m: m.base_url_of(None), "MockLLM.base_url_of: api must be a string, got NoneType"),
        (lambda m: m.calls(1), "MockLLM.calls: role must be a string, got int: 1"),
        (lambda m: m.as_call(1), "MockLLM.as_call: role must be a string, got int: 1"),
        (lambda m: m.assert_calls(5), "expected must be a list of roles, got int: 5"),
        (lambda m: m.assert_calls([5]), "role must be a string, got int: 5"),
        (lambda _: MockLLM(cast(Any, 5)), "store must be the path of a folder, got int: 5"),
        (lambda _: MockLLM(max_calls=cast(Any, "5")), "max_calls must be a whole number, got str"),
        (lambda _: MockLLM(strict=cast(Any, 1)), "strict must be True or False, got int: 1"),
    ],
)
def test_an_argument_of_the_wrong_type_is_named(mock: MockLLM, make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make(mock)
