"""Continue from a checkpoint with recorded replies: no live call is made."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from workbench.core.json.divergence import Divergence, divergences
from workbench.core.recordings.exchanges import Exchange
from workbench.core.recordings.replay import Taken
from workbench.core.text.inert import escaped
from workbench.core.text.wording import counted
from workbench.testing.arguments import (
    require,
    require_flags,
    require_whole_number,
    wrong_type,
)
from workbench.testing.recordings.checkpoints import Checkpoint
from workbench.testing.recordings.modes import Mode, within
from workbench.testing.recordings.run import Run, going_on
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

# Takes a state; returns the next one, or an awaitable of it.
Step = Callable[[Any], Any]
_MOST_DIFFERENCES: Final = 100


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay. It is true if everything was as recorded, so a test can assert it.

    Attributes:
        before: state at the checkpoint.
        state: state at the end.
        iterations: number of steps that ran.
        is_complete: True if the last state is complete.
        notes: calls that differ from the recording, in order.
        unused: recorded exchanges that were skipped.
        differences: differences of the state from the recorded state.
        verified: iteration whose recorded state was compared, or None.
        verify: the argument of ``replay``.
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
        """True if everything was as recorded. Always true with ``verify=False``."""
        return not (self.verify and (self.notes or self.unused or self.differences))

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        """The text that a failed ``assert`` shows."""
        steps = counted(self.iterations, "iteration")
        return f"<replay of {steps}: {escaped(self.reason) or 'as recorded'}>"

    @property
    def reason(self) -> str:
        """The first of ``problems()``, or ""."""
        return next(iter(self.problems()), "")

    def problems(self) -> Iterator[str]:
        """Iterate over the differences from the recording, one sentence each."""
        yield from map(str, self.notes)
        for exchange in self.unused:
            yield f"exchange {exchange.position} ({exchange.node or 'no node'}) was not used"
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
    """Run a step of your application from a checkpoint, with the replies that were recorded after
    it::

        assert replay("checkpoints/interview/default/….json", step)

    An async step runs in an event loop of its own. In an async test, use ``await areplay(…)``.

    Args:
        checkpoint: a checkpoint, or the path of its file.
        step: a function that takes a state and returns the next one. It gets a copy of the state,
            with dicts in place of pydantic models and dataclasses.
        max_iterations: largest number of steps.
        verify: compare calls and states with the recording. If False, the result is always true,
            and its ``problems`` still list the calls that differ.
        run: recording to answer from, such as a fork; by default the one of the checkpoint.
        live: make the calls for which ``run`` has no reply, and record them in ``run``.
        is_complete: a function that takes a state and returns True for the last one; by default
            the key or attribute ``complete`` of the state decides.

    Returns:
        The result, which is true if everything was as recorded.

    Raises:
        MissingReplyError: a call has no recorded reply. The message contains the node, the nearest
            recorded exchange and the first difference.
        CheckpointError: the checkpoint or its recording is invalid.
        OSError: the file of the checkpoint cannot be read.
        RuntimeError: the step is async, and an event loop is already running.
        TypeError: an argument has the wrong type.
        ValueError: ``live`` needs ``run``.
    """
    _require_step("replay", step)
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
    """Run the same as ``replay`` in the current event loop, of asyncio or trio:
    ``assert await areplay(checkpoint, step)``.

    Args:
        checkpoint, step, max_iterations, verify, run, live, is_complete: see ``replay``.

    Raises:
        MissingReplyError, CheckpointError, TypeError, ValueError: see ``replay``.
    """
    _require_step("areplay", step)
    going = _Replay(checkpoint, max_iterations, verify, run, live, is_complete)
    with going.answering():
        while going.goes_on():
            with going.iteration():
                state = step(going.state)
                going.state = await state if inspect.isawaitable(state) else state
    return going.result()


def _require_step(function: str, step: object) -> None:
    """Raises TypeError unless ``step`` is a function."""
    if not callable(step):
        raise wrong_type(function, "step", step, "a function")


def _finished(state: Any, runner: asyncio.Runner) -> Any:
    """``state``, or the result of awaiting it."""
    if not inspect.isawaitable(state):
        return state
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return runner.run(_awaited(state))
    if inspect.iscoroutine(state):
        state.close()
    raise RuntimeError(
        "replay: the step is async, and an event loop is already running. Use await areplay(…)."
    )


async def _awaited(state: Awaitable[Any]) -> Any:
    return await state


@dataclass
class _Replay:
    """A replay in progress. For the arguments see ``replay``."""

    start: Checkpoint | Path | str
    max_iterations: int
    verify: bool
    run: Run | None
    live: bool
    is_complete: Callable[[Any], bool] | None
    iterations: int = 0

    def __post_init__(self) -> None:
        _require_replay(self)
        if self.live and self.run is None:
            raise ValueError("replay: live=True needs a recording for the calls: run=….fork(…)")
        at = self.start if isinstance(self.start, Checkpoint) else Checkpoint.load(self.start)
        self.checkpoint = at
        self.following = at.following() if self.run is None else self.run.after(at.position)
        self.before = encode(at.state, "state")
        self.state = decode(self.before)  # a copy, since a step may change what it is given

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """In this block calls are answered from the recording."""
        with self._begun() as self.mode, within(self.mode):
            yield

    def _begun(self) -> contextlib.AbstractContextManager[Mode]:
        if self.run is None or not self.live:
            return contextlib.nullcontext(Mode(self.following))
        return going_on(self.run, self.following, self.checkpoint.position, self.checkpoint.id)

    def goes_on(self) -> bool:
        return self.iterations < self.max_iterations and not self.is_over()

    def is_over(self) -> bool:
        return (self.is_complete or _says_complete)(self.state)

    @contextlib.contextmanager
    def iteration(self) -> Iterator[None]:
        """One step. Raises the error for a missing reply even if the application caught it."""
        try:
            yield
        except Exception as error:
            if self.mode.missing in (None, error):
                raise
            # Without the frames from which the application, or its client, caught it.
            raise self.mode.missing.with_traceback(None) from error
        if self.mode.missing is not None:
            raise self.mode.missing.with_traceback(None)
        self.iterations += 1

    def result(self) -> Replayed:
        reached = self.checkpoint.iteration + self.iterations
        recorded: dict[int, Any] = {}
        if self.verify and not self.live:
            later = self.checkpoint.later_states(self.run) if self.iterations else {}
            recorded = {**later, self.checkpoint.iteration: self.checkpoint.state}
        differences: list[Divergence] = []
        if reached in recorded:
            # Both encoded, since a tuple is recorded as a list.
            both = encode(recorded[reached], "recorded"), encode(self.state, "state")
            differences = list(islice(divergences(*both), _MOST_DIFFERENCES))
        is_over = self.is_over()
        return Replayed(
            before=self.before,
            state=self.state,
            iterations=self.iterations,
            is_complete=is_over,
            notes=self.mode.notes,
            unused=self._unused(is_over),
            differences=differences,
            verified=reached if reached in recorded else None,
            verify=self.verify,
        )

    def _unused(self, is_over: bool) -> list[Exchange]:
        """The exchanges that were not used. If the application did not reach its end, exchanges
        after the last used one do not count.
        """
        unused = self.mode.unused()
        if is_over:
            return unused
        left = {exchange.position for exchange in unused}
        last = max((e.position for e in self.following if e.position not in left), default=0)
        return [exchange for exchange in unused if exchange.position < last]


def _require_replay(going: _Replay) -> None:
    """Raises TypeError and ValueError for arguments that ``replay`` does not accept."""
    expected = "a Checkpoint or the path of its file"
    require("replay", "checkpoint", going.start, (Checkpoint, Path, str), expected)
    require_whole_number("replay", "max_iterations", going.max_iterations, 0)
    require_flags("replay", verify=going.verify, live=going.live)
    require("replay", "run", going.run, (Run, type(None)), "a Run")


def _says_complete(state: Any) -> bool:
    if isinstance(state, dict):
        return bool(state.get("complete"))
    return bool(getattr(state, "complete", False))
