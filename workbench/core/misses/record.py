"""A miss as commands print it and the control API sends it: a JSON object."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, Self

from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.misses.miss import Miss, MissFacts
from workbench.core.requests.view import Payload

RecordState = Literal["missing", "broken", "answered", "unsupported"]
# Keys of a record that are left out where they have no value.
_OPTIONAL: Final = frozenset({"method", "path", "reason", "advice", "requests"})


@dataclass(kw_only=True)
class MissRecord(MissFacts):
    """The present state of a miss.

    One without a digest is an unsupported request, described by ``method``, ``path``, ``reason``
    and ``advice``.

    Attributes:
        digest: The digest of the request, which is the name of its fixture. null for an
            unsupported request.
        has_dump: true if the log contains the request.
        state: "missing", "broken", "answered" or "unsupported".
        ignored: true if ``workbench-ignore.txt`` lists the request.
        held: true if a client is waiting for the answer.
        variants: The number of requests with this digest that differ in tools or output format.
        method, path: Of an unsupported request.
        reason: Why the request is not supported.
        advice: What to do about an unsupported request, one line per client.
        requests: The requests with this digest. Only in the answer of the control API for one miss.
    """

    digest: str | None
    has_dump: bool = False
    state: RecordState = "missing"
    ignored: bool = False
    held: bool = False
    variants: int = 0
    method: str | None = None
    path: str | None = None
    reason: str | None = None
    advice: list[str] | None = None
    requests: list[dict[str, Any]] | None = None

    @classmethod
    def of(cls, miss: Miss, payload: Payload | None = None, **values: Any) -> Self:
        """The record of a miss.

        Args:
            payload: one of its requests; None if no dump was seen, or if it is unsupported.
            values: what depends on more than the miss: ``state``, ``ignored``, ``held``,
                ``requests``.
        """
        values |= miss.facts()
        if (unsupported := miss.unsupported) is not None:
            return cls(
                digest=None,
                state="unsupported",
                method=unsupported.method,
                path=unsupported.path,
                reason=unsupported.reason,
                advice=unsupported.advice,
                **values,
            )
        if payload is not None:
            values["last_user_text"] = view(payload).last_user_text
        has_dump = payload is not None
        return cls(digest=miss.digest, has_dump=has_dump, variants=len(miss.dumps), **values)

    @property
    def unsupported(self) -> UnsupportedRequest | None:
        """The request of a record without a digest; None for one with a digest."""
        if self.method is None or self.path is None:
            return None
        return UnsupportedRequest(self.method, self.path, self.reason or "")

    @property
    def is_open(self) -> bool:
        """True if it still needs an answer or a change: no usable fixture answers it, and it is not
        ignored. Such requests fail a build.
        """
        return self.state != "answered" and not self.ignored

    def record(self) -> dict[str, Any]:
        """The JSON object; its ``test`` is the first of ``tests``."""
        first = self.tests[0] if self.tests else None
        values = {"digest": self.digest, **asdict(self), "test": first}
        return {k: v for k, v in values.items() if v is not None or k not in _OPTIONAL}
