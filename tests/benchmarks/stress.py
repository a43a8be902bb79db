"""``python -m tests.benchmarks.stress``: figures of the application under more than anybody has."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.editor import FIRST_WORDS
from tests.benchmarks.lists import DOWN, SIZE, downs, downs_in_burst, selected
from tests.benchmarks.logs import megabytes
from tests.benchmarks.place import Place
from tests.benchmarks.stress_log import missed, request, words
from tests.benchmarks.table import median, p95

Figure = tuple[str, str]
NEEDLE = "needle-in-the-haystack"


def many_misses(place: Place) -> Iterator[Figure]:
    """100,000 misses: until they can be used, keys, memory."""
    project = place.many_misses
    with place.workbench(project, size=SIZE) as screen:
        yield "100,000 misses: first row", _ms(screen.until(b"question 000000") - screen.started)
        read = screen.until(b"Misses 100,000", timeout=300) - screen.started
        yield "100,000 misses: all listed", f"{read:.1f} s"
        screen.rest(0.5)
        taken = list(downs(screen, selected))
        yield "100,000 misses: key p50", _ms(median(taken))
        yield "100,000 misses: key p95", _ms(p95(taken))
        yield "100,000 misses: memory", f"{megabytes(screen):.0f} MB"


def long_request(place: Place) -> Iterator[Figure]:
    """A request of 5 MB: opened, scrolled, searched."""
    project = place.project("five")
    pages = [words(50_000, number) for number in range(100)]
    messages = [{"role": "user", "content": page} for page in pages]
    messages[0]["content"] = f"{FIRST_WORDS.decode()} {pages[0]}"
    messages[-1]["content"] += f" {NEEDLE}"
    payload = {"model": "gpt-4o-mini", "messages": [*messages, *request("the last")["messages"]]}
    (project / "mock-llm.log").write_bytes(missed(request("a small one")) + missed(payload))
    with place.workbench(project) as screen:
        screen.until(b"the last", timeout=120)
        screen.rest(0.5)
        yield "request of 5 MB: opened", _ms(screen.echo(DOWN, FIRST_WORDS, timeout=120))
        screen.rest(0.5)
        screen.press("\t")
        screen.rest(0.5)
        pages_down = [_until_drawn(lambda: screen.press(" "), screen.rest) for _ in range(20)]
        yield "request of 5 MB: page down p95", _ms(p95(pages_down))
        screen.press("/")
        screen.rest(0.5)
        # What is found stands right before the last message.
        found = screen.echo(NEEDLE, b"the last", timeout=120)
        yield "request of 5 MB: found", _ms(found)


def burst(place: Place) -> Iterator[Figure]:
    """Keys while 1,000 misses arrive in each second."""
    taken = downs_in_burst(place)
    yield "1,000 misses/s: key p50", _ms(median(taken))
    yield "1,000 misses/s: key p95", _ms(p95(taken))


def _until_drawn(press: Callable[[], None], rest: Callable[[float], None]) -> float:
    """How long drawing goes on after a key."""
    begun = time.perf_counter()
    press()
    rest(0.15)
    return time.perf_counter() - begun - 0.15


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="workbench-stress-") as folder:
        place = Place(Path(folder))
        for part in (many_misses, long_request, burst):
            try:
                for what, figure in part(place):
                    print(f"{what:<40}{figure:>12}", flush=True)
            except (TimeoutError, EOFError) as error:
                print(f"{part.__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
