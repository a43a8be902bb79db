"""Going on from a checkpoint with recorded replies: no live call is made."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.json.divergence import Divergence, divergences
from workbench.core.runs.exchanges import Exchange
from workbench.core.runs.replay import Taken
from workbench.testing.runs.checkpoints import Checkpoint
from workbench.testing.runs.modes import Replayer, within
from workbench.testing.runs.run import Run
from workbench.testing.runs.values import decode, encode

# Takes a state; returns the next one, or an awaitable that comes to it.
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
        verify: whether what was not as recorded counts.
    """

    before: Any
    state: Any
    iterations: int
    is_complete: bool
    notes: list[Taken] = field(default_factory=list)
    unused: list[Exchange] = field(default_factory=list)
    differences: list[Divergence] = field(default_factory=list)
    verified: int | None = None
    verify: bool = True

    @property
    def holds(self) -> bool:
        """Whether all was as recorded; without ``verify`` it is enough that the replay ran
        through.
        """
        return not (self.verify and (self.notes or self.unused or self.differences))

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

    A step that is awaited (``async def``) runs in an event loop of the replay's own. Where a loop
    is running already, as in a test that is async itself, use ``await areplay(...)``.

    Args:
        step: takes a state and returns the next one; it gets a state of its own, in which a
            pydantic model or dataclass that was saved is a dict.
        max_iterations: of ``step``, at most.
        verify: compare the calls and the resulting state with the recorded ones. Without it the
            result is true when the replay ran through; calls that were not as recorded are in its
            ``problems`` all the same.
        run: answer from this run, a fork say, in place of the checkpoint's own.
        live: make the calls ``run`` has no reply for, and record them into it.
        is_complete: whether a state is the last; by default one whose ``complete``, a key or an
            attribute, is true.

    Raises:
        MissingReplyError: a call has no recorded reply; it names node, call, nearest recorded
            exchange and first difference.
        CheckpointError: the checkpoint, or what was recorded behind it, cannot be read.
        RuntimeError: the step is awaited, and an event loop is running.
    """
    going = _Replay(checkpoint, max_iterations, verify, run, live, is_complete)
    with going.answering(), contextlib.closing(asyncio.Runner()) as runner:
        while going.goes_on():
            with going.iteration():
                going.state = _finished(step(going.state), runner)
    return going.result()


async def areplay(
    checkpoint: Checkpoint | Path | str,
    step: Step,
    max_iterations: int = 5,
    verify: bool = True,
    *,
    run: Run | None = None,
    live: bool = False,
    is_complete: Callable[[Any], bool] | None = None,
) -> Replayed:
    """``replay`` in the event loop that is running: asyncio's, or trio's."""
    going = _Replay(checkpoint, max_iterations, verify, run, live, is_complete)
    with going.answering():
        while going.goes_on():
            with going.iteration():
                state = step(going.state)
                going.state = await state if inspect.isawaitable(state) else state
    return going.result()


def _finished(state: Any, runner: asyncio.Runner) -> Any:
    """``state``, or what it comes to when it is awaited."""
    if not inspect.isawaitable(state):
        return state
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return runner.run(_awaited(state))
    if inspect.iscoroutine(state):
        state.close()
    raise RuntimeError("the step is awaited and an event loop is running: await areplay(...)")


async def _awaited(state: Awaitable[Any]) -> Any:
    return await state


class _Replay:
    """A replay on its way: the state so far, and what its result is made of."""

    def __init__(
        self,
        checkpoint: Checkpoint | Path | str,
        max_iterations: int,
        verify: bool,
        run: Run | None,
        live: bool,
        is_complete: Callable[[Any], bool] | None,
    ) -> None:
        if live and run is None:
            raise ValueError(
                "live calls need a run to be recorded into: run=checkpoint_run.fork(…)"
            )
        if not isinstance(checkpoint, Checkpoint):
            checkpoint = Checkpoint.load(checkpoint)
        self._checkpoint = checkpoint
        self._max_iterations = max_iterations
        self._verify = verify
        self._run = run
        self._live = live
        self._is_complete = is_complete or _says_complete
        self._following = checkpoint.following() if run is None else run.after(checkpoint.position)
        self._replayer = Replayer(self._following)
        self._before = encode(checkpoint.state, "state")
        # A state of its own: a step may well change what it is given.
        self.state = decode(self._before)
        self._iterations = 0

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Within the block calls are answered from the recording."""
        with contextlib.ExitStack() as block:
            beyond, marks = None, []
            if self._run is not None and self._live:
                beyond = block.enter_context(self._run.going_on())
                marks = self._run.checkpoints
            start, parent = self._checkpoint.position, self._checkpoint.id
            self._replayer = Replayer(
                self._following, beyond, start=start, parent=parent, marks=marks
            )
            block.enter_context(within(self._replayer))
            yield

    def goes_on(self) -> bool:
        return self._iterations < self._max_iterations and not self._is_complete(self.state)

    @contextlib.contextmanager
    def iteration(self) -> Iterator[None]:
        """One step. A missing reply is raised, too, where the application made something else of
        it.
        """
        try:
            yield
        except Exception as error:
            if self._replayer.missing in (None, error):
                raise
            raise self._replayer.missing from error
        if self._replayer.missing is not None:
            raise self._replayer.missing
        self._iterations += 1

    def result(self) -> Replayed:
        reached = self._checkpoint.iteration + self._iterations
        recorded = self._recorded_state(reached) if self._verify and not self._live else None
        is_over = self._is_complete(self.state)
        return Replayed(
            before=self._before,
            state=self.state,
            iterations=self._iterations,
            is_complete=is_over,
            notes=self._replayer.notes,
            unused=_passed_over(self._following, self._replayer.unused(), is_over=is_over),
            differences=[] if recorded is None else _differences(recorded[0], self.state),
            verified=reached if recorded is not None else None,
            verify=self._verify,
        )

    def _recorded_state(self, iteration: int) -> tuple[Any] | None:
        if iteration == self._checkpoint.iteration:
            return (self._checkpoint.state,)
        later = self._checkpoint.later_states(self._run)
        return (later[iteration],) if iteration in later else None


def _says_complete(state: Any) -> bool:
    if isinstance(state, dict):
        return bool(state.get("complete"))
    return bool(getattr(state, "complete", False))


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
