"""The fixtures whose stored requests were edited in their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.fixture.document import whole_request
from workbench.core.fixture.names import digest_of, is_variant, short_name, variant_name, variant_of
from workbench.core.request_body import RequestError
from workbench.session.rekey.plan import LeftOut, Rekey, RekeyPlan

if TYPE_CHECKING:
    from workbench.session.session import Session


def plan_edited(session: Session) -> RekeyPlan:
    """How to rename each fixture whose stored request was edited, according to that request.
    Variants are renamed with it.
    """
    files: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    left_out: list[LeftOut] = []
    names = sorted(session.store.fixtures())
    taken = set(names)
    moved: dict[str, str] = {}
    for name in names:
        new = _name_of_edited(name, session.store.current(name) or {})
        if new == name and is_variant(name) and digest_of(name) in moved:
            new = f"{moved[digest_of(name)]}.{variant_of(name)}"
        if new == name:
            continue
        if new is None:
            digest = (session.store.current(name) or {})["request_digest"]
            reason = f"the file {short_name(name)} was renamed, but its request is the old one."
            left_out.append(LeftOut(digest, reason))
        elif new in taken:
            reason = f"it has a fixture already, and {short_name(name)} is another one."
            left_out.append(LeftOut(new, reason))
        else:
            taken.add(new)
            files[digest_of(name), digest_of(new)].append((name, new))
            if not is_variant(name):
                moved[name] = new
    rekeys = (
        Rekey(old, new, is_copy=False, files=tuple(pairs), is_edited=True)
        for (old, new), pairs in files.items()
    )
    return RekeyPlan(tuple(rekeys), tuple(left_out))


def _name_of_edited(name: str, fixture: Mapping[str, Any]) -> str | None:
    """The name that a fixture gets by the request it stores; None where its file was renamed."""
    request = whole_request(fixture)
    try:
        digest = digest_of(name) if request is None else request.digest
    except RequestError:
        return name  # it has no digest, which validate reports
    if request is None:
        return name
    if digest != digest_of(name) and fixture.get("request_digest") == digest:
        return None
    return variant_name(digest, request) if is_variant(name) else digest
