"""Playing a stream: which of its frames a client has at a time. The caller gives the time, in
seconds.
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
    """Seconds until each frame arrives, with ``BASE_DELAY_MS`` if there is no chunk delay."""
    delay = (chunk_delay_ms or BASE_DELAY_MS) / 1000
    return list(accumulate(delay if frame.paced else 0.0 for frame in frames))


class Playback:
    """A position in a stream that moves on while it plays.

    Attributes:
        shown: the number of frames that have arrived; all before it is first played.
        elapsed: seconds of the stream's own time.
    """

    def __init__(self, times: Sequence[float] = (), pace: float = 1.0) -> None:
        self.times = times
        self.pace = pace
        self.elapsed = 0.0
        self._since: float | None = None
        self.shown = len(times)

    @property
    def is_playing(self) -> bool:
        return self._since is not None

    @property
    def is_whole(self) -> bool:
        """True if all frames have arrived."""
        return self.shown == len(self.times)

    def set_pace(self, pace: float, now: float) -> None:
        self.advance(now)
        self.pace = pace

    def play(self, now: float) -> None:
        """Continue; at the end start over."""
        if self.is_whole:
            self.elapsed = 0.0
        self._since = now
        self.advance(now)

    def pause(self, now: float) -> None:
        self.advance(now)
        self._since = None

    def step(self, by: int) -> None:
        """Pause some frames further on, or back."""
        self._since = None
        self.shown = min(max(self.shown + by, 0), len(self.times))
        self.elapsed = self.times[self.shown - 1] if self.shown else 0.0

    def finish(self) -> None:
        self.step(len(self.times))

    def advance(self, now: float) -> None:
        """Take in the frames that have arrived by ``now``; at the end stop playing."""
        if self._since is None:
            return
        if self.pace == AT_ONCE:
            self.finish()
            return
        self.elapsed += (now - self._since) * self.pace
        self._since = now
        self.shown = bisect_right(self.times, self.elapsed)
        if self.is_whole:
            self._since = None

    def wait(self) -> float | None:
        """Seconds from the last ``advance`` to the next frame; None if it is not playing."""
        if self._since is None:
            return None
        return (self.times[self.shown] - self.elapsed) / self.pace
