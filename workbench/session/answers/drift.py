"""Drift: ask the real model again for the requests of fixtures, and compare the replies' shapes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from workbench.core.digest import RequestError
from workbench.core.fixture.document import is_partial
from workbench.core.fixture.names import digest_of, variant_of
from workbench.core.fixture.shape import ShapeDifference, shape_differences
from workbench.core.replies.response import FixtureError, fixture_reply
from workbench.io.fixture.store import FixtureStore
from workbench.session.answers.upstream import NoAnswerError, answer, open_upstream

if TYPE_CHECKING:
    from workbench.io.network.upstream import Upstream

State = Literal["same", "drifted", "failed", "skipped"]

# Requests on their way at one time.
JOBS: Final = 4


class StoredReply(NamedTuple):
    """A stored reply to a stored request, and how the model answers that now.

    Attributes:
        name: of the fixture.
        state: None before the model was asked.
        reason: why the model was not asked, or gave no reply.
    """

    name: str
    request: Mapping[str, Any]
    response: Mapping[str, Any]
    state: State | None = None
    differences: tuple[ShapeDifference, ...] = ()
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """The reply as a JSON object."""
        return {
            "digest": digest_of(self.name),
            "variant": variant_of(self.name) or None,
            "model": self.request.get("model"),
            "state": self.state,
            "differences": [
                {"what": one.what, "before": one.before, "after": one.after}
                for one in self.differences
            ],
            "reason": self.reason or None,
        }


def stored_replies(store: FixtureStore, names: Iterable[str]) -> Iterator[StoredReply]:
    """The replies that fixtures store, with those that cannot be compared as ``skipped``."""
    for name in names:
        try:
            fixture = store.document(name).value
        except (FixtureError, OSError) as error:
            yield StoredReply(name, {}, {}, "skipped", reason=f"it cannot be read: {error}")
            continue
        yield _stored(name, fixture.get("request"), fixture.get("response"))


def _stored(name: str, request: object, response: object) -> StoredReply:
    if not isinstance(request, dict):
        why = "it stores no request; workbench adopt LOG stores it"
        return StoredReply(name, {}, {}, "skipped", reason=why)
    if is_partial(request):
        why = "it stores its request without the messages"
        return StoredReply(name, request, {}, "skipped", reason=why)
    if not isinstance(response, dict):
        return StoredReply(name, request, {}, "skipped", reason="it has no response")
    stored = StoredReply(name, request, response)
    try:
        delivery = fixture_reply({"response": response}).delivery
    except FixtureError as error:
        return stored._replace(state="skipped", reason=str(error))
    if delivery.error is not None or delivery.disconnect_after is not None:
        return stored._replace(state="skipped", reason="it answers with an error on purpose")
    return stored


async def ask_again(
    url: str,
    replies: Iterable[StoredReply],
    on_reply: Callable[[StoredReply], None],
    *,
    jobs: int = JOBS,
) -> None:
    """Ask the API at ``url`` each request again. The key is that of ``WORKBENCH_UPSTREAM_KEY``.

    Args:
        on_reply: gets each reply with its state, in the order in which they come.
        jobs: how many requests are on their way at one time.

    Raises:
        NoAnswerError: no request can be sent there.
    """
    upstream = await asyncio.to_thread(open_upstream, url)
    slots = asyncio.Semaphore(jobs)

    async def ask(stored: StoredReply) -> None:
        async with slots:
            on_reply(await _compared(upstream, stored))

    try:
        async with asyncio.TaskGroup() as tasks:
            for stored in replies:
                tasks.create_task(ask(stored))
    finally:
        await upstream.close()


async def _compared(upstream: Upstream, stored: StoredReply) -> StoredReply:
    try:
        now = (await answer(upstream, stored.request)).response
        # In a thread: checking against a large schema takes a moment.
        found = await asyncio.to_thread(shape_differences, stored.request, stored.response, now)
    except (NoAnswerError, RequestError, FixtureError) as error:
        return stored._replace(state="failed", reason=str(error))
    return stored._replace(state="drifted" if found else "same", differences=tuple(found))
