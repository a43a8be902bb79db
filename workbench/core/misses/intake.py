"""The slow part of reading the events of a log: digests, and dumps that are kept elsewhere.

It may run in a thread; ``MissIndex`` takes the result, and is cheap to update and query.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from workbench.core.apis.table import view
from workbench.core.log.events import LogEvent, MissLogged, RequestLogged, Unreadable
from workbench.core.misses.index import Dumps, IntakeEvent, ReportedMiss
from workbench.core.misses.miss import Dump, interned, request_facts
from workbench.core.misses.row_texts import RowTexts
from workbench.core.request_body import RequestError, parse_request
from workbench.core.requests.conversations import beginnings, quoted_answers
from workbench.core.requests.equivalence import Forms, form_digests
from workbench.core.requests.view import RequestView
from workbench.core.secrets.bodies import may_be_named
from workbench.core.written.named_in_request import without_credentials

if TYPE_CHECKING:
    from workbench.core.misses.record import MissRecord


class LogIntake:
    """Prepares log events for a ``MissIndex``. A dump seen before costs one hash."""

    def __init__(self, dumps: Dumps) -> None:
        self._dumps = dumps
        self._seen: dict[bytes, Dump] = {}
        # The digest of the last hash line, usually the digest of the next dump as well.
        self._missed = ""
        self._hashes: set[str] = set()

    def read(self, events: Iterable[LogEvent]) -> list[IntakeEvent]:
        return list(map(self._take, events))

    def read_record(self, record: MissRecord) -> ReportedMiss:
        """A miss as a server reports it; its requests are kept as dumps."""
        texts = (json.dumps(payload).encode("ascii") for payload in record.requests or ())
        dumps = map(self._dump, texts)
        return ReportedMiss(record, [dump for dump in dumps if isinstance(dump, Dump)])

    def _take(self, event: LogEvent) -> IntakeEvent:
        if isinstance(event, RequestLogged):
            return self._dump(event.dump)
        if isinstance(event, MissLogged):
            self._missed = event.digest
            self._hashes.add(event.digest)
        return event

    def _dump(self, text: bytes) -> Dump | Unreadable:
        key = hashlib.blake2b(text, digest_size=16).digest()
        dump = self._seen.get(key)
        if dump is None:
            try:
                request, kept = self._request(text)
                digest, forms = request.digest, form_digests(request)
            except RequestError as error:
                return Unreadable(str(error))
            digest = self._missed if digest == self._missed else digest
            begun = list(beginnings(request))
            dump = self._seen[key] = Dump(
                digest=digest,
                variant=interned(request.variant),
                place=self._dumps.put(kept),
                facts=request_facts(request),
                forms=Forms(*(digest if form == digest else form for form in forms)),
                messages=begun[-1] if begun else b"",
                quoted=tuple(quoted_answers(request, begun)),
                texts=RowTexts.of(request),
            )
        return dump

    def _request(self, dump: bytes) -> tuple[RequestView, bytes]:
        """The request of a dump, and the dump as it may be kept. If another program changed the
        dump, the hash line is used to restore it. Raises RequestError.
        """
        problem, first = RequestError("", ""), None
        try:
            first = _without_credentials(dump)
            if first[0].digest in self._hashes:
                return first
        except RequestError as error:
            problem = error
        from workbench.core.log.wrapped import other_readings  # most dumps are unchanged

        for reading in other_readings(dump):
            with suppress(RequestError):
                read = _without_credentials(reading)
                if read[0].digest in self._hashes:
                    return read
                first = first or read
        if first is None:
            raise problem
        return first


def _without_credentials(dump: bytes) -> tuple[RequestView, bytes]:
    """The request of a dump, and the dump as it may be kept. Raises RequestError."""
    payload = parse_request(dump)
    if not may_be_named(dump) or (shown := without_credentials(payload)) is payload:
        return view(payload), dump
    return view(shown), json.dumps(shown).encode("ascii")
