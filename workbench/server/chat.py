"""The chat route: which answer a request gets, when, and how it is sent."""

from __future__ import annotations

from typing import Final

from workbench.core import requests
from workbench.core.digest import RequestError
from workbench.core.digest import digest as request_digest
from workbench.core.log import load_failed_line, miss_lines, note_line, served_line
from workbench.core.reply import Answer
from workbench.core.reply import answer as find_answer
from workbench.core.requests import Payload
from workbench.core.wire import Frame, Profile
from workbench.io.store import FixtureStore
from workbench.server.delays import Delays
from workbench.server.http import RefusedError, Request, Stop
from workbench.server.log import Clock, LogSink
from workbench.server.render import Renderer
from workbench.server.sending import STREAM, Sender

_VERIFY: Final = b"x-workbench-verify"


class ChatRoute:
    """Answers chat completions from fixtures.

    Args:
        store: the fixtures.
        profile: how replies look on the wire.
        delays: for requests that ask for none.
        log: gets the lines of the reference server.
        stop: ends all delays.
    """

    def __init__(
        self,
        store: FixtureStore,
        profile: Profile,
        delays: Delays,
        log: LogSink,
        clock: Clock,
        sender: Sender,
        stop: Stop,
    ) -> None:
        self._store = store
        self._renderer = Renderer(profile)
        self._delays = delays
        self._log = log
        self._clock = clock
        self._sender = sender
        self._stop = stop

    async def __call__(self, request: Request) -> None:
        payload = await request.payload()
        try:
            digest = request_digest(payload)
            answer = find_answer(payload, digest, self._store.load)
            lines = "" if request.headers.get(_VERIFY) == b"1" else self._lines(answer, payload)
        except RequestError as error:
            raise RefusedError(400, error.code, str(error)) from None
        delays = self._delays.of(request.headers)
        if delays.total_ms:
            # Who reads the log learns of a miss when it is asked, not when it is answered.
            self._log.write(lines)
            lines = ""
            await request.wait(delays.total_ms / 1000, self._stop.future)
        created = self._clock.second()
        if not requests.asks_stream(payload):
            body = self._renderer.body(answer, created, stream=False)
            await self._sender.json(request, 200, body, lines)
        elif not delays.chunk_ms:
            body = self._renderer.body(answer, created, stream=True)
            await self._sender.start(request, STREAM, lines)
            await request.send(body)
        else:
            frames = self._renderer.profile.frames(answer, created)
            await self._sender.start(request, STREAM, lines)
            await self._send_paced(request, frames, delays.chunk_ms)

    def _lines(self, answer: Answer, payload: Payload) -> str:
        """What the log says about an answer."""
        lines = "".join(map(note_line, answer.problems))
        if answer.broken is not None:
            path = str(self._store.path(answer.digest))
            lines += load_failed_line(path, f"{answer.broken.place}: {answer.broken}")
        if answer.source == "fixture":
            lines += served_line(answer.digest)
        elif answer.source == "fallback":
            lines += miss_lines(answer.digest, payload)
        return lines

    async def _send_paced(self, request: Request, frames: list[Frame], delay_ms: int) -> None:
        for frame in frames:
            if frame.paced:
                await request.wait(delay_ms / 1000, self._stop.future)
            await request.send(frame.data, more=True)
        await request.send(b"")
