"""Sessions to test with, and logs to feed them."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.events import LogEvent
from workbench.core.log.lines import listening_line, miss_lines
from workbench.core.log.reader import LogParser
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.misses.states import state_of
from workbench.session.session import Session
from workbench.session.undo import undone_sentence

LISTENING = listening_line("http://127.0.0.1:7899", "fixtures")


def chat(text: str = "hello", **more: object) -> dict[str, Any]:
    """A request of one user message."""
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **more}


def second_turn(text: str = "hello", answer: str = FALLBACK_TEXT) -> dict[str, Any]:
    """The request that follows ``chat(text)`` once that was answered."""
    more = [{"role": "assistant", "content": answer}, {"role": "user", "content": "and now?"}]
    return {"model": "gpt-4o", "messages": [*chat(text)["messages"], *more]}


def tool(name: str = "get_weather", **schema: object) -> dict[str, Any]:
    """An offered tool that takes a city."""
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        **schema,
    }
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def missed(*payloads: dict[str, Any]) -> str:
    """The lines of the log where each of ``payloads`` is a miss."""
    return "".join(miss_lines(digest(payload), payload) for payload in payloads)


def hash_line(payload: dict[str, Any]) -> str:
    return miss_lines(digest(payload), payload).split("\n")[0] + "\n"


def dump_line(payload: dict[str, Any]) -> str:
    return miss_lines(digest(payload), payload).split("\n")[1] + "\n"


def access_line(time: str) -> str:
    """An access line of the 20th of November 2026."""
    return f'127.0.0.1 - - [20/Nov/2026 {time}] "POST /v1/chat/completions HTTP/1.1" 200 -\n'


def parse(*slices: bytes | str) -> list[LogEvent]:
    """The events of a log that comes in slices."""
    parser = LogParser()
    # A lone surrogate is logged as its escape.
    data = [p.encode("utf-8", "backslashreplace") if isinstance(p, str) else p for p in slices]
    return [event for piece in data for event in parser.feed(piece)] + parser.close()


def open_session(folder: Path, *, store_request: bool = True) -> Session:
    """A session in ``folder``, to be closed."""
    return Session(
        FixtureStore(folder / "fixtures"),
        StateFolder(folder / ".workbench"),
        store_request=store_request,
    )


def undo(session: Session) -> tuple[str, list[str]]:
    """Take back the last decision; returns what that did, and the digests."""
    steps = list(session.undo())
    return undone_sentence(steps), [step.digest for step in steps]


def take(session: Session, *slices: bytes | str) -> set[str]:
    """Let a session read a log; returns what changed."""
    return session.take_log(session.intake.read(parse(*slices)))


def asked(session: Session, *payloads: dict[str, Any]) -> list[str]:
    """Let a session see ``payloads`` missed; returns their digests."""
    take(session, missed(*payloads))
    return [digest(payload) for payload in payloads]


def write(session: Session, found: str, data: bytes | str) -> Path:
    """Write a fixture file as another program would, and let the session notice."""
    path = session.store.path(found)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    session.take_files([path.name])
    return path


def store(session: Session, payload: dict[str, Any], answer: str = "nothing") -> str:
    """Write the fixture of a request; returns its digest."""
    found = digest(payload)
    write(session, found, new_document(found, {"content": answer}, request=payload).text)
    return found


def delete(session: Session, found: str) -> None:
    """Delete a fixture file as another program would, and let the session notice."""
    path = session.store.path(found)
    path.unlink()
    session.take_files([path.name])


def answer_with(session: Session, found: str, content: str) -> None:
    """Type ``content`` into the draft."""
    draft = session.drafting.open(found)
    response = {**draft.document.response, "content": content}
    draft.set_text(draft.document.with_response(response).text)


@contextlib.contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """Inside, no file can grow beyond ``room`` bytes: writing more fails, all else goes on."""
    limit, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))


def words_of(session: Session, digests: Iterable[str]) -> list[str]:
    """The words that the list shows for the states of rows."""
    return [state_of(session, digest).word for digest in digests]
