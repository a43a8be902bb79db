"""The file of a fixture that was re-keyed: its new request, and every other byte of the old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import api_of, view
from workbench.core.fixture.description import redescribed
from workbench.core.fixture.document import FixtureDocument, set_key, stored_request, whole_request
from workbench.core.fixture.names import file_name, short_name, variant_name, variant_of
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload, RequestView
from workbench.session.answers.decisions import SecretFoundError
from workbench.session.rekey.plan import Rekey, RekeyRefusedError

if TYPE_CHECKING:
    from workbench.core.fixture.findings import Finding
    from workbench.session.session import Session


def new_text(session: Session, rekey: Rekey, old: str, new: str) -> str:
    """The text of a new file. Raises RekeyRefusedError where the old one is not a fixture."""
    try:
        document = session.store.document(old)
        request = new_request(session, rekey, document.value, new)
        document = _redescribed(session, document, rekey, request)
        return rekeyed(document, rekey.new, request).text
    except FileNotFoundError:
        raise RekeyRefusedError(f"there is no fixture {short_name(old)} any more") from None
    except OSError as error:
        raise RekeyRefusedError(
            f"the fixture {short_name(old)} cannot be read: {error.strerror}"
        ) from None
    except FixtureError as error:
        raise RekeyRefusedError(f"the fixture {short_name(old)} cannot be read: {error}") from None


def secret_in(session: Session, rekey: Rekey) -> str:
    """A warning of what looks like a secret in the new files; "" for none."""
    from workbench.core.fixture import rules

    of_secrets: list[Finding] = []
    try:
        for old, new in rekey.files:
            of_secrets += rules.secrets_in(new_text(session, rekey, old, new), file_name(new))
    except RekeyRefusedError:
        return ""  # reported when it is carried out
    return str(SecretFoundError(of_secrets)) if of_secrets else ""


def _redescribed(
    session: Session, document: FixtureDocument, rekey: Rekey, request: Payload | None
) -> FixtureDocument:
    """``document`` with a description of the new request, unless a person wrote another."""
    is_in_log = not rekey.is_edited and rekey.request is None
    payload = session.miss_index.payload(rekey.new) if is_in_log else request
    request_view = None if payload is None else view(payload)
    return redescribed(document, request_view, session.miss_index.test_of(rekey.new))


def new_request(
    session: Session, rekey: Rekey, fixture: Mapping[str, Any], new: str
) -> Mapping[str, Any] | None:
    """The request that the new file stores; None for none."""
    if rekey.request is not None:
        return session.drafting.stored(rekey.request)
    stored = whole_request(fixture)
    if rekey.is_edited:
        if stored is not None and stored.digest == rekey.new:
            return stored.payload
        edited = whole_request(session.store.document(rekey.old).value)
        return None if edited is None else _for_other_tools(edited.payload, fixture, new)
    payloads = session.miss_index.payloads(rekey.new)
    number = _number_of(list(map(view, payloads)), rekey, fixture, new)
    if number is not None:
        return session.drafting.request_to_store(rekey.new, number)
    return session.drafting.stored(_for_other_tools(payloads[0], fixture, new))


def _number_of(
    requests: Sequence[RequestView], rekey: Rekey, fixture: Mapping[str, Any], new: str
) -> int | None:
    """The number of the request for a new file; None for a variant that was not requested."""
    variants = [request.variant for request in requests]
    if variant := variant_of(new):
        return variants.index(variant) if variant in variants else None
    stored = stored_request(fixture)
    if stored is not None and stored.variant in variants:
        return variants.index(stored.variant)
    taken = {variant_of(name) for _, name in rekey.files}
    return next((number for number, other in enumerate(variants) if other not in taken), 0)


def _for_other_tools(payload: Payload, fixture: Mapping[str, Any], name: str) -> Payload | None:
    """``payload`` with the tools and the output format of the request that a variant stores; None
    if they are unknown, or in another API's format.
    """
    stored, api = stored_request(fixture), api_of(payload)
    if stored is None or api_of(stored.payload) is not api:
        return None
    kept = api.request.DEMANDS - {"model"}
    made = {
        **{key: value for key, value in payload.items() if key not in kept},
        **{key: value for key, value in stored.payload.items() if key in kept},
    }
    return made if variant_name(view(made).digest, view(made)) == name else None


def rekeyed(
    document: FixtureDocument, digest: str, request: Mapping[str, Any] | None
) -> FixtureDocument:
    """``document`` with another request and digest, every other byte as it was.

    Args:
        request: the new stored request; None removes the old one.
    """
    value = dict(document.value)
    if "request_digest" in value:
        value["request_digest"] = digest
    if request is not None:
        value = set_key(value, "request", request, FIXTURE_FORM)
    else:
        value.pop("request", None)
    return document.with_value(value)
