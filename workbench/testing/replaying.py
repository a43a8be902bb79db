"""Going on from a checkpoint with recorded replies: no live call is made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.divergence import Divergence, divergences
from workbench.core.replay import Taken
from workbench.core.runs import Exchange
from workbench.testing.checkpoints import Checkpoint
from workbench.testing.recording import Recorder, Replayer, within
from workbench.testing.runs import Run
from workbench.testing.values import decode, encode

Step = Callable[[Any], Any]
_MOST_DIFFERENCES = 100


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to.

    Attributes:
        before, state: the application's state at the checkpoint and at the end.
        iterations: how many steps were run.
        is_complete: the application said that it was done.
        notes: calls that were not as recorded, in order; the first is where it diverged.
        unused: recorded exchanges that nobody asked for, up to the last one asked for.
        differences: of the state from the recorded one, where that was compared.
        verified: the iteration whose recorded state was compared with; None where none was.
    """

    before: Any
    state: Any
    iterations: int
    is_complete: bool
    notes: list[Taken] = field(default_factory=list)
    unused: list[Exchange] = field(default_factory=list)
    differences: list[Divergence] = field(default_factory=list)
    verified: int | None = None

    @property
    def holds(self) -> bool:
        """Whether all was as recorded."""
        return not (self.notes or self.unused or self.differences)

    def __bool__(self) -> bool:
        return self.holds

    @property
    def reason(self) -> str:
        """What was not as recorded first; "" where all was."""
        return next(iter(self.problems()), "")

    def problems(self) -> Iterator[str]:
        """What was not as recorded, one sentence each."""
        yield from map(str, self.notes)
        for exchange in self.unused:
            yield f"{exchange.node or 'a call'}, exchange {exchange.position}: not asked for"
        for difference in self.differences:
            yield f"the state after iteration {self.verified}: {difference}"


def replay(
    checkpoint: Checkpoint | Path | str,
    step: Step,
    max_iterations: int = 5,
    verify: bool = True,
    *,
    run: Run | None = None,
    live: bool = False,
    is_complete: Callable[[Any], bool] | None = None,
) -> Replayed:
    """Run an application's step from a checkpoint's state with the replies recorded behind it.

    Args:
        step: takes a state and returns the next one; it gets a state of its own.
        max_iterations: of ``step``, at most.
        verify: compare the resulting state with the recorded one.
        run: answer from this run, a fork say, in place of the checkpoint's own.
        live: make the calls ``run`` has no reply for, and record them into it.
        is_complete: whether a state is the last; by default one whose key ``complete`` is true.

    Raises:
        MissingReplyError: a call has no recorded reply; it names node, call, nearest recorded
            exchange and first difference.
        CheckpointError: the checkpoint, or what was recorded behind it, cannot be read.
    """
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint.load(checkpoint)
    if live and run is None:
        raise ValueError("live calls need a run to be recorded into: run=checkpoint_run.fork(…)")
    is_complete = is_complete or _says_complete
    following = checkpoint.following() if run is None else run.after(checkpoint.position)
    before = encode(checkpoint.state, "state")
    # A state of its own: a step may well change what it is given.
    state, iterations = decode(before), 0
    with _replayer(following, run if live else None) as replayer, within(replayer):
        while iterations < max_iterations and not is_complete(state):
            state = _stepped(step, state, replayer)
            iterations += 1
    reached = checkpoint.iteration + iterations
    recorded = _recorded_state(checkpoint, reached) if verify and run is None else None
    found = [] if recorded is None else _differences(recorded[0], state)
    return Replayed(
        before=before,
        state=state,
        iterations=iterations,
        is_complete=is_complete(state),
        notes=replayer.notes,
        unused=_passed_over(following, replayer.unused(), is_over=is_complete(state)),
        differences=found,
        verified=reached if recorded is not None else None,
    )


def _stepped(step: Step, state: Any, replayer: Replayer) -> Any:
    """The next state. Raises MissingReplyError, too, where the application made something else of
    it.
    """
    try:
        state = step(state)
    except Exception as error:
        if replayer.missing in (None, error):
            raise
        raise replayer.missing from error
    if replayer.missing is not None:
        raise replayer.missing
    return state


@contextlib.contextmanager
def _replayer(following: list[Exchange], live_into: Run | None) -> Iterator[Replayer]:
    with contextlib.ExitStack() as stack:
        beyond: Recorder | None = None
        if live_into is not None:
            beyond = stack.enter_context(live_into.going_on())
        yield Replayer(following, beyond)


def _says_complete(state: Any) -> bool:
    return isinstance(state, dict) and bool(state.get("complete"))


def _recorded_state(checkpoint: Checkpoint, iteration: int) -> tuple[Any] | None:
    if iteration == checkpoint.iteration:
        return (checkpoint.state,)
    later = checkpoint.later_states()
    return (later[iteration],) if iteration in later else None


def _differences(recorded: Any, state: Any) -> list[Divergence]:
    # Both as they are kept: a tuple is the list it was recorded as.
    found = divergences(encode(recorded, "recorded"), encode(state, "state"))
    return [difference for _, difference in zip(range(_MOST_DIFFERENCES), found, strict=False)]


def _passed_over(
    following: list[Exchange], unused: list[Exchange], *, is_over: bool
) -> list[Exchange]:
    """Of the unused exchanges those that were to come: where the replay stopped on its way, those
    behind the last one that was used were not reached.
    """
    if is_over:
        return unused
    left = {exchange.position for exchange in unused}
    last = max((e.position for e in following if e.position not in left), default=0)
    return [exchange for exchange in unused if exchange.position < last]
