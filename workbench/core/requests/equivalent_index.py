"""An index of stored requests by their canonical forms."""

from __future__ import annotations

from workbench.core.digest import RequestError, digest
from workbench.core.requests.equivalence import canonical_form, without_call_ids
from workbench.core.requests.view import RequestView


def form_digest(request: RequestView) -> str:
    """The digest of the canonical form of a request. Raises RequestError as ``request.digest``."""
    return digest(canonical_form(request.canonical._asdict()))


class EquivalentIndex:
    """The requests of fixtures. Holds hashes, not requests."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[str, ...]] = {}
        # The fixtures of each canonical form, with whether only the ids of calls differ.
        self._fixtures: dict[str, dict[str, bool]] = {}

    def add(self, name: str, request: RequestView | None) -> None:
        """Add or replace a fixture.

        Args:
            name: its digest.
            request: as it stores it; None if it stores none or that of another digest. Then its
                request may be in canonical form.
        """
        self.remove(name)
        self._keys[name] = keys = _keys(name, request)
        for number, key in enumerate(keys):
            self._fixtures.setdefault(key, {})[name] = number > 0

    def remove(self, name: str) -> None:
        """Forget a fixture, if it is known."""
        for key in self._keys.pop(name, ()):
            fixtures = self._fixtures[key]
            del fixtures[name]
            if not fixtures:
                del self._fixtures[key]

    def find(self, form: str) -> list[str]:
        """The fixtures that answer the requests of a canonical form, the best first.

        Args:
            form: its digest, from ``form_digest``.
        """
        found = self._fixtures.get(form, {})
        return sorted(found, key=lambda name: (found[name], name))


def _keys(name: str, request: RequestView | None) -> tuple[str, ...]:
    """The digests of the canonical form: as it is, and as a client writes it that sends no ids."""
    try:
        if request is None or request.digest != name:
            return (name,)
        form = canonical_form(request.canonical._asdict())
        return tuple(dict.fromkeys((digest(form), digest(without_call_ids(form)))))
    except RequestError:
        return (name,)
