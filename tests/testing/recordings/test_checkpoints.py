"""Checkpoints: saved, loaded and bundled, and with replies written into them by hand."""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import suppress
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.apps.interview import brewery
from tests.apps.interview.interview import Interview, new_state
from tests.strategies import json_values
from tests.testing.support import nobody
from workbench.core.recordings.exchanges import NewerFormatError
from workbench.testing import (
    Checkpoint,
    Checkpointer,
    CheckpointError,
    MissingReplyError,
    Run,
    call,
    parsed,
    replay,
)

QUESTION, ANSWER, AREAS = brewery.TALK[0]
BASE = {
    "format": 1,
    "id": "a",
    "timestamp": "2025-10-30T16:01:38",
    "project_id": "p",
    "ds_id": "d",
    "iteration": 0,
    "state": {},
}


def written(folder: Path, **keys: Any) -> Path:
    """A checkpoint before the first iteration, with these keys in its file."""
    path = Checkpointer(folder, "p", enabled=True).save(new_state(), 0, step="start")
    assert path is not None
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))
    return path


def old(**keys: Any) -> dict[str, Any]:
    """A checkpoint without a format, before the first iteration."""
    return {
        "checkpoint/id": "11112222-aaaa",
        "checkpoint/timestamp": "2025-10-30T16:01:38",
        "checkpoint/project-id": "sur-craft-beer",
        "checkpoint/ds-id": "orm",
        "checkpoint/iteration": 0,
        "checkpoint/state": new_state() | {"asked_on": {"$date": "2025-10-30"}},
        **keys,
    }


def test_metadata_of_the_application_is_kept(tmp_path: Path) -> None:
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    own = {"model": "gpt-4o", "on": date(2025, 10, 30), "tags": ["a"]}
    with Run.record("x", folder=tmp_path):
        path = checkpoints.save({}, 1, step="after-first-qa", metadata=own)
        call("ask", str, 1)
    assert path is not None
    checkpoint = Checkpoint.load(path)
    assert (checkpoint.step, dict(checkpoint.metadata)) == ("after-first-qa", own)
    bundled = Checkpoint.load(checkpoint.bundled().save(tmp_path / "bundled.json"))
    assert (bundled.step, dict(bundled.metadata)) == ("after-first-qa", own)
    kept = json.loads((tmp_path / "bundled.json").read_text())["metadata"]
    assert kept == {"step": "after-first-qa", **own, "on": {"$date": "2025-10-30"}}


def test_what_the_application_made_of_replies_is_bundled(
    checkpoints: Checkpointer, run: Run, tmp_path: Path
) -> None:
    made = {"areas": ["customer-orders"], "complete": False}
    assert run.parsed(3) == made
    bundled = checkpoints.at_iteration(0).bundled()
    kept = Checkpoint.load(bundled.save(tmp_path / "bundled.json"))
    again = Checkpoint.load(kept.bundled().save(tmp_path / "again.json"))
    for each in (bundled, kept, again):
        assert [each.parsed(position) for position in (1, 2, 3)] == [QUESTION, None, made]
    assert again.exchanges == bundled.exchanges


def test_dates_in_what_was_made_of_a_reply_are_dates_again(tmp_path: Path) -> None:
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    with Run.record("dates", folder=tmp_path) as run:
        checkpoints.save({}, 0)
        call("ask", str, 1)
        parsed({"due": date(2025, 11, 3)})
    assert run.parsed(1) == {"due": date(2025, 11, 3)}
    bundled = checkpoints.at_iteration(0).bundled()
    assert bundled.parsed(1) == {"due": date(2025, 11, 3)}
    assert bundled.parsed(2) is None


def test_checkpoints_saved_at_once_keep_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, _: tzinfo | None = None) -> Self:
            return cls(2025, 10, 30, 16, tzinfo=UTC)

    monkeypatch.setattr("workbench.testing.recordings.checkpointer.datetime", Stopped)
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    for iteration in range(20):
        checkpoints.save({}, iteration)
    assert [each.iteration for each in checkpoints.load_all()[0]] == list(range(20))


def test_an_iteration_that_is_no_number_is_not_saved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    iteration: Any = "third"
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    assert checkpoints.save({}, iteration) is None
    assert "The checkpoint of iteration third was not saved: " in caplog.text


@pytest.mark.parametrize("key", ["next-expected-responses", "next_expected_responses"])
def test_expected_responses_in_the_metadata_answer_the_application(
    tmp_path: Path, offline: Interview, key: str
) -> None:
    responses = {
        "formulate-question": QUESTION,
        "interpret-response": {"areas": AREAS, "complete": True},
        "get-answer": ANSWER,
    }
    path = written(tmp_path, metadata={"step": "start", "colour": "amber", key: responses})
    found = replay(path, offline.step)
    assert (found.is_complete, found.state["areas"], found.reason) == (True, AREAS, "")
    checkpoint = Checkpoint.load(path)
    assert dict(checkpoint.metadata) == {"colour": "amber"}
    again = replay(checkpoint.save(tmp_path / "again.json"), offline.step)
    assert (again.state, again.reason) == (found.state, "")
    with pytest.raises(MissingReplyError) as caught:
        replay(path, lambda state: call("get-weather", nobody, "London") and state)
    assert str(caught.value) == (
        "get-weather, call 1: the recording has no such call, "
        "only calls of formulate-question, get-answer, interpret-response."
    )


