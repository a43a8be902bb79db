"""The server of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.running import RunningServer
from workbench.core.control_api import HoldState, ServerReport
from workbench.core.replies.profile_names import ProfileName
from workbench.io.network.control_client import ControlError
from workbench.session.server import KnownServer

HOLD = HoldState(enabled=True, timeout_s=300)


def report(profile: str = "stub", *, is_strict: bool = False) -> ServerReport:
    return ServerReport("id", "0.1", "/fixtures", profile, is_strict, HOLD, [])


def test_a_miss_gets_what_the_server_reports() -> None:
    server = KnownServer()
    assert server.miss_reply == "the reply of a miss"
    for is_strict, reply in ((False, "the fallback"), (True, "an error")):
        server.take_report(report(is_strict=is_strict))
        assert (server.miss_reply, server.serving.misses_fail) == (reply, is_strict)
    server.lose()
    assert (server.miss_reply, server.serving.misses_fail) == ("the reply of a miss", False)


def test_its_hold_setting_is_lost_once() -> None:
    server = KnownServer()
    assert not server.lose()
    server.take_report(report())
    assert server.can_hold
    assert (server.lose(), server.lose(), server.can_hold) == (True, False, False)


@pytest.mark.parametrize(
    ("settings", "unreported"),
    [
        (None, ("stub", " (default)")),
        ("openai", ("openai", " (settings)")),
    ],
)
def test_the_profile_is_the_reported_one_and_else_that_of_the_settings(
    settings: ProfileName | None, unreported: tuple[str, str]
) -> None:
    server = KnownServer(settings)
    assert (server.profile, server.profile_note) == unreported
    for profile in ("stub", "openai"):
        server.take_report(report(profile))
        assert (server.profile, server.profile_note) == (profile, "")
    server.take_report(report("of another version"))
    assert (server.profile, server.profile_note) == unreported


def test_a_server_is_told_to_hold_and_asked_for_its_report(tmp_path: Path) -> None:
    server = KnownServer()
    with pytest.raises(ControlError, match="there is no server"):
        server.refresh()
    with RunningServer(tmp_path) as running:
        server.url = running.url
        assert running.url == f"http://{server.host}"
        server.refresh()
        assert server.hold == HoldState(enabled=False, timeout_s=300, possible=True)
        server.toggle_hold()
        assert server.hold == HoldState(enabled=True, timeout_s=300, possible=True)


def test_hold_is_toggled_before_the_first_report(tmp_path: Path) -> None:
    with RunningServer(tmp_path, arguments=("--hold",)) as running:
        server = KnownServer()
        server.url = running.url
        server.toggle_hold()
        assert server.hold == HoldState(enabled=False, timeout_s=300, possible=True)
