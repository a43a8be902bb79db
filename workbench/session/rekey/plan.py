"""The plan of a re-key: the new names of fixtures, and the requests that are left out."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from workbench.core.requests.differences import Difference
from workbench.core.requests.request_change import is_volatile
from workbench.core.requests.view import Payload
from workbench.core.user_error import UserError
from workbench.io.fixture.store import FixtureStore


class Rekey(NamedTuple):
    """A plan to make the fixtures of the digest ``old``, with variants, answer the miss ``new``. As
    copies, the old files are kept as well, because their own request may be sent again, or they
    answer several.

    Attributes:
        files: the old and the new name of each.
        secret: a warning about likely secrets in the new files; "" for none.
        remark: a sentence about parts of the request that the new file leaves out, or "".
        is_edited: the new request is stored in a file, where you edited it.
        request: the new request if no log has it; None: it is in the log, or ``is_edited``.
        follows: for a later turn: the digest ``new`` of the re-key whose request it continues.
            Without that re-key it stays.
    """

    old: str
    new: str
    is_copy: bool
    files: tuple[tuple[str, str], ...]
    differences: tuple[Difference, ...] = ()
    secret: str = ""
    is_edited: bool = False
    remark: str = ""
    request: Payload | None = None
    follows: str = ""


class LeftOut(NamedTuple):
    """A request that is left out of the plan, with the reason."""

    new: str
    reason: str


class RekeyPlan(NamedTuple):
    """The planned or completed changes of a re-key."""

    rekeys: tuple[Rekey, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def changes(self) -> list[Difference]:
        """The differences of all but dates and the like, those by the same words once."""
        differing = (d for rekey in self.rekeys for d in rekey.differences if not is_volatile(d))
        by_words: dict[object, Difference] = {}
        for difference in differing:
            by_words.setdefault((difference.before, difference.after), difference)
        return list(by_words.values())

    def record(self, store: FixtureStore) -> dict[str, Any]:
        """The plan, or what was done of it, as a JSON object."""
        return {
            "rekeyed": [
                {
                    "old": old,
                    "new": new,
                    "path": str(store.path(new)),
                    "copied": rekey.is_copy,
                    **({"remark": rekey.remark} if rekey.remark else {}),
                }
                for rekey in self.rekeys
                for old, new in rekey.files
            ],
            "left_out": [
                {"new": left_out.new, "reason": left_out.reason} for left_out in self.left_out
            ],
        }


class RekeyRefusedError(UserError):
    """A re-key that is not possible."""


NO_BEGINNING: Final = "the turn that it continues is not moved."
"""Why a later turn stays."""


def without_secrets(plan: RekeyPlan, remedy: str = "") -> RekeyPlan:
    """A plan that leaves out what would store a secret, and the later turns of that.

    Args:
        remedy: a sentence on how it can be re-keyed anyway.
    """
    safe: list[Rekey] = []
    left_out: dict[str, LeftOut] = {}
    for rekey in plan.rekeys:
        if rekey.secret:
            reason = f"{rekey.secret} {remedy}".rstrip()
        elif rekey.follows in left_out:
            reason = NO_BEGINNING
        else:
            safe.append(rekey)
            continue
        left_out[rekey.new] = LeftOut(rekey.new, reason)
    return RekeyPlan(tuple(safe), (*plan.left_out, *left_out.values()))
