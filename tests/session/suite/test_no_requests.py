"""Whether a suite sent a request to its server."""

from __future__ import annotations

from pathlib import Path

from workbench.core.log.lines import listening_line
from workbench.session.suite.no_requests import has_requests

ASKED = '127.0.0.1 - - [20/Nov/2026 10:09:22] "GET /v1/models HTTP/1.1" 200 -\n'


def test_only_requests_of_the_last_run_count(tmp_path: Path) -> None:
    log, started = tmp_path / "run.log", listening_line("http://127.0.0.1:7899", "fixtures")
    for lines, expected in (
        ("", False),
        (started, False),
        (started + ASKED, True),
        (started + ASKED + started, False),
        (started + ASKED + started + ASKED, True),
    ):
        log.write_text(lines)
        assert has_requests(log) is expected
