"""Requests without a fixture that wait for one instead of getting the fallback."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from workbench.core.answering.errors import RefusedError
from workbench.core.control_api import HeldRequest
from workbench.core.fixture.names import answers, is_variant
from workbench.core.fixture.other_fixture import OtherFixture
from workbench.core.replies.answer import Answer
from workbench.core.replies.fixture_form import RESPONSE_FORM
from workbench.core.replies.response import FixtureError, fixture_reply
from workbench.core.requests.equivalence import Forms
from workbench.core.requests.view import RequestView
from workbench.core.text.digests import short
from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.server.events import Events
from workbench.server.log import LogSink, broken_line
from workbench.server.long_work import Turns

DEFAULT_SECONDS: Final = 300.0
MAX_SECONDS: Final = 86_400.0
EXTENSION_SECONDS: Final = 300.0
# Nothing is sent for QUIET_SECONDS, so that a quick answer can still have any status; after that a
# sign is sent every SIGN_SECONDS, so that clients do not time out.
QUIET_SECONDS: Final = 3.0
SIGN_SECONDS: Final = 2.0
# The same as a share of the time that a client surely waits, where that is known.
PATIENCE_SHARE: Final = 0.8
# A client that repeats its request within this time after it hung up, or was cut off, counts as the
# same one.
RETRY_SECONDS: Final = 10.0
# How often files are looked at, and the share of the time that this may take.
LOOK_SECONDS: Final = 0.05
LOOK_SHARE: Final = 0.05
MAX_PAUSE_SECONDS: Final = 2.0

# Digest and variant of a request: each has a fixture of its own.
_Key = tuple[str, str]
How = Literal["saved", "answered", "released", "timed out"]


class Verdict(NamedTuple):
    """The outcome of a wait.

    Attributes:
        fixture: what all clients are answered from; None: they get what a miss gets.
        other: that fixture, if it belongs to an equivalent request.
    """

    how: How
    fixture: Mapping[str, Any] | None = None
    other: OtherFixture | None = None


@dataclass(slots=True)
class HeldMiss:
    """A request that has no fixture, and the clients that wait for one.

    Attributes:
        since, gives_up_at, left_at, ended_at: times of the monotonic clock; ``left_at`` is when the
            last client hung up, ``ended_at`` when the verdict was given. 0 for not yet.
        request: the request of its first client; others differ in nothing that a reply depends on.
        begun: how many clients have the beginning of their response, and so its status.
        stamp: the last known state of the fixture's file.
        problem: why that file could not be used, or "".
    """

    id: str
    digest: str
    request: RequestView
    forms: Forms
    since: float
    gives_up_at: float
    problem: str
    verdict: asyncio.Future[Verdict]
    stamp: FileStamp | None = None
    clients: int = 0
    begun: int = 0
    left_at: float = 0.0
    ended_at: float = 0.0

    def quiet_seconds(self, patience: float | None) -> float:
        """Seconds until the response of a client that joins now begins; not above 0: at once.

        Args:
            patience: for how many seconds it surely waits; None: not known.
        """
        if patience is None or self.left_at:  # it may be the client that gave up
            return self.since + QUIET_SECONDS - time.monotonic()
        return patience * PATIENCE_SHARE

    @property
    def key(self) -> _Key:
        return _key(self.request)

    @property
    def age(self) -> float:
        """Seconds from the first client's request to the verdict, or until now."""
        return (self.ended_at or time.monotonic()) - self.since

    def record(self) -> dict[str, Any]:
        """The held request as the control API returns it."""
        request = HeldRequest(
            id=self.id,
            digest=self.digest,
            age_s=round(self.age, 3),
            gives_up_in_s=round(self.gives_up_at - time.monotonic(), 3),
            stream=self.request.stream,
            clients=self.clients,
            begun=self.begun,
            variant=self.request.variant,
        )
        return request._asdict()


def _key(request: RequestView) -> _Key:
    return request.digest, request.variant


class _CutOff(NamedTuple):
    """A wait whose outcome could not be sent to a client, and the deadline for the client's
    retry.
    """

    held: HeldMiss
    until: float


