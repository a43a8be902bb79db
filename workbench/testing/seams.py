"""What an application calls beside the model, a search or a file say, with scripted results."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import MagicMock, patch


class ResultsExhaustedError(LookupError):
    """A scripted function was called once more than it has results."""


@contextmanager
def scripted(target: str, *results: Any, repeat_last: bool = False) -> Iterator[MagicMock]:
    """Let the function at ``target`` give ``results``, one a call; those that are exceptions are
    raised. A function that is awaited may be awaited as before.

    Args:
        target: where it is used: ``myapp.tools.web_search``.
        repeat_last: the last result answers all further calls, too.

    Returns:
        the mock of ``unittest.mock`` in its place, which knows its calls.

    Raises:
        ResultsExhaustedError: at a call behind the last result.
    """
    __tracebackhide__ = True
    if not results:
        raise TypeError(f"scripted({target!r}) has no results")
    lock = threading.Lock()
    given = 0

    def result(*_: Any, **__: Any) -> Any:
        __tracebackhide__ = True
        nonlocal given
        with lock:
            place, given = given, given + 1
        if place >= len(results) and not repeat_last:
            count = f"{len(results)} result{'s' * (len(results) != 1)}"
            raise ResultsExhaustedError(f"{target}, call {place + 1}: it has {count}, all used")
        found = results[min(place, len(results) - 1)]
        if isinstance(found, BaseException) or _is_exception_class(found):
            raise found
        return found

    with patch(target, side_effect=result) as mock:
        yield mock


def _is_exception_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)
