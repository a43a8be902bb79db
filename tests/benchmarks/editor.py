"""Rows 7 to 9: typing into a long answer, and opening a long request."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

from tests.benchmarks import installed
from tests.benchmarks.lists import DOWN
from tests.benchmarks.place import EAGER, Place, items
from tests.benchmarks.screen import Screen
from tests.benchmarks.stress_log import missed, request, words
from tests.benchmarks.table import Measure, Row, median

SMALL, LARGE = 10_000, 200_000
KEYS = {SMALL: 40, LARGE: 10}
# What a step before the measurement takes at most; the cursor blinks, so that it is never quiet.
SETTLED = {SMALL: 0.45, LARGE: 3.0}
LETTERS = "qzkvxj"
FIRST_WORDS = b"BEGIN-OF-THE-DUMP"


def typed_in_answer(size: int) -> Measure:
    def measure(place: Place) -> float:
        project = place.draft_project(f"answer-{size}", items(size))
        with place.workbench(project, environment=EAGER) as screen:
            screen.until(b"begun", timeout=120)
            screen.rest(SETTLED[size], 30)
            screen.echo("\r", b"^s")
            screen.watch(SETTLED[size])
            # To the start, and behind the text of the second line.
            for key in ("\x1b[D", "\x1b[B", "\x1b[F", "\x1b[D\x1b[D"):
                screen.press(key)
                screen.watch(SETTLED[size])
            return median(_typed(screen, size))

    return measure


def typed_in_text_area(size: int) -> Measure:
    def measure(place: Place) -> float:
        installed.need("tree_sitter", "tree_sitter_json")
        file = place.folder / f"answer-{size}.json"
        file.write_text(items(size, indent=2), "utf-8")
        with place.program("text", str(file), environment=EAGER) as screen:
            screen.until(b"begun", timeout=120)
            screen.rest(0.3, 30)
            return median(_typed(screen, size))

    return measure


def _typed(screen: Screen, size: int) -> Iterator[float]:
    """Type as a person does: with pauses in which what follows a key is done, and without."""
    pauses = random.Random(7)
    text = ""
    for number in range(KEYS[size]):
        letter = LETTERS[number % len(LETTERS)]
        text = (text + letter)[-4:]
        yield screen.echo(letter, text.encode(), timeout=120)
        screen.watch(pauses.uniform(0.03, 0.2))


# Opening a request


def few_long() -> Iterator[dict[str, object]]:
    """The messages of an agent that reads files."""
    for number in range(60):
        page = "\n".join(words(90, number * 1000 + line) for line in range(180))
        yield {"role": "user" if number % 2 else "assistant", "content": page}


def many_short() -> Iterator[dict[str, object]]:
    """The messages of an agent that calls tools, and goes on and on."""
    for number in range(2000):
        function = {"name": "look_up", "arguments": json.dumps({"what": words(60, number)})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": f"call_{number}", "content": words(150, number)}


Messages = Callable[[], Iterator[dict[str, object]]]


def opened(messages: Messages, view: str = "") -> Measure:
    """From the key that selects the miss to its request on the screen, in the view that some keys
    chose.
    """

    def measure(place: Place) -> float:
        project = place.project("dump")
        log = missed(request("a small one")) + missed(_long_request(messages))
        (project / "mock-llm.log").write_bytes(log)
        with place.workbench(project) as screen:
            screen.until(b"what do you make of it?")
            screen.rest(0.3, 30)
            for key in view:
                screen.press(key)
                screen.rest(0.5)
            return screen.echo(DOWN, FIRST_WORDS)

    return measure


def opened_in_static(messages: Messages) -> Measure:
    def measure(place: Place) -> float:
        file = place.folder / "dump.json"
        file.write_text(json.dumps(_long_request(messages)), "utf-8")
        with place.program("dump", str(file)) as screen:
            screen.until(b"ready")
            screen.rest(0.5)
            return screen.echo("o", FIRST_WORDS, timeout=120)

    return measure


def _long_request(messages: Messages) -> dict[str, object]:
    first = {"role": "system", "content": f"{FIRST_WORDS.decode()} {words(3000, 0)}"}
    last = {"role": "user", "content": "what do you make of it?"}
    return {"messages": [first, *messages(), last], "model": "gpt-4o-mini"}


TEXT_AREA = "TextArea and tree-sitter"
RICH = "rich.json in a Static"
ROWS = [
    Row(
        7,
        "key in an answer of 10 KB",
        TEXT_AREA,
        1,
        typed_in_answer(SMALL),
        typed_in_text_area(SMALL),
    ),
    Row(
        8,
        "key in an answer of 200 KB",
        TEXT_AREA,
        0.5,
        typed_in_answer(LARGE),
        typed_in_text_area(LARGE),
    ),
    # A few long strings cost rich.json nothing: less than a screen of Textual's takes.
    Row(
        9, "request of 1 MB, 60 messages", RICH, None, opened(few_long), opened_in_static(few_long)
    ),
    Row(
        9,
        "request of 1 MB, 4,000 messages",
        RICH,
        0.1,
        opened(many_short),
        opened_in_static(many_short),
    ),
    Row(9, "the same as JSON", RICH, 0.1, opened(many_short, "]]"), opened_in_static(many_short)),
]
