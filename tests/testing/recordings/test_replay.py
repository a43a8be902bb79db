"""Checkpoints and replay: a recorded interview continues from any point without its model."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.apps.interview import brewery
from tests.apps.interview.interview import Interview, State, new_state
from tests.scripted_server import ScriptedServer
from tests.session.support import full_disk
from tests.testing.support import nobody
from workbench.core.apis.chat import API as CHAT
from workbench.core.apis.table import view
from workbench.core.recordings.exchanges import NewerFormatError, Raised, Returned, Sent
from workbench.testing import (
    Checkpoint,
    Checkpointer,
    CheckpointError,
    InvalidToolCallError,
    MissingReplyError,
    MockLLM,
    RecordedError,
    Reply,
    Run,
    acall,
    call,
    node,
    replay,
    run_transport,
)
from workbench.testing.recordings.nodes import current_node


def test_a_stream_that_is_closed_behind_its_last_event_is_whole(run: Run) -> None:
    streamed = [e.outcome for e in run.exchanges if e.stream]
    assert streamed
    assert all(isinstance(sent, Sent) and sent.is_complete for sent in streamed)


def test_c1_a_checkpoint_at_each_iteration_can_be_read_by_people(
    run: Run, checkpoints: Checkpointer
) -> None:
    assert run.problem == ""
    assert checkpoints.folder.parts[-2:] == ("sur-craft-beer", "data-orm")
    assert len(checkpoints.files()) == 5
    for path in checkpoints.files():
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}-[0-9a-f]{8}\.json", path.name)
        assert path.read_text().count("\n") > 20
    latest = checkpoints.latest()
    assert latest is not None
    assert latest.state["asked_on"] == date(2025, 11, 3)
    again = Checkpoint.load(latest.save(checkpoints.folder / "again.json"))
    assert (again.state, again.id) == (latest.state, latest.id)


def test_c2_what_a_checkpoint_holds(run: Run, checkpoints: Checkpointer) -> None:
    first, second, *_ = checkpoints.load_all()[0]
    assert second.project_id == "sur-craft-beer"
    assert second.ds_id == "data/orm"
    assert (second.iteration, second.step, second.run) == (1, "iteration-1", run.id)
    assert (second.position, second.parent_id) == (3, first.id)
    value = json.loads((second.path or Path()).read_text())
    assert value["format"] == 1
    assert list(value)[:6] == ["format", "id", "timestamp", "project_id", "ds_id", "iteration"]


def test_c3_off_by_default_and_a_failing_save_never_breaks_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    quiet = Checkpointer(tmp_path / "c", "p")
    assert quiet.save({"a": 1}, 1) is None
    assert not (tmp_path / "c").exists()
    quiet.enable()
    assert quiet.save({"a": object()}, 2) is None
    assert "checkpoint of iteration 2 was not saved: state.a must be a JSON value" in caplog.text
    (tmp_path / "file").write_text("")
    assert Checkpointer(tmp_path / "file", "p", enabled=True).save({}, 3) is None
    assert "checkpoint of iteration 3 was not saved" in caplog.text
    saved = quiet.save({"a": 1}, 4)
    assert saved is not None
    quiet.disable()
    assert quiet.save({"a": 1}, 5) is None
    assert quiet.files() == [saved]


@pytest.mark.parametrize("given", [{"state": {"n": 10**5000}}, {"state": {}, "thread_id": uuid4()}])
def test_c3_nor_does_one_that_is_given_what_it_does_not_take(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, given: dict[str, Any]
) -> None:
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    assert checkpoints.save(iteration=4, **given) is None
    assert "checkpoint of iteration 4 was not saved: " in caplog.text
    assert checkpoints.files() == []


def test_c4_damaged_files_are_reported_and_the_others_load(
    checkpoints: Checkpointer,
) -> None:
    damaged = checkpoints.files()[1]
    damaged.write_text('{"format": 1,')
    found, problems = checkpoints.load_all()
    assert [checkpoint.iteration for checkpoint in found] == [0, 2, 3, 4]
    assert problems == [
        f"{damaged}: Expecting property name enclosed in double quotes: line 1 column 14 (char 13)"
    ]
    assert checkpoints.at_iteration(3).state["budget_left"] == 0.55
    with pytest.raises(
        LookupError,
        match=r"no checkpoint of iteration 1 in .* \(iterations with a checkpoint: 0, 2, 3, 4\)",
    ):
        checkpoints.at_iteration(1)


def test_c5_each_node_is_recorded_as_sent_as_received_and_as_parsed(run: Run) -> None:
    assert [(exchange.node, exchange.call) for exchange in run.exchanges[:6]] == [
        ("formulate-question", 1),
        ("get-answer", 1),
        ("interpret-response", 1),
        ("formulate-question", 2),
        ("get-answer", 2),
        ("interpret-response", 2),
    ]
    question, answer, told = run.exchanges[:3]
    assert question.request["messages"][0]["role"] == "system"
    assert (question.stream, told.stream) == (False, True)
    assert answer.request == {"0": "What do you keep of customer orders?"}
    assert answer.outcome == Returned("Orders, each with its beers.")
    assert run.parsed(3) == {"areas": ["customer-orders"], "complete": False}
    assert [mark.after for mark in run.checkpoints] == [0, 3, 6, 9, 12]
    assert run.checkpoints[-1].is_complete


def test_c6_calls_are_live_again_after_a_replay_and_in_other_contexts(
    checkpoints: Checkpointer,
) -> None:
    checkpoint = checkpoints.at_iteration(2)
    live: list[str] = []

    def elsewhere() -> None:
        live.append(call("get-answer", lambda _: "live", "x"))

    def step(_: State) -> State:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        replay(checkpoints.at_iteration(3), lambda inner: {**inner, "complete": True})
        assert call("get-answer", nobody, "And of the materials?") != "live"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        replay(checkpoint, step)
    assert live == ["live"]
    assert call("get-answer", lambda _: "live", "x") == "live"


def test_c7_a_replay_goes_on_from_a_checkpoint_and_stops_at_the_end_or_at_the_limit(
    checkpoints: Checkpointer,
    offline: Interview,
) -> None:
    short = replay(checkpoints.at_iteration(1), offline.step, max_iterations=2)
    assert (short.iterations, short.is_complete, short.verified) == (2, False, 3)
    assert short.holds
    assert len(short.before["messages"]) == 2
    assert len(short.state["messages"]) == 6
    whole = replay(checkpoints.files()[0], offline.step)
    assert (whole.iterations, whole.is_complete, whole.reason) == (4, True, "")
    assert whole.state["areas"][-1] == "tank-calendar"


def test_c8_with_verify_the_state_is_compared_path_by_path(
    checkpoints: Checkpointer,
    offline: Interview,
) -> None:
    def generous(state: State) -> State:
        return {**offline.step(state), "budget_left": 2.0}

    found = replay(checkpoints.at_iteration(2), generous, max_iterations=1)
    assert not found
    assert list(found.problems()) == ["the state after iteration 3: budget_left: 0.55 -> 2.0"]
    assert replay(checkpoints.at_iteration(2), generous, max_iterations=1, verify=False)


def test_c9_two_replays_are_equal_byte_for_byte(
    checkpoints: Checkpointer,
    offline: Interview,
) -> None:
    checkpoint = checkpoints.at_iteration(0)
    one, other = (repr(replay(checkpoint, offline.step)) for _ in range(2))
    assert one == other


def test_a_changed_prompt_is_named_with_its_node_message_and_words(
    checkpoints: Checkpointer,
    offline: Interview,
) -> None:
    changed = Interview("http://127.0.0.1:9/v1", nobody, prompt="You interview a craft distillery.")
    found = replay(checkpoints.at_iteration(0), changed.step)
    through = replay(checkpoints.at_iteration(0), changed.step, verify=False)
    assert through, "without verification a changed prompt is reported, and does not count"
    assert through.reason == found.reason
    changed.close()
    assert found.reason == (
        "formulate-question, call 1: differs from exchange 1: messages[0].content: "
        '"…brewery about its data. Ask one question about what is not k…" -> "…distillery."'
    )
    assert len(found.notes) == 4
    assert not found
    assert repr(found) == f"<replay of 4 iterations: {found.reason}>"
    assert not found.differences
    assert replay(checkpoints.at_iteration(0), offline.step)


def test_c10_a_missing_reply_is_an_error_that_names_it(
    checkpoints: Checkpointer,
    offline: Interview,
) -> None:
    def asks_on(state: State) -> State:
        return offline.step({**state, "complete": False})

    with pytest.raises(MissingReplyError) as caught:
        replay(checkpoints.at_iteration(3), asks_on, is_complete=lambda _: False)
    assert str(caught.value).startswith(
        "formulate-question, call 2: the recording has 1 reply for it, and all are used. Nearest: "
        "exchange 10, "
        "which differs at messages[7]: (absent) -> "
    )

    def asks_another(state: State) -> State:
        call("get-weather", nobody, "London")
        return state

    with pytest.raises(
        MissingReplyError, match="get-weather, call 1: the recording has no such call"
    ):
        replay(checkpoints.at_iteration(3), asks_another)


def test_c11_a_node_gets_its_replies_in_order(
    checkpoints: Checkpointer,
) -> None:
    def step(state: State) -> State:
        answers = [call("get-answer", nobody, asked) for asked, _, _ in brewery.TALK]
        return {**state, "answers": answers, "complete": True}

    found = replay(checkpoints.at_iteration(0), step, verify=False)
    assert found.state["answers"] == [said for _, said, _ in brewery.TALK]
    assert found.notes == []


def test_c12_replies_nobody_asked_for_are_reported(
    checkpoints: Checkpointer,
) -> None:
    def step(state: State) -> State:
        call("get-answer", nobody, brewery.TALK[3][0])
        return {**state, "complete": True}

    for verify in (True, False):
        found = replay(checkpoints.at_iteration(3), step, verify=verify)
        assert [exchange.position for exchange in found.unused] == [10, 12]
        assert found.reason == "exchange 10 (formulate-question) was not used"
        assert bool(found) is not verify


def test_c13_a_fork_has_another_reply_and_leaves_its_parent_as_it_is(
    run: Run, checkpoints: Checkpointer, model: MockLLM
) -> None:
    before = run.path.read_bytes()
    fork = run.fork(5, "Nothing, we buy as we go.", name="no materials")
    interview = Interview(model.base_url, lambda _: "Two drivers, by zone.")
    found = replay(checkpoints.at_iteration(1), interview.step, run=fork, live=True)
    interview.close()
    assert found.is_complete
    assert run.path.read_bytes() == before
    assert (fork.parent and fork.parent.run, fork.parent and fork.parent.at) == (run.id, 5)
    assert fork.exchanges[:4] == run.exchanges[:4]
    assert fork.exchanges[4].outcome == Returned("Nothing, we buy as we go.")
    assert len(fork.exchanges) > 6
    first, *_ = run.compare(fork)
    assert str(first) == (
        'exchange 5 (get-answer): reply: the value: "Malt and hops on hand, by day." -> '
        '"Nothing, we buy as we go."'
    )
    again = Run.load(fork.path)
    assert (again.name, len(again.exchanges)) == ("no materials", len(fork.exchanges))
    assert run.compare(run) == []


def test_c14_the_replies_at_one_point_can_be_chosen_from(run: Run) -> None:
    forks = [run.fork(1, text, name=text) for text in ("What else?", "Is that all?")]
    run.path.with_name("damaged.jsonl").write_text("{")
    found = run.replies(1)
    assert list(found) == ["interview", "What else?", "Is that all?"]
    assert found["Is that all?"] == forks[1].exchanges[0].outcome
    with pytest.raises(IndexError, match="the recording has exchanges 1 to 12, not 13"):
        run.replies(13)


def test_c13_the_calls_of_a_fork_are_those_of_tools_that_its_request_offers(run: Run) -> None:
    made = {"id": "c", "type": "function", "function": {"name": "buy", "arguments": "{}"}}
    response = {"tool_calls": [made]}
    for reply in (response, Reply.tool_call("buy")):
        with pytest.raises(
            InvalidToolCallError, match="exchange 1 does not fit the request:\n  buy, call"
        ):
            run.fork(1, reply, name="never")
    assert list(run.replies(1)) == ["interview"]
    for reply in (Reply(response, unchecked=True), Reply.tool_call("buy", unchecked=True)):
        assert len(run.fork(1, reply, name="bought").exchanges) == 1


def test_c14_a_fork_of_a_stream_is_sent_as_one(run: Run, checkpoints: Checkpointer) -> None:
    fork = run.fork(3, Reply.json({"areas": ["x"], "complete": True}), name="done")
    interview = Interview("http://127.0.0.1:9/v1", nobody)
    found = replay(checkpoints.at_iteration(0), interview.step, run=fork)
    interview.close()
    assert (found.state["areas"], found.iterations) == (["x"], 1)


def test_c15_an_older_format_is_read_and_a_later_one_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    old: dict[str, Any] = {
        "id": "11112222-aaaa",
        "timestamp": "2025-10-30T16:01:38",
        "project-id": "sur-craft-beer",
        "ds-id": "orm",
        "iteration": 3,
        "state": {"budget-left": 0.85},
        "metadata": {"step": "iteration-3"},
        "mock-responses": {
            "get-answer": {"question-sent": "Who delivers?", "surrogate-response": "Two drivers."}
        },
        "colour": "kept",
    }
    path.write_text(json.dumps(old))
    checkpoint = Checkpoint.load(path)
    assert (checkpoint.project_id, checkpoint.step) == ("sur-craft-beer", "iteration-3")
    assert dict(checkpoint.extra) == {"colour": "kept"}

    def step(state: State) -> State:
        return {**state, "answer": call("get-answer", nobody, "Who delivers?"), "complete": True}

    found = replay(checkpoint, step)
    assert found.holds
    assert found.state["answer"] == "Two drivers."
    kept = json.loads(checkpoint.save(tmp_path / "new.json").read_text())
    assert (kept["format"], kept["colour"]) == (1, "kept")
    path.write_text(json.dumps({"format": 3}))
    with pytest.raises(NewerFormatError, match=r"^written in format 3; "):
        Checkpoint.load(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "a checkpoint must be an object, got a list"),
        ('{"format": "1"}', "format must be a number, got a string"),
        ('{"format": 1}', "id is missing"),
        ('{"format": 1, "state": {"$date": "x"}, "id": 1, "timestamp": 1, "project_id": 1,'
         ' "ds_id": 1, "iteration": 1}', "Invalid isoformat string: 'x'"),
        ('{"mock-responses": {"a": {}}}', "mock-responses.a needs two keys"),
        ('{"mock-responses": {"a": 1}}', "mock-responses.a should be an object, not a number"),
        ("\x00", "Expecting value"),
    ],
)  # fmt: skip
def test_a_checkpoint_that_cannot_be_read_is_named(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(CheckpointError, match=re.escape(reason)) as caught:
        Checkpoint.load(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("key", ["id", "journal"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        # Before Python 3.14 a name that is too long is another failure than a file that is missing.
        ("j" * 300, ""),
        ("d/" * 3000, ""),
        ("a\0b", r'"a\u0000b" cannot be a file name'),
        ("a\ud800b", r'"a\ud800b" cannot be a file name'),
    ],
    ids=["name", "path", "NUL", "surrogate"],
)
def test_a_checkpoint_whose_run_can_have_no_file_is_named(
    tmp_path: Path, key: str, name: str, reason: str
) -> None:
    path = Checkpointer(tmp_path, "p", enabled=True).save(new_state(), 1)
    assert path is not None
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "run": {key: name}}))
    with pytest.raises(CheckpointError) as caught:
        replay(path, dict)
    if reason:
        assert str(caught.value) == f"{path}: run.{key}: {reason}"
    else:
        said = str(caught.value).removeprefix(f"{path}: ")
        assert re.match(rf"run\.{key}: File name too long|.* was not found\. Keep|.* no run$", said)


def test_c16_a_run_that_died_goes_on_from_the_iteration_before(
    model: MockLLM, tmp_path: Path
) -> None:
    checkpoints = Checkpointer(tmp_path / "dies", "p", enabled=True)
    asked = 0

    def dies(question: str) -> str:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise TimeoutError("the expert left")
        return brewery.answer(question)

    interview = Interview(model.base_url, dies)
    with pytest.raises(TimeoutError), Run.record("dies", folder=tmp_path / "runs") as run:
        interview.run(checkpoints)
    interview.close()
    assert run.problem == "TimeoutError: the expert left"
    # The step fails in the same way each time it is replayed.
    offline = Interview("http://127.0.0.1:9/v1", nobody)
    for _ in range(2):
        with pytest.raises(TimeoutError, match="the expert left"):
            replay(checkpoints.at_iteration(2), offline.step)
    # With another answer it continues from the point before.
    fork = run.fork(8, "A calendar of tanks and batches.", name="the expert stayed")
    interview = Interview(model.base_url, brewery.answer)
    found = replay(checkpoints.at_iteration(2), interview.step, run=fork, live=True)
    assert found.is_complete
    offline.close()
    interview.close()


def test_a_reply_that_cannot_be_read_is_told_where_it_is_wanted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoints = Checkpointer(tmp_path / "c", "p", enabled=True)
    with Run.record("x", folder=tmp_path) as run:
        path = checkpoints.save({}, 0)
        call("ask", str, 1)
    assert path is not None
    run.path.write_bytes(run.path.read_bytes().replace(b'"call":1', b'"call":-'))
    with pytest.raises(MissingReplyError):
        replay(path, lambda _: call("ask", str, 1))
    assert f"{run.path.name}: exchange 1 cannot be read: not JSON: " in caplog.text


def test_a_reply_that_cannot_be_recorded_is_closed_all_the_same(tmp_path: Path) -> None:
    closed: list[bool] = []

    class Body(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"{}"

        def close(self) -> None:
            closed.append(True)

    inner = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Body()))
    with (
        httpx2.Client(transport=run_transport(inner)) as client,
        Run.record("x", folder=tmp_path),
        full_disk(),
        pytest.raises(OSError, match="File too large"),
    ):
        client.get("http://host/")
    assert closed == [True]


def test_a_reply_that_no_server_can_send_is_recorded_as_a_failure(tmp_path: Path) -> None:
    inner = httpx2.MockTransport(lambda _: httpx2.Response(999, content=b"{}"))
    with (
        httpx2.Client(transport=run_transport(inner)) as client,
        Run.record("x", folder=tmp_path) as run,
    ):
        assert client.get("http://host/").status_code == 999
    assert [exchange.outcome for exchange in run.exchanges] == [
        Raised("FormatError", "the reply cannot be recorded: status is 999, not one of 200 to 599")
    ]


def test_a_content_type_outside_of_ascii_is_replayed(tmp_path: Path) -> None:
    kind = "text/plain; name=\u00e9".encode("latin-1")
    inner = httpx2.MockTransport(
        lambda _: httpx2.Response(200, headers=[(b"content-type", kind)], content=b"hi")
    )
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    with httpx2.Client(transport=run_transport(inner)) as client:
        with Run.record("x", folder=tmp_path):
            checkpoints.save({}, 0)
            client.get("http://host/")

        def step(state: State) -> State:
            raw = client.get("http://host/").headers.raw
            return {**state, "kind": dict(raw)[b"content-type"].decode("latin-1"), "complete": True}

        found = replay(checkpoints.at_iteration(0), step)
    assert found.state["kind"] == kind.decode("latin-1")


def recorded(
    folder: Path, body: bytes, *, text: str = "", query: str = "", **headers: str
) -> tuple[Run, bytes]:
    """A run with one call that a real server answers, and the body that its client read.

    Args:
        headers: of the request; ``coding`` is the reply's.
    """
    coding = headers.pop("coding", "identity")
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nContent-Encoding: {coding}\r\n\r\n"
    payload = {"model": "m", "messages": [{"role": "user", "content": text}]}
    with (
        ScriptedServer(lambda client, _: client.sendall(head.encode() + body)) as server,
        httpx2.Client(transport=run_transport(), headers=headers) as client,
        Run.record("x", folder=folder) as run,
    ):
        url = f"{server.url}/v1/chat/completions{query}"
        return run, client.post(url, json=payload).content


@pytest.mark.parametrize(
    ("headers", "query"),
    [({"authorization": "Bearer very-secret-thing"}, ""), ({}, "?key=very-secret-thing")],
)
def test_a_reply_that_repeats_a_credential_of_its_request_is_not_recorded(
    tmp_path: Path, headers: dict[str, str], query: str
) -> None:
    body = json.dumps({"a": '{"b": "\\u0076ery-secret-thing"}'}).encode()
    run, heard = recorded(tmp_path, body, query=query, **headers)
    assert heard == body
    [exchange] = run.exchanges
    said = "the reply repeats a credential of its request and is not recorded"
    assert exchange.outcome == Raised("CredentialError", said)
    assert b"secret-thing" not in run.path.read_bytes()


def test_a_request_that_repeats_its_credential_is_not_recorded(tmp_path: Path) -> None:
    run, _ = recorded(tmp_path, b"{}", text="very-secret-thing", token="very-secret-thing")
    [exchange] = run.exchanges
    assert (exchange.request, isinstance(exchange.outcome, Sent)) == ({}, True)
    assert b"secret-thing" not in run.path.read_bytes()


def test_a_reply_that_is_compressed_all_the_same_is_recorded_as_it_is_read(tmp_path: Path) -> None:
    body = b'{"a": "b"}'
    run, heard = recorded(tmp_path, gzip.compress(body), coding="gzip")
    assert heard == body
    [exchange] = run.exchanges
    assert isinstance(exchange.outcome, Sent)
    assert exchange.outcome.body == body
    twice = gzip.compress(gzip.compress(body))
    run, heard = recorded(tmp_path, twice, coding="gzip, gzip")
    assert heard == body
    said = "the reply is encoded as 'gzip, gzip'; only gzip and deflate are supported"
    assert run.exchanges[0].outcome == Raised("PackingError", said)
    run, _ = recorded(tmp_path, gzip.compress(body * 100)[:-9], coding="gzip")
    said = "the reply is not gzip: it is cut"
    assert run.exchanges[0].outcome == Raised("PackingError", said)


def test_a_disk_that_is_full_at_its_end_hides_no_failure_of_the_application(
    tmp_path: Path,
) -> None:
    def fail(disk: ExitStack) -> None:
        disk.enter_context(full_disk())
        raise TimeoutError

    with pytest.raises(TimeoutError), ExitStack() as disk, Run.record("x", folder=tmp_path) as run:
        fail(disk)
    assert (run.exchanges, run.problem) == ([], None)


def test_c17_a_checkpoint_becomes_a_file_that_a_test_keeps(
    run: Run, checkpoints: Checkpointer, tmp_path: Path, offline: Interview
) -> None:
    kept = checkpoints.at_iteration(2).bundled().save(tmp_path / "kept.json")
    os.unlink(run.path)
    for path in checkpoints.files():
        path.unlink()
    found = replay(kept, offline.step)
    assert (found.iterations, found.verified, found.reason) == (2, 4, "")


def test_c17_without_its_run_a_checkpoint_says_so(
    run: Run, checkpoints: Checkpointer, offline: Interview
) -> None:
    os.unlink(run.path)
    with pytest.raises(
        CheckpointError, match=f"contains no replies, and its recording {run.id} was not"
    ):
        replay(checkpoints.at_iteration(2), offline.step)
    checkpoints.save(new_state(), 9)
    with pytest.raises(CheckpointError, match="contains no replies, and it has no recording"):
        replay(checkpoints.at_iteration(9), offline.step)


def test_c18_no_key_no_network_at_once(
    checkpoints: Checkpointer,
    offline: Interview,
    model: MockLLM,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = len(model.exchanges)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert replay(checkpoints.at_iteration(0), offline.step)
    assert len(model.exchanges) == asked


@pytest.mark.parametrize("file", [".workbench", ".workbench/runs"])
def test_a_file_where_runs_are_to_be_kept_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotADirectoryError) as caught, Run.record("never"):
        pass
    assert str(caught.value) == f"[Errno 20] it is a file: '{tmp_path / file}'"


def test_what_a_call_raised_is_raised_again(tmp_path: Path) -> None:
    class OutOfHopsError(Exception):
        pass

    def fails(kind: str) -> None:
        raise {"KeyError": KeyError, "OutOfHopsError": OutOfHopsError}[kind]("no more")

    def step(state: State) -> State:
        for kind in (KeyError, OutOfHopsError):
            try:
                call("brew", fails, kind.__name__)
            except (KeyError, RecordedError) as error:
                state = {**state, kind.__name__: str(error)}
                if isinstance(error, RecordedError):
                    state = {**state, "raised": [error.kind, error.message]}
        return {**state, "complete": True}

    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    with Run.record("raises", folder=tmp_path) as run:
        checkpoints.save({}, 0)
        for kind in (KeyError, OutOfHopsError):
            with pytest.raises(kind):
                call("brew", fails, kind.__name__)
    assert len(run.exchanges) == 2
    found = replay(checkpoints.at_iteration(0), step)
    assert found.state["KeyError"] == "'no more'"
    assert found.state["OutOfHopsError"] == "OutOfHopsError: no more"
    assert found.state["raised"] == ["OutOfHopsError", "no more"]


def test_calls_that_are_awaited_are_recorded_and_replayed_too(tmp_path: Path) -> None:
    made: list[int] = []

    async def ask(number: int) -> list[int]:
        made.append(number)
        if number == 2:
            raise TimeoutError("too slow")
        return [number]

    async def asks() -> list[int]:
        first = await acall("ask", ask, 1)
        with pytest.raises(TimeoutError, match=r"^too slow$"):
            await acall("ask", ask, 2)
        return first

    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    with Run.record("awaited", folder=tmp_path) as run:
        checkpoints.save({}, 0)
        assert asyncio.run(asks()) == [1]
    outcomes = [exchange.outcome for exchange in run.exchanges]
    assert outcomes == [Returned([1]), Raised("TimeoutError", "too slow")]
    found = replay(
        checkpoints.at_iteration(0), lambda _: {"first": asyncio.run(asks()), "complete": True}
    )
    assert found.state["first"] == [1]
    assert made == [1, 2]
    assert asyncio.run(acall("ask", ask, 3)) == [3]
    assert len(run.exchanges) == 2


def test_a_node_ends_with_its_block() -> None:
    with node("outer"):
        with suppress(KeyError), node("inner"):
            assert current_node() == "inner"
            raise KeyError
        assert current_node() == "outer"
    assert current_node() == ""


@pytest.mark.parametrize("profile", ["", "stub"])
@pytest.mark.parametrize("was_stream", [True, False])
@pytest.mark.parametrize("is_stream", [True, False])
def test_a_reply_is_given_in_the_shape_that_is_asked_for_now(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    was_stream: bool,
    is_stream: bool,
    profile: str,
) -> None:
    monkeypatch.setenv("WORKBENCH_PROFILE", profile)
    chunk = b'{"choices": [{"delta": {"content": "hello"}, "finish_reason": "stop"}]}'
    whole = b'{"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}'
    body = b"data: " + chunk + b"\n\ndata: [DONE]\n\n" if was_stream else whole
    kinds = {True: "text/event-stream", False: "application/json"}
    inner = httpx2.MockTransport(
        lambda _: httpx2.Response(200, headers={"content-type": kinds[was_stream]}, content=body)
    )
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    payload = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    with httpx2.Client(transport=run_transport(inner)) as client:

        def ask(stream: bool) -> httpx2.Response:
            url = "http://host/v1/chat/completions"
            return client.post(url, json={**payload, "stream": stream})

        with Run.record("shape", folder=tmp_path):
            checkpoints.save({}, 0)
            ask(was_stream)
        given: list[httpx2.Response] = []

        def step(_: State) -> State:
            given.append(ask(is_stream))
            return {"complete": True}

        assert replay(checkpoints.at_iteration(0), step)
    content_type = given[0].headers["content-type"]
    assert content_type.startswith(kinds[is_stream])
    assert CHAT.replies.read(content_type, given[0].content).response["content"] == "hello"
    assert (given[0].content == body) is (was_stream == is_stream)
    is_like_the_api = b'"system_fingerprint"' in given[0].content
    assert is_like_the_api is (was_stream != is_stream and not profile)


def test_a_response_that_is_continued_is_hashed_with_its_conversation(tmp_path: Path) -> None:
    text = {"type": "output_text", "text": "Hello."}
    item = {"type": "message", "role": "assistant", "content": [text]}
    response = {"id": "resp_1", "status": "completed", "output": [item]}
    inner = httpx2.MockTransport(lambda _: httpx2.Response(200, json=response))
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)

    def step(_: State) -> State:
        with httpx2.Client(transport=run_transport(inner), base_url="http://host") as client:
            client.post("/v1/responses", json={"model": "m", "input": "Hi"})
            continued = {"model": "m", "input": "Bye", "previous_response_id": "resp_1"}
            client.post("/v1/responses", json=continued)
        return {"complete": True}

    with Run.record("responses", folder=tmp_path) as run:
        checkpoints.save({}, 0)
        step({})
    hi, bye = ({"role": "user", "content": text} for text in ("Hi", "Bye"))
    whole = view({"api": "responses", "model": "m", "input": [hi, item, bye]})
    assert run.exchanges[1].digest == whole.digest
    found = replay(checkpoints.at_iteration(0), step)
    assert (found.is_complete, found.notes) == (True, [])


def test_a_call_is_recorded_without_credentials_and_found_again(tmp_path: Path) -> None:
    def log_in(user: str, *, password: str) -> str:
        return f"{user}, {len(password)}"

    with Run.record("x", folder=tmp_path) as run:
        assert call("log in", log_in, "me", password="very-secret-thing") == "me, 17"
    assert b"secret-thing" not in run.path.read_bytes()
    [exchange] = run.exchanges
    assert exchange.request == {"0": "me", "password": "…"}


def test_other_http_calls_are_recorded_without_credentials(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    with (
        ScriptedServer(lambda client, _: client.sendall(head)) as server,
        httpx2.Client(transport=run_transport()) as client,
        Run.record("x", folder=tmp_path) as run,
    ):
        headers = {"Authorization": "Bearer very-secret-thing"}
        headers["X-Workbench-Node"] = "very-secret-thing"
        body = {"q": "a", "api_key": "very-secret-thing"}
        client.post(f"{server.url}/search", json=body, headers=headers)
    assert b"secret-thing" not in run.path.read_bytes()
    [exchange] = run.exchanges
    assert exchange.request["body"] == {"q": "a", "api_key": "…"}


def test_a_request_is_recorded_without_what_is_a_credential_by_its_name(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    payload = {"model": "m", "messages": [], "extra_headers": {"X-Any": "very-secret-thing"}}
    with (
        ScriptedServer(lambda client, _: client.sendall(head)) as server,
        httpx2.Client(transport=run_transport()) as client,
        Run.record("x", folder=tmp_path) as run,
    ):
        client.post(f"{server.url}/v1/chat/completions", json=payload)
    assert b"secret-thing" not in run.path.read_bytes()
    assert b"secret-thing" in server.requests[0]
