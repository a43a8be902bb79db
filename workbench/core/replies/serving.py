"""How a server answers from fixtures, as far as that decides what is right in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.core.replies.profile_names import SERVE_PROFILE, ProfileName

if TYPE_CHECKING:
    from collections.abc import Collection

    from workbench.core.requests.volatile import VolatileKind


class Serving(NamedTuple):
    """Options of a server, from its arguments or its report.

    Attributes:
        profile: the format of its replies.
        normalise: the kinds of text in which a request may differ from the stored one and still get
            its answer.
        misses_fail: a request without a usable fixture gets an error instead of the fallback.
    """

    profile: ProfileName = SERVE_PROFILE
    normalise: Collection[VolatileKind] = ()
    misses_fail: bool = False


DEFAULT: Final = Serving()
"""That of a server that was told nothing."""
