"""Replays of a step that saves its own checkpoints, with and without live calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.apps.interview import brewery
from tests.apps.interview.interview import Interview, State, new_state
from tests.testing.support import nobody
from workbench.session.recordings.index import RecordingIndex
from workbench.testing import Checkpointer, MockLLM, Run, call, replay

Step = Callable[[State], State]


def saving(step: Step, checkpoints: Checkpointer) -> Step:
    """A step that saves a checkpoint at its end, as an application's node does."""

    def saves(state: State) -> State:
        state = step(state)
        done = len(state["messages"]) // 2
        checkpoints.save(state, done, step=f"iteration-{done}", is_complete=state["complete"])
        return state

    return saves


def state_in_list(run: Run) -> str:
    """A recording in the list of recordings."""
    index = RecordingIndex(run.path.parent)
    index.apply(index.read([run.path.name]))
    return index.facts[run.id].state


@pytest.fixture
def talks_on(model: MockLLM) -> Iterator[Interview]:
    """The interview with a model, and an expert who always gives the same answer."""
    interview = Interview(model.base_url, lambda _: "Two drivers, by zone.")
    yield interview
    interview.close()


def test_a_replay_saves_no_checkpoints(
    checkpoints: Checkpointer, offline: Interview, run: Run
) -> None:
    before = {path: path.read_bytes() for path in checkpoints.files()}
    journal = run.path.read_bytes()
    step = saving(offline.step, checkpoints)
    for iteration in (1, 2, 1):
        found = replay(checkpoints.at_iteration(iteration), step)
        assert (found.reason, found.verified) == ("", 4)
    assert {path: path.read_bytes() for path in checkpoints.files()} == before
    assert run.path.read_bytes() == journal
    saved = checkpoints.save(new_state(), 0)
    assert saved is not None, "a replay that ended holds nothing up"


def test_checkpoints_of_a_live_continuation_belong_to_the_fork(
    checkpoints: Checkpointer, run: Run, talks_on: Interview
) -> None:
    fork = run.fork(5, "Nothing, we buy as we go.", name="no materials")
    started_from = checkpoints.at_iteration(1)
    step = saving(talks_on.step, checkpoints)
    found = replay(started_from, step, run=fork, live=True)
    assert found.is_complete
    assert found.verified is None, "what is new has nothing to be compared with"
    second = checkpoints.at_iteration(2, fork)
    third = checkpoints.at_iteration(3, fork)
    assert (second.run, second.position, second.parent_id) == (fork.id, 6, started_from.id)
    assert (third.run, third.position, third.parent_id) == (fork.id, 9, second.id)
    assert checkpoints.latest(fork) == third
    assert [(mark.after, mark.iteration) for mark in fork.checkpoints] == [
        (0, 0),
        (3, 1),
        (6, 2),
        (9, 3),
    ]
    assert checkpoints.at_iteration(2, run).run == run.id
    # The fork is a recording of its own now.
    again = replay(second, talks_on.step, max_iterations=1)
    assert (again.reason, again.verified) == ("", 3)
    whole = replay(started_from, talks_on.step, run=fork)
    assert (whole.reason, whole.verified) == ("", 3)


def test_a_continuation_saves_no_checkpoint_twice(
    checkpoints: Checkpointer, run: Run, talks_on: Interview
) -> None:
    fork = run.fork(5, "Nothing, we buy as we go.", name="no materials")
    step = saving(talks_on.step, checkpoints)
    # From the beginning: what the fork shares with its parent is the parent's.
    replay(checkpoints.at_iteration(0), step, run=fork, live=True)
    saved = checkpoints.files()
    assert [each.iteration for each in checkpoints.load_all()[0][5:]] == [2, 3]
    assert checkpoints.at_iteration(2, fork).parent_id == checkpoints.at_iteration(1, run).id
    replay(checkpoints.at_iteration(0, run), step, run=fork, live=True)
    assert checkpoints.files() == saved


def test_a_fork_of_a_fork_goes_on_from_its_checkpoints(
    checkpoints: Checkpointer, run: Run, talks_on: Interview
) -> None:
    step = saving(talks_on.step, checkpoints)
    fork = run.fork(5, "Nothing, we buy as we go.", name="no materials")
    replay(checkpoints.at_iteration(1), step, run=fork, live=True)
    second = checkpoints.at_iteration(2, fork)
    fork_of_fork = fork.fork(8, "We have no tanks.", name="no tanks")
    found = replay(second, step, max_iterations=1, run=fork_of_fork, live=True)
    assert "We have no tanks." in str(found.state["messages"])
    third = checkpoints.at_iteration(3, fork_of_fork)
    assert (third.position, third.parent_id) == (9, second.id)
    assert [mark.after for mark in fork_of_fork.checkpoints] == [0, 3, 6, 9]
    again = replay(checkpoints.at_iteration(0), talks_on.step, 3, run=fork_of_fork)
    assert (again.reason, again.verified) == ("", 3)


def test_a_run_that_is_resumed_ends_as_it_ends_then(model: MockLLM, tmp_path: Path) -> None:
    checkpoints = Checkpointer(tmp_path / "checkpoints", "p", enabled=True)
    interview = Interview(model.base_url, brewery.answer)
    step = saving(interview.step, checkpoints)

    def dies(_: State) -> State:
        raise TimeoutError("the power went")

    with pytest.raises(TimeoutError), Run.record("dies", folder=tmp_path) as run:
        dies(step(new_state()))
    assert run.problem == "TimeoutError: the power went"
    assert state_in_list(run) == "died"

    def looks(state: State) -> State:
        state = step(state)
        assert run.problem is None
        assert state_in_list(run) == "no end yet"
        return state

    found = replay(checkpoints.at_iteration(1), looks, run=run, live=True)
    assert (found.is_complete, run.problem) == (True, "")
    assert state_in_list(run) == "complete"

    with pytest.raises(TimeoutError):
        replay(checkpoints.at_iteration(3), dies, run=run, live=True)
    assert run.problem == "TimeoutError: the power went"
    assert replay(checkpoints.at_iteration(1), interview.step)
    interview.close()


def test_a_step_that_would_record_a_run_is_refused_and_makes_no_live_call(
    checkpoints: Checkpointer, tmp_path: Path
) -> None:
    def records(state: State) -> State:
        with Run.record("inner", folder=tmp_path):
            call("get-answer", nobody, "And of the materials?")
        return state

    with pytest.raises(RuntimeError, match="a replay makes no calls that could be recorded"):
        replay(checkpoints.at_iteration(1), records)
