"""An index of stored requests by their canonical forms."""

from __future__ import annotations

from workbench.core.digest import RequestError, digest
from workbench.core.requests.equivalence import canonical_form, without_call_ids
from workbench.core.requests.view import RequestView


class EquivalentIndex:
    """The requests of fixtures. Holds hashes, not requests. It may be searched in one thread while
    it is changed in another.
    """

    def __init__(self) -> None:
        self._forms: dict[str, tuple[str, ...]] = {}
        # The fixtures of each canonical form, sorted: those last whose calls have other ids.
        self._fixtures: dict[str, tuple[tuple[bool, str], ...]] = {}

    def add(self, name: str, request: RequestView | None) -> None:
        """Add or replace a fixture.

        Args:
            name: its digest.
            request: as it stores it; None if it stores none or that of another digest. Then its
                request may be in canonical form.
        """
        self.remove(name)
        self._forms[name] = forms = _forms(name, request)
        for number, form in enumerate(forms):
            known = self._fixtures.get(form, ())
            self._fixtures[form] = tuple(sorted((*known, (number > 0, name))))

    def remove(self, name: str) -> None:
        """Forget a fixture, if it is known."""
        for form in self._forms.pop(name, ()):
            self._fixtures[form] = tuple(f for f in self._fixtures[form] if f[1] != name)
            if not self._fixtures[form]:
                del self._fixtures[form]

    def forms(self, name: str) -> tuple[str, ...]:
        """The digests of the canonical forms that a fixture answers; () if it is not known."""
        return self._forms.get(name, ())

    def find(self, form: str) -> list[str]:
        """The fixtures that answer the requests of a canonical form, given by its digest; the best
        first.
        """
        return [name for _, name in self._fixtures.get(form, ())]


def _forms(name: str, request: RequestView | None) -> tuple[str, ...]:
    """The digests of the canonical form: as it is, and as a client writes it that sends no ids."""
    try:
        if request is None or request.digest != name:
            return (name,)
        form = canonical_form(request.canonical._asdict())
        return tuple(dict.fromkeys((digest(form), digest(without_call_ids(form)))))
    except RequestError:
        return (name,)
