"""The image and its service, as far as they can be run without Docker: the commands that the
Dockerfile names are run here; that the package can be installed is what ``test_package`` is about.
"""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import yaml

from tests.server.running import wait_until

FOLDER = Path(__file__).parents[2] / ".github" / "docker"
SCRIPTS = Path(sysconfig.get_path("scripts"))


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile and their arguments, in order."""
    text = re.sub(r"^#.*\n", "", (FOLDER / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(words[0], " ".join(words[1:])) for line in lines if (words := line.split())]


INSTRUCTIONS = instructions()


def words(name: str) -> list[str]:
    """The command of the one instruction with a name, which is a list of words."""
    [argument] = [argument for found, argument in INSTRUCTIONS if found == name]
    found: list[str] = json.loads(argument[argument.index("[") :])
    return found


def test_the_container_serves_and_its_health_check_sees_it(tmp_path: Path) -> None:
    assert words("ENTRYPOINT") == ["workbench"]
    log = tmp_path / "mock-llm.log"
    # Any port, since tests run side by side.
    serve = ["0" if word == "7899" else word for word in words("CMD")]
    with subprocess.Popen([SCRIPTS / "workbench", *serve], cwd=tmp_path) as server:
        try:
            wait_until("it listens", lambda: log.exists() and b"\n" in log.read_bytes())
            url = re.search(r"http://[0-9.]+:([0-9]+)", log.read_text())
            assert url is not None
            assert health(url[1]) == 0
        finally:
            server.terminate()  # as `docker stop`
    assert health(url[1]) == 1


def health(port: str) -> int:
    """The exit code of the health check."""
    program, *arguments = (word.replace("7899", port) for word in words("HEALTHCHECK"))
    return subprocess.run([SCRIPTS / program, *arguments], check=False).returncode


def test_what_the_image_takes_from_the_checkout_is_there() -> None:
    """And is not left out of the build by the list of what to leave out."""
    kept = (FOLDER / "Dockerfile.dockerignore").read_text().split()
    assert kept[0] == "*"
    for name, argument in INSTRUCTIONS:
        if name == "COPY" and not argument.startswith("--from"):
            for source in argument.split()[:-1]:
                assert (FOLDER.parents[1] / source).exists()
                assert f"!{source}" in kept


def test_nothing_runs_as_root_and_the_image_is_small() -> None:
    names = [name for name, _ in INSTRUCTIONS]
    assert dict(INSTRUCTIONS)["USER"] not in ("0", "root")
    assert names.index("USER") > max(at for at, name in enumerate(names) if name == "RUN")
    bases = [argument.split()[0] for name, argument in INSTRUCTIONS if name == "FROM"]
    assert all(base.endswith("-slim") for base in bases)


def test_the_service_is_that_image() -> None:
    service: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    [(name, about)] = service.items()
    context = (FOLDER / about["build"]["context"]).resolve()
    assert (context / about["build"]["dockerfile"]).samefile(FOLDER / "Dockerfile")
    serve = words("CMD")
    # Its name in the network of the services is one that the control API answers to.
    assert name == serve[serve.index("--allow-host") + 1]
    # Only this machine gets in: there is no password.
    assert about["ports"] == ["127.0.0.1:7899:7899"]
