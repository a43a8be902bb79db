"""The server that the terminal application and ``workbench run`` start."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from workbench.cli.own_server import own_server, start
from workbench.core.replies.profile_names import ProfileName
from workbench.io.settings import Settings
from workbench.io.state_folder import StateFolder


@pytest.mark.parametrize(("profile", "dimensions"), [(None, 768), ("stub", 768), ("openai", 1536)])
def test_it_writes_replies_as_the_settings_say_wherever_it_runs(
    tmp_path: Path, profile: ProfileName | None, dimensions: int
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    settings = Settings(fixtures=tmp_path / "fixtures", port=0, profile=profile)
    state = StateFolder(tmp_path / ".workbench")
    with own_server(settings, state, [], elsewhere) as server:
        start(server)
        body = json.dumps({"model": "text-embedding-3-small", "input": "a"}).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(server.url + "/v1/embeddings", body, headers)
        with urllib.request.urlopen(request) as reply:
            assert len(json.load(reply)["data"][0]["embedding"]) == dimensions
