"""The server of a session: its URL, and what it reported last."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from workbench.core.replies.profile_names import PROFILE_NAMES, SERVE_PROFILE, ProfileName
from workbench.core.replies.serving import Serving
from workbench.core.requests.volatile import VolatileKind

# There may be no server.
if TYPE_CHECKING:
    from workbench.core.control_api import HoldState, ServerReport
    from workbench.io.network.control_client import ControlClient

# The reply that a client gets without an answer, for a strict server and for others.
_MISS_REPLIES: Final = {False: "the fallback", True: "an error", None: "the reply of a miss"}


class KnownServer:
    """The server whose misses a session shows. Until it reports its profile, the profile of the
    settings is used.

    Args:
        profile: profile in the settings; None if it is not set.
        normalise: the kinds of text in which a request may differ from its fixture's request.

    Attributes:
        url: None without a server.
        is_up: True if it answered last time; None before the first.
        hold: its hold setting; None if it has none or does not answer.
    """

    def __init__(
        self, profile: ProfileName | None = None, normalise: Collection[VolatileKind] = ()
    ) -> None:
        self.url: str | None = None
        self.is_up: bool | None = None
        self.hold: HoldState | None = None
        self.is_strict: bool | None = None
        self._reported_profile: ProfileName | None = None
        self._settings_profile = profile
        self._normalise = normalise

    @property
    def host(self) -> str:
        """Its host and port; "" without a server."""
        from workbench.io.network.http_client import host_and_port

        return host_and_port(self.url or "")

    @property
    def profile(self) -> ProfileName:
        """How it writes its replies."""
        return self._reported_profile or self._settings_profile or SERVE_PROFILE

    @property
    def profile_note(self) -> str:
        """The source of the profile, to be shown after it: " (settings)" or " (default)"; "" where
        the server reported it.
        """
        if self._reported_profile is not None:
            return ""
        return " (default)" if self._settings_profile is None else " (settings)"

    @property
    def serving(self) -> Serving:
        """How it answers from fixtures; what it did not report has its default."""
        return Serving(self.profile, self._normalise, self.is_strict is True)

    @property
    def can_hold(self) -> bool:
        """True if it can hold requests. A server that records or replays cannot."""
        return self.hold is not None and self.hold.possible

    @property
    def miss_reply(self) -> str:
        """The reply to a client that is released or whose time is over, with an article."""
        return _MISS_REPLIES[self.is_strict]

    def take_report(self, report: ServerReport) -> None:
        """Take in its report; an unknown profile counts as none."""
        reported = (name for name in PROFILE_NAMES if name == report.profile)
        self._reported_profile = next(reported, None)
        self.hold, self.is_strict = report.hold, report.strict

    def lose(self) -> bool:
        """Handle a server that does not answer: forget its hold setting and its reply to misses.
        Return True if the setting was known.
        """
        was_known = self.hold is not None
        self.hold = self.is_strict = None
        return was_known

    @property
    def client(self) -> ControlClient:
        """A client for it. Raises ControlError without a server."""
        from workbench.io.network.control_client import ControlClient, ControlError

        if self.url is None:
            raise ControlError("there is no server")
        return ControlClient(self.url)

    # These block, for a thread, and raise ControlError.

    def refresh(self) -> None:
        """Ask it for its report."""
        self.take_report(self.client.state())

    def toggle_hold(self) -> None:
        """Turn hold on or off; requests that wait go on waiting. Its first report may still be on
        its way.
        """
        hold = self.hold or self.client.state().hold
        self.hold = self.client.set_hold(enabled=not hold.enabled)


def no_server(where: str) -> str:
    """That no server answers at this host and port, and what needs one."""
    return f"No server at {where}. v and hold need it; saving works."
