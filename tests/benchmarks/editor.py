"""Rows 7 to 9: typing into a long answer, and opening a long request."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from tests.benchmarks import installed
from tests.benchmarks.place import EAGER, Place, items, missed, request, words
from tests.benchmarks.screen import Screen
from tests.benchmarks.table import Row, median

SMALL, LARGE = 10_000, 1_000_000
KEYS = {SMALL: 40, LARGE: 10}
LETTERS = "qzkvxj"
FIRST_WORDS = b"BEGIN-OF-THE-DUMP"


def type_in_answer(place: Place, size: int) -> float:
    project = place.draft_project(f"answer-{size}", items(size))
    with place.workbench(project, environment=EAGER) as screen:
        screen.until(b"the items, please")
        screen.rest(1, 30)
        # The answer is selected when it is entered; its last line is a brace.
        for key in ("\r", "\x1b[D", "\x1b[A", "\x1b[F", "\x1b[D"):
            screen.press(key)
            screen.rest(1, 60)
        return median(_typed(screen, size))


def type_in_text_area(place: Place, size: int) -> float:
    installed.need("tree_sitter", "tree_sitter_json")
    file = place.folder / f"answer-{size}.json"
    file.write_text(items(size, indent=2), "utf-8")
    with place.program("text", str(file), environment=EAGER) as screen:
        screen.until(b"begun", timeout=120)
        screen.rest(1, 60)
        return median(_typed(screen, size))


def _typed(screen: Screen, size: int) -> Iterator[float]:
    """Type as a person does: with pauses in which what follows a key is done, and without."""
    pauses = random.Random(7)
    text = ""
    for number in range(KEYS[size]):
        letter = LETTERS[number % len(LETTERS)]
        text = (text + letter)[-4:]
        yield screen.echo(letter, text.encode(), timeout=120)
        screen.watch(pauses.uniform(0.03, 0.2))


def type_10_kb(place: Place) -> float:
    return type_in_answer(place, SMALL)


def type_10_kb_text_area(place: Place) -> float:
    return type_in_text_area(place, SMALL)


def type_1_mb(place: Place) -> float:
    return type_in_answer(place, LARGE)


def type_1_mb_text_area(place: Place) -> float:
    return type_in_text_area(place, LARGE)


# Opening a request


def open_conversation(place: Place) -> float:
    return _open_request(place, "")


def open_json(place: Place) -> float:
    return _open_request(place, "]]")


def _open_request(place: Place, views: str) -> float:
    """From the key that selects the miss to its request on the screen."""
    project = place.project("dump")
    log = missed(request("a small one")) + missed(_long_request())
    (project / "mock-llm.log").write_bytes(log)
    with place.workbench(project) as screen:
        screen.until(b"what do you make of it?")
        screen.rest(1, 30)
        for view in views:
            screen.press(view)
            screen.rest(0.5)
        return screen.echo("\x1b[B", FIRST_WORDS)


def open_in_static(place: Place) -> float:
    file = place.folder / "dump.json"
    file.write_text(json.dumps(_long_request()), "utf-8")
    with place.program("dump", str(file)) as screen:
        screen.until(b"ready")
        screen.rest(0.5)
        return screen.echo("o", FIRST_WORDS, timeout=120)


def _long_request() -> dict[str, object]:
    """A conversation of 1 MB, as agents that read files have."""
    messages: list[dict[str, str]] = [
        {"role": "system", "content": f"{FIRST_WORDS.decode()} {words(3000, 0)}"}
    ]
    for number in range(60):
        page = "\n".join(words(90, number * 1000 + line) for line in range(180))
        messages.append({"role": "user" if number % 2 else "assistant", "content": page})
    messages.append({"role": "user", "content": "what do you make of it?"})
    return {"messages": messages, "model": "gpt-4o-mini"}


TEXT_AREA = "TextArea and tree-sitter"
RICH = "rich.json in a Static"
ROWS = [
    Row(7, "key in an answer of 10 KB", TEXT_AREA, 0.65, type_10_kb, type_10_kb_text_area),
    Row(8, "key in an answer of 1 MB", TEXT_AREA, 0.1, type_1_mb, type_1_mb_text_area),
    Row(9, "opening a request of 1 MB", RICH, 0.05, open_conversation, open_in_static),
    Row(9, "the same as JSON", RICH, 0.05, open_json, open_in_static),
]
