"""Adopt: store requests of a log in the fixtures that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.table import view
from workbench.core.fixture.document import set_key, stored_request, whole_request
from workbench.core.fixture.names import offers_calls
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.io.fixture.store import FixtureChangedError

if TYPE_CHECKING:
    from workbench.session.session import Session


_PARTIAL: Final = "The fixture leaves out the messages of its request, which is not in the log."


@dataclass
class Adoption:
    """The results for the fixtures without a request, by their names.

    Attributes:
        adopted: fixtures whose request was stored.
        unknown: fixtures whose request is not in the log.
        left_out: fixtures whose request cannot be stored, each with the reason.
        partial: fixtures that contain their requests without the messages, now or before, each with
            a sentence.
    """

    adopted: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    partial: list[tuple[str, str]] = field(default_factory=list)


def adopt(session: Session, *, dry_run: bool = False) -> Adoption:
    """Store the requests of a log in the fixtures of the folder that hold none, every other byte of
    their files as it was. Raises OSError where the folder cannot be read.

    Args:
        dry_run: write nothing.
    """
    adoption = Adoption()
    for name in sorted(session.store.fixtures()):
        value = session.store.current(name)
        if value is None:
            adoption.left_out.append((name, "the file cannot be read."))
        elif whole_request(value) is None:
            has_part = stored_request(value) is not None
            payload = _payload_of(session, name, value)
            remark = session.drafting.remark(payload)
            if has_part and (remark or payload is None):
                adoption.partial.append((name, remark or _PARTIAL))
                continue
            if payload is None:
                adoption.unknown.append(name)
            elif problem := _problem_of(session, name, payload, dry_run=dry_run):
                adoption.left_out.append((name, problem))
            else:
                adoption.adopted.append(name)
                if remark:
                    adoption.partial.append((name, remark))
    return adoption


def _payload_of(session: Session, name: str, fixture: Mapping[str, Any]) -> Payload | None:
    """The request in the log that a fixture was made for; None where that is not known."""
    requests = session.drafting.requests_of(name)
    stored = stored_request(fixture)
    if stored is not None:
        requests = [payload for payload in requests if view(payload).variant == stored.variant]
    calling = (payload for payload in requests if offers_calls(view(payload), fixture))
    return next(calling, next(iter(requests), None))


def _problem_of(session: Session, name: str, payload: Payload, *, dry_run: bool) -> str:
    """Store the request of one fixture; returns why that is not possible, "" where it is."""
    request = session.drafting.stored(payload)
    if request is None:
        return session.drafting.remark(payload) or "store_request is false."
    try:
        stamp, document = session.store.stamp(name), session.store.document(name)
        text = document.with_value(set_key(document.value, "request", request, FIXTURE_FORM)).text
        if not dry_run:
            session.store.save(name, text.encode("utf-8"), expected=stamp)
    except (FixtureError, FixtureChangedError) as error:
        return f"{error}."
    except OSError as error:
        return f"cannot be written: {error.strerror}."
    return ""