class Hold:
    """The held requests and their deadlines. Used on the event loop only.

    Args:
        log: gets a line for each file that was saved for a held request and cannot be used; the
            request keeps waiting.
        is_possible: this server has misses that can wait.

    Attributes:
        enabled: new requests wait; turning it off does not release those that wait.
        timeout_s: how long they wait.
    """

    def __init__(
        self,
        fixtures: StoredFixtures,
        log: LogSink,
        events: Events,
        *,
        is_possible: bool,
    ) -> None:
        self.enabled = False
        self.timeout_s = DEFAULT_SECONDS
        self.is_possible = is_possible
        self._store = fixtures.store
        self._equivalents = fixtures.equivalents
        self._log = log
        self._events = events
        self._held: dict[_Key, HeldMiss] = {}
        self._cut_off: dict[tuple[_Key, Hashable], list[_CutOff]] = {}
        self._count = 0
        self._turns = Turns()
        self._watching: asyncio.Task[None] | None = None
        self._search: asyncio.Task[None] | None = None

    def holds(self, digest: str) -> bool:
        """True if a miss of ``digest`` is held; always true if other clients already wait
        for it.
        """
        return self.enabled or any(held.digest == digest for held in self._held.values())

    @property
    def digests(self) -> set[str]:
        """The digests that clients wait for."""
        return {held.digest for held in self._present()}

    def records(self) -> list[dict[str, Any]]:
        """The held requests, the longest waiting first."""
        return [held.record() for held in self._present()]

    def _present(self) -> list[HeldMiss]:
        return [held for held in self._held.values() if held.clients]

    @contextlib.contextmanager
    def join(self, miss: Answer, forms: Forms) -> Iterator[HeldMiss]:
        """A context in which a client waits, with the other clients of the same ``miss``.

        Args:
            forms: the digests of the canonical form of its request.
        """
        held = self._held.get(_key(miss.request)) or self._new(miss, forms)
        held.clients += 1
        self._events.publish("held", held.record())
        try:
            yield held
        finally:
            held.clients -= 1
            if not held.verdict.done():
                held.left_at = time.monotonic()
                self._events.publish("held" if held.clients else "gone", held.record())

    @contextlib.contextmanager
    def begin(self, held: HeldMiss) -> Iterator[None]:
        """A context in which the response of a waiting client has begun."""
        held.begun += 1
        self._events.publish("held", held.record())
        try:
            yield
        finally:
            held.begun -= 1

    # Clients that were cut off

    def cut_off(self, held: HeldMiss, asker: Hashable) -> None:
        """Remember the outcome of a wait for a client whose response began before it was an error,
        and so breaks off. (That of a saved fixture is in its file.)

        Args:
            asker: what distinguishes the client from others.
        """
        how = held.verdict.result().how
        self._events.publish("cut_off", {**held.record(), "how": how})
        if how == "saved":
            return
        now = time.monotonic()
        self._cut_off = {
            key: left
            for key, entries in self._cut_off.items()
            if (left := [entry for entry in entries if entry.until > now])
        }
        entries = self._cut_off.setdefault((held.key, asker), [])
        entries.append(_CutOff(held, now + RETRY_SECONDS))

    def returned(self, request: RequestView, asker: Hashable) -> HeldMiss | None:
        """The wait of a client that was cut off and retries, returned once for each cut."""
        if not self._cut_off:  # the variant of a request with many tools takes a moment
            return None
        entries = self._cut_off.get((_key(request), asker), [])
        while entries:
            entry = entries.pop(0)
            if entry.until > time.monotonic():
                return entry.held
        return None

    def _new(self, miss: Answer, forms: Forms) -> HeldMiss:
        self._count += 1
        now = time.monotonic()
        held = self._held[_key(miss.request)] = HeldMiss(
            id=f"{short(miss.digest)}-{self._count}",
            digest=miss.digest,
            request=miss.request,
            forms=forms,
            since=now,
            gives_up_at=now + self.timeout_s,
            problem=str(miss.broken or ""),
            verdict=asyncio.get_running_loop().create_future(),
        )
        if self._watching is None:
            self._watching = asyncio.ensure_future(self._watch())
        return held

    # Decisions

    def answer_once(self, key: str, response: dict[str, Any]) -> None:
        """Give ``response`` of a fixture to the clients of held request ``key``, without saving.

        Raises:
            RefusedError: there is none.
            FixtureError: no reply can be made of it.
        """
        held = self._find(key)
        if response.keys().isdisjoint(RESPONSE_FORM.names):  # of a whole fixture, for example
            keys = ", ".join(RESPONSE_FORM.names)
            raise FixtureError("content-missing", f"the response has none of the keys {keys}")
        fixture = {"response": response}
        fixture_reply(fixture)
        self._end(held, Verdict("answered", fixture))

    def release(self, key: str) -> None:
        """Release a held request with the reply of a miss. Raises RefusedError."""
        self._end(self._find(key), Verdict("released"))

    def release_all(self) -> None:
        """Release all held requests, and turn hold off."""
        self.enabled = False
        for held in list(self._held.values()):
            self._end(held, Verdict("released"))

    def extend(self, key: str, seconds: float) -> dict[str, Any]:
        """Let them wait ``seconds`` longer; returns the record. Raises RefusedError."""
        held = self._find(key)
        held.gives_up_at += seconds
        record = held.record()
        self._events.publish("held", record)
        return record

    def _find(self, key: str) -> HeldMiss:
        for held in self._present():
            if held.id == key:
                return held
        raise RefusedError(404, "not_held", f"no held request has the id {key!a}")

    def _end(self, held: HeldMiss, verdict: Verdict) -> None:
        del self._held[held.key]
        held.ended_at = time.monotonic()
        held.verdict.set_result(verdict)
        kind = "released" if verdict.fixture is None else "answered"
        self._events.publish(kind, {**held.record(), "how": verdict.how})

    # Files and time

    async def _watch(self) -> None:
        pause = LOOK_SECONDS
        while self._held:
            await asyncio.sleep(pause)
            begun = time.monotonic()
            for held in list(self._held.values()):
                if self._held.get(held.key) is held:  # it may end while another one is read
                    await self._look(held, begun)
            if self._search is None or self._search.done():
                self._search = asyncio.ensure_future(self._search_equivalents())
            pause = _pause_after(begun)
        self._watching = None

    async def _look(self, held: HeldMiss, now: float) -> None:
        if not held.clients and now >= held.left_at + RETRY_SECONDS:
            del self._held[held.key]
        elif now >= held.gives_up_at:
            self._end(held, Verdict("timed out"))
        else:
            with contextlib.suppress(OSError):  # a folder that cannot be read may be mended
                await self._look_at_file(held)

    async def _look_at_file(self, held: HeldMiss) -> None:
        name = self._store.name_for(held.digest, held.request)
        stamp = self._store.stamp(name)
        if stamp == held.stamp:
            return
        held.stamp = stamp
        problem, size = "", 0 if stamp is None else stamp.size
        try:
            fixture = await self._turns.of(size, self._saved, held, name)
            if fixture is not None and self._held.get(held.key) is held:
                self._end(held, Verdict("saved", fixture))
        except FixtureError as error:
            problem = str(error)
            if problem != held.problem:
                self._log.write(broken_line(self._store, name, error))
        held.problem = problem

    def _saved(self, held: HeldMiss, name: str) -> Mapping[str, Any] | None:
        """The fixture that was saved for a held request; None where there is none, or one that was
        made for other tools and calls them. Raises FixtureError if it cannot be used.
        """
        fixture = self._store.load(name)
        if fixture is None:
            return None
        fixture_reply(fixture)
        return fixture if is_variant(name) or answers(fixture, held.request) else None

    async def _search_equivalents(self) -> None:
        """Answer what the fixture of an equivalent request answers.

        In a thread, while other files are looked at: thousands may have changed at once, as by git
        checkout.
        """
        begun = time.monotonic()
        for held in list(self._held.values()):
            if self._equivalents.is_being_read:
                return  # the next search follows soon
            if held.stamp is not None:
                continue  # its own file is there
            of_forms = self._equivalents.of_forms
            other = await asyncio.to_thread(of_forms, held.forms, held.request)
            if other is not None and self._held.get(held.key) is held:
                self._end(held, Verdict("saved", other.fixture, other))
        await asyncio.sleep(_pause_after(begun))


def _pause_after(begun: float) -> float:
    """Seconds until the next look, after one that began then."""
    share = (time.monotonic() - begun) / LOOK_SHARE
    return min(max(LOOK_SECONDS, share), MAX_PAUSE_SECONDS)