def test_mock_responses_answer_the_application_and_keep_what_was_parsed(
    tmp_path: Path, offline: Interview
) -> None:
    told = {"areas": AREAS, "complete": True}
    responses = {
        "formulate-question": {
            "parsed": {"question": QUESTION},
            "prompt-sent": "You interview a craft brewery.",
            "response-received": QUESTION,
        },
        "get-answer": {"question-sent": QUESTION, "surrogate-response": ANSWER},
        "interpret-response": {
            "prompt-sent": "Say in JSON.",
            "response-received": json.dumps(told),
            "parsed": told,
        },
    }
    path = tmp_path / "old.json"
    # A mock response takes precedence over an expected response of the same node.
    metadata = {"next-expected-responses": {"get-answer": "no", "other": 1}, "who": "me"}
    value = old(**{"mock-responses": responses, "metadata": metadata})
    path.write_text(json.dumps(value))
    checkpoint = Checkpoint.load(path)
    for each in (checkpoint, Checkpoint.load(checkpoint.save(tmp_path / "new.json"))):
        assert [e.node for e in each.following()] == [*responses, "other"]
        assert [each.parsed(n) for n in (1, 2, 3)] == [{"question": QUESTION}, None, told]
        assert dict(each.metadata) == {"who": "me"}
        found = replay(each, offline.step)
        assert (found.state["areas"], found.notes) == (AREAS, [])
        assert found.reason == "exchange 4 (other) was not used"
        assert not found


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ([], "metadata should be an object, not a list"),
        (
            {"next-expected-responses": "x"},
            "metadata.next-expected-responses should be an object, not a string",
        ),
        ({"due": {"$date": "x"}}, "Invalid isoformat string: 'x'"),
    ],
)
def test_metadata_that_cannot_be_read_is_named(
    tmp_path: Path, metadata: object, reason: str
) -> None:
    path = written(tmp_path, metadata=metadata)
    with pytest.raises(CheckpointError, match=f"^{re.escape(f'{path}: {reason}')}$"):
        Checkpoint.load(path)


KEYS = [
    *("format", "id", "timestamp", "project_id", "ds_id", "iteration", "state", "run", "metadata"),
    *("parent_id", "thread_id", "complete", "exchanges", "expected", "mock-responses"),
]


@given(
    st.sampled_from([BASE, old()]),
    st.dictionaries(
        st.sampled_from(KEYS),
        st.sampled_from([1, {}, [], [{"type": "run"}], {"1": {"a": 1}}, {"id": "\ud800"}])
        | json_values,
        max_size=2,
    ),
)
def test_a_file_with_anything_in_it_is_read_or_refused_in_words(
    base: dict[str, Any], keys: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(CheckpointError, NewerFormatError):
        path = Path(folder) / "c.json"
        path.write_text(json.dumps(base | keys))
        Checkpoint.load(path)


def test_one_later_state_is_read(tmp_path: Path) -> None:
    due = {"due": {"$date": "2025-10-30"}}
    checkpoint = Checkpoint.load(written(tmp_path, expected={"1": due}))
    assert checkpoint.expected == {1: {"due": date(2025, 10, 30)}}


class Talk(BaseModel):
    asked_on: date
    areas: tuple[str, ...] = ()
    complete: bool = False


def test_a_state_of_models_and_tuples_is_kept_and_replayed(tmp_path: Path) -> None:
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)

    def step(talk: Talk) -> Talk:
        area = call("get-area", lambda _: "tanks", talk)
        parsed(talk)
        return talk.model_copy(update={"areas": (*talk.areas, area), "complete": True})

    talk = Talk(asked_on=date(2025, 10, 30))
    with Run.record("models", folder=tmp_path) as run:
        checkpoints.save(talk, 0)
        checkpoints.save(step(talk), 1)
    assert run.parsed(1) == talk.model_dump(mode="json")
    found = replay(checkpoints.at_iteration(0), lambda state: step(Talk.model_validate(state)))
    assert (found.reason, found.verified, found.iterations) == ("", 1, 1)
    assert found.state.areas == ("tanks",)


def test_the_last_checkpoint_can_be_bundled_too(
    checkpoints: Checkpointer, run: Run, tmp_path: Path
) -> None:
    last = checkpoints.at_iteration(4).bundled().save(tmp_path / "last.json")
    run.path.unlink()
    found = replay(last, nobody)
    assert (found.iterations, found.verified, found.reason) == (0, 4, "")
