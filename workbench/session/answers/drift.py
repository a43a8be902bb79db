"""Drift: send the requests of fixtures to the real model again, and compare the replies' shapes.

The shape is the part of a reply that an application relies on, independent of the words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from workbench.core.fixture.document import is_partial, new_document
from workbench.core.fixture.names import digest_of, variant_of
from workbench.core.fixture.rules import Context, check
from workbench.core.replies.response import FixtureError, fixture_reply
from workbench.core.request_body import RequestError
from workbench.core.requests.view import Payload
from workbench.io.fixture.store import FixtureStore
from workbench.session.answers.upstream import NoAnswerError, answer, open_upstream

if TYPE_CHECKING:
    from workbench.io.network.upstream import Upstream

State = Literal["same", "drifted", "failed", "skipped"]

# Requests on their way at one time.
JOBS: Final = 4
# The rules whose findings depend on the tools and the output format of the request.
_SHAPE_RULES: Final = frozenset(
    {
        "arguments-invalid-json",
        "arguments-not-object",
        "arguments-not-finite",
        "arguments-schema",
        "tool-not-offered",
        "tool-choice-violated",
        "response-format-violated",
    }
)


class ShapeDifference(NamedTuple):
    """One way in which two replies to a request differ.

    Attributes:
        what: ``tools``, ``finish reason``, ``refusal``, or the rule that only the later one breaks.
        before, after: in words.
    """

    what: str
    before: str
    after: str


class StoredReply(NamedTuple):
    """A stored reply to a stored request, and the model's present answer to it.

    Attributes:
        name: name of the fixture.
        state: None before the request was sent.
        reason: why the request was not sent, or got no reply.
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
                {"what": difference.what, "before": difference.before, "after": difference.after}
                for difference in self.differences
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
        why = "it stores no request; add the request with workbench adopt"
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
    """Send each request to the API at ``url`` again, with the key in ``WORKBENCH_UPSTREAM_KEY``.

    Args:
        on_reply: receives each reply with its state, in the order of arrival.
        jobs: number of concurrent requests.

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
        differences = await asyncio.to_thread(
            shape_differences, stored.request, stored.response, now
        )
    except (NoAnswerError, RequestError, FixtureError) as error:
        return stored._replace(state="failed", reason=str(error))
    return stored._replace(
        state="drifted" if differences else "same", differences=tuple(differences)
    )


def shape_differences(
    payload: Payload, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[ShapeDifference]:
    """The differences in shape of two replies to ``payload``, each a fixture's ``response``: the
    called tools, in any order, the finish reason, a refusal, and the validity of arguments and
    structured output under the request's schemas.

    Raises:
        FixtureError: a response cannot be sent.
    """
    replies = [fixture_reply({"response": response}) for response in (before, after)]
    aspects = {
        "tools": [", ".join(sorted(c.name for c in reply.calls)) or "none" for reply in replies],
        "finish reason": [str(reply.end_reason) for reply in replies],
        "refusal": ["yes" if reply.refusal else "no" for reply in replies],
    }
    changed = [
        ShapeDifference(what, *words) for what, words in aspects.items() if len({*words}) > 1
    ]
    violated = {rule for rule, _ in _violations(payload, before)}
    violations = _violations(payload, after)
    new = [ShapeDifference(r, "fits", why) for r, why in violations if r not in violated]
    return changed + new


def _violations(payload: Payload, response: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The parts of a response that do not fit the request, each as a rule and a message."""
    text = new_document("", response, request=payload).text
    for finding in check(text, Context()):
        if finding.rule in _SHAPE_RULES:
            yield finding.rule, finding.message
