"""``workbench wait``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.running import RunningServer
from workbench.cli import main


def test_it_waits_until_a_server_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunningServer(tmp_path) as server:
        for url in (server.url, f"{server.url}/v1"):
            assert main(["wait", url]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_is_no_url_is_told_with_one_of_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["wait", "127.0.0.1:7899"])
    said = "'127.0.0.1:7899' is not a URL such as http://127.0.0.1:7899\n"
    assert capsys.readouterr().err.endswith(said)


def test_it_gives_up_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wait", "http://127.0.0.1:1", "--timeout", "0"]) == 1
    assert capsys.readouterr().err.startswith("workbench wait: http://127.0.0.1:1 does not answer")


@pytest.mark.parametrize("seconds", ["nan", "-1", "soon"])
def test_a_time_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["wait", "http://127.0.0.1:1", f"--timeout={seconds}"])
    assert refused.value.code == 2
    said = f"--timeout: '{seconds}' is not a number of seconds, 0 or more\n"
    assert capsys.readouterr().err.endswith(said)
