"""What an application calls beside the model, a search or a file say, with scripted results."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import AsyncMock, MagicMock, patch


class ResultsExhaustedError(LookupError):
    """A scripted function was called once more than it has results."""


@contextmanager
def scripted(target: str, *results: Any, repeat_last: bool = False) -> Iterator[MagicMock]:
    """Let the function at ``target`` give ``results``, one a call. A function that is awaited may
    be awaited as before.

    Args:
        target: where it is used: ``myapp.tools.web_search``.
        results: each is returned; an exception is raised; a function is called with the arguments
            of the call, and its result is returned (awaited, where ``target`` is).
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

    def result(*args: Any, **kwargs: Any) -> Any:
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
        return found(*args, **kwargs) if inspect.isroutine(found) else found

    async def awaited_result(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        found = result(*args, **kwargs)
        return await found if inspect.isawaitable(found) else found

    with patch(target) as mock:
        mock.side_effect = awaited_result if isinstance(mock, AsyncMock) else result
        yield mock


def _is_exception_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)
