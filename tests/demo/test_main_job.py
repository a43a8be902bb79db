"""The demo without a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import httpx
import pytest

from workbench.cli.output import print_result
from workbench.core.digest import digest
from workbench.core.fixture import rules
from workbench.core.fixture.document import read_value
from workbench.demo.main_job import run_once
from workbench.demo.sample_files import install_fixtures


def printed(folder: Path) -> tuple[int, str]:
    """The exit code of the demo in a folder, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run_once(folder, print_result)
    return code, out.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints. The settings of the project where it is started are not its own."""
    project = tmp_path_factory.mktemp("project")
    (project / "pyproject.toml").write_text("broken")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(project)
        code, page = printed(folder)
    assert code == 0
    return page


def test_it_promotes_a_miss_and_the_server_answers_with_it(
    folder: Path, page: str, tmp_path: Path
) -> None:
    assert "26 requests of 11 agents" in page
    assert re.search(r"stale +1 .* Deliveries: 14 parcels", page)
    assert "17 requests without a usable fixture" in page
    assert "unsupported 1  POST /v1/audio/speech" in page
    assert "the envelope equals the preview" in page
    assert "16 misses" in page.splitlines()[-1]

    install_fixtures(tmp_path / "shipped")
    shipped = {p.name for p in (tmp_path / "shipped").iterdir()}
    (new,) = [p for p in (folder / "fixtures").iterdir() if p.name not in shipped]
    saved = read_value(new.read_bytes())
    findings = rules.check(new.read_bytes(), rules.Context(filename=new.name))
    # A second turn quotes the id of the call that the first was answered with.
    assert findings == []
    assert digest(saved["request"]) == new.stem
    sent = json.dumps(saved["response"]["content"]).strip('"')
    assert sent in page.replace("\n   ", "")
    log = (folder / ".workbench" / "server.log").read_text()
    assert log.count(f"served fixture {new.stem}") == 2


def test_the_page_is_short_and_inert(page: str) -> None:
    assert len(page.splitlines()) <= 60
    assert all(character.isprintable() or character == "\n" for character in page)
    assert "\\x1b[31mERROR" in page


def test_no_server_is_left(folder: Path, page: str) -> None:
    match = re.search(r"http://127\.0\.0\.1:\d+", page)
    assert match
    try:
        answer = httpx.get(f"{match[0]}/__workbench/state")
    except httpx.TransportError:
        return
    # Another test's server took the port, which is the usual one.
    assert answer.json().get("fixtures") != str(folder / "fixtures")


def test_a_server_that_cannot_start_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_NORMALISE", "nonsense")
    code, page = printed(tmp_path)
    assert code == 1
    last = page.splitlines()[-1]
    assert last.startswith("The demo stops here. The last line of the server: workbench serve: ")
    assert "WORKBENCH_NORMALISE: expected a list" in last


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    code, page = printed(file)
    assert code == 1
    assert page.strip().startswith("The demo stops here")
    assert len(page.splitlines()) <= 2


def test_the_demo_in_the_other_profile(tmp_path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run_once(tmp_path, print_result, "openai") == 0
    assert "the envelope equals the preview, byte by byte" in out.getvalue()
    assert '"system_fingerprint"' in out.getvalue()
