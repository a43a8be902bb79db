"""Prevent pytest-timeout from ending a test while one of its requests is held.

The time in which a request of the test is held does not count. When the test's time is over, the
server reports the held time, and the test gets as much time again.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from workbench.testing.plugin.running import RunningServer

# The shortest interval between checks for a test whose time is over while it waits.
_LEAST_SECONDS: Final = 0.5


class HeldTime:
    """The time in which requests of one test are held, given to the test once.

    Args:
        before: seconds that do not count, since they were held before the timer began.
    """

    def __init__(self, server: RunningServer, before: float) -> None:
        self._server = server
        self._granted = before

    def take(self) -> float:
        """Seconds that the test still gets; 0.0 if its time is over."""
        more = self._server.held_seconds() - self._granted
        if more <= 0:
            return 0.0
        more = max(more, _LEAST_SECONDS)
        self._granted += more
        return more


class Countdown:
    """The time of a test, for the method ``thread`` of pytest-timeout.

    Args:
        seconds: the test's own time.
        at_end: called when that is over, and what was held; not if the countdown is cancelled.
    """

    def __init__(self, seconds: float, held: HeldTime, at_end: Any) -> None:
        self._left = seconds
        self._held = held
        self._at_end = at_end
        self._is_cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="workbench-timeout", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while self._left and not self._is_cancelled.wait(self._left):
            self._left = self._held.take()
        if not self._is_cancelled.is_set():
            self._at_end()

    def cancel(self) -> None:
        self._is_cancelled.set()
        self._thread.join()


_countdown_key = pytest.StashKey[Countdown]()


class Timeouts:
    """A pytest plugin that sets and cancels the timers of pytest-timeout by its hooks."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool:
        """Set a timer that continues after requests were held.

        Args:
            settings: ``timeout`` in seconds, ``method`` and ``func_only``, in a named tuple.
        """
        hook = "pytest_timeout_set_timer"
        set_theirs = item.config.pluginmanager.subset_hook_caller(hook, [self])
        # Another timer begins with the test, before the test is reported to the server.
        before = self._server.held_seconds() if settings.func_only else 0.0
        held = HeldTime(self._server, before)
        is_in_main = threading.current_thread() is threading.main_thread()
        if settings.method == "signal" and is_in_main:
            set_theirs(item=item, settings=settings)
            _prolong_alarm(held)
            return True

        def end() -> None:
            set_theirs(item=item, settings=settings._replace(timeout=0.0))

        item.stash[_countdown_key] = Countdown(settings.timeout, held, end)
        return True

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> None:
        """Cancel ours; pytest-timeout then cancels its own."""
        if countdown := item.stash.get(_countdown_key, None):
            del item.stash[_countdown_key]
            countdown.cancel()


def _prolong_alarm(held: HeldTime) -> None:
    """Have the alarm that is set go off again after the time that was held, before it does what it
    is set for.
    """
    at_end = signal.getsignal(signal.SIGALRM)
    if not callable(at_end):
        return  # another plugin has timers of another kind

    def alarm(number: int, frame: Any) -> None:
        __tracebackhide__ = True
        if more := held.take():
            signal.setitimer(signal.ITIMER_REAL, more)
        else:
            at_end(number, frame)

    signal.signal(signal.SIGALRM, alarm)
