"""Playing a stream: which of its frames a client would have by now. Knows no widget and no clock;
times are in seconds and given by the caller.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from workbench.core.replies.http_reply import Frame

BASE_DELAY_MS: Final = 200
AT_ONCE: Final = math.inf
PACES: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, AT_ONCE)


def arrivals(frames: Sequence[Frame], chunk_delay_ms: int = 0) -> list[float]:
    """When each frame arrives at a streaming client, from the first on; 0 asks for no delay."""
    delay = (chunk_delay_ms or BASE_DELAY_MS) / 1000
    return list(accumulate(delay if frame.paced else 0.0 for frame in frames))


class Playback:
    """A place in a stream that goes on while it plays.

    Attributes:
        times: when each frame arrives.
        shown: how many frames have arrived; all of them before it is first played.
    """

    def __init__(self, times: Sequence[float] = (), pace: float = 1.0) -> None:
        self.times = times
        self._pace = pace
        self._elapsed = 0.0
        self._since: float | None = None
        self.shown = len(times)

    @property
    def is_playing(self) -> bool:
        return self._since is not None

    @property
    def is_whole(self) -> bool:
        """Whether all frames are there."""
        return self.shown == len(self.times)

    @property
    def elapsed(self) -> float:
        """Of the stream's own time."""
        return self._elapsed

    @property
    def pace(self) -> float:
        return self._pace

    def set_pace(self, pace: float, now: float) -> None:
        self.advance(now)
        self._pace = pace

    def play(self, now: float) -> None:
        """Go on, from the beginning where the end was reached."""
        if self.is_whole:
            self._elapsed = 0.0
        self._since = now
        self.advance(now)

    def pause(self, now: float) -> None:
        self.advance(now)
        self._since = None

    def step(self, by: int) -> None:
        """Stand still so many frames on, or back."""
        self._since = None
        self.shown = min(max(self.shown + by, 0), len(self.times))
        self._elapsed = self.times[self.shown - 1] if self.shown else 0.0

    def finish(self) -> None:
        self.step(len(self.times))

    def advance(self, now: float) -> None:
        """Let arrive what has arrived by ``now``; at the end it plays no longer."""
        if self._since is None:
            return
        if self._pace == AT_ONCE:
            self.finish()
            return
        self._elapsed += (now - self._since) * self._pace
        self._since = now
        self.shown = bisect_right(self.times, self._elapsed)
        if self.is_whole:
            self._since = None

    def wait(self) -> float | None:
        """How long until the next frame, from the last ``advance`` on; None when nothing plays."""
        if self._since is None:
            return None
        return (self.times[self.shown] - self._elapsed) / self._pace
