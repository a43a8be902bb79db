"""Arguments that several commands take: empty, odd and shortened ones, in any locale."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Project, command
from tests.session.support import chat, missed
from workbench.core.digest import digest

PAYLOAD = chat("hi")
DIGEST = digest(PAYLOAD)
CONTENT = json.dumps({"choices": [{"index": 0, "message": {"content": "x"}}]})
HAR = {
    "log": {
        "entries": [
            {
                "request": {
                    "method": "POST",
                    "url": "https://api/v1/chat/completions",
                    "postData": {"text": json.dumps(PAYLOAD)},
                },
                "response": {
                    "status": 200,
                    "content": {"mimeType": "application/json", "text": CONTENT},
                },
            }
        ]
    }
}


@pytest.fixture
def log(project: Project) -> Path:
    project.write_log(missed(PAYLOAD))
    (project.folder / "a.har").write_text(json.dumps(HAR))
    return project.log


# Each command that reads or writes fixtures, as it is called where one miss is to be answered.
WRITING = {
    "promote": ["promote", "suite.log", DIGEST, "--content", "x"],
    "import": ["import", "a.har"],
}
READING = {
    "misses": ["misses", "suite.log"],
    "explain": ["explain", "suite.log"],
    "adopt": ["adopt", "suite.log"],
    "rekey": ["rekey", "--all", "suite.log"],
    "ignore": ["ignore", "suite.log", DIGEST, "--reason", "x"],
    "validate": ["validate"],
    "preview": ["preview", DIGEST[:8]],
}
COMMANDS = {**WRITING, **READING}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.usefixtures("log")
class TestFixturesFolder:
    def put(self, project: Project, name: str) -> None:
        folder = project.folder / name
        folder.mkdir(parents=True)
        (folder / f"{DIGEST}.json").write_text('{"response": {"content": "x"}}')

    def test_the_project_says_where_it_is(self, project: Project, words: list[str]) -> None:
        project.settings("fixtures = 'e2e/canned'")
        if words in READING.values():
            self.put(project, "e2e/canned")
        assert project.run(*words).code == 0
        assert list((project.folder / "e2e/canned").iterdir())
        assert not project.fixtures.exists()

    def test_so_does_the_environment(
        self, project: Project, words: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WORKBENCH_FIXTURES", "elsewhere")
        if words in READING.values():
            self.put(project, "elsewhere")
        assert project.run(*words).code == 0
        assert list((project.folder / "elsewhere").iterdir())
        assert not project.fixtures.exists()

    def test_a_file_is_none(self, project: Project, words: list[str]) -> None:
        project.fixtures.touch()
        ran = project.run(*words)
        assert (ran.code, ran.out) == (2, "")
        said = "fixtures is not a folder; name one with --fixtures DIR"
        assert ran.err == f"workbench {words[0]}: error: {said}\n"

    def test_an_empty_name_is_none(self, project: Project, words: list[str]) -> None:
        before = sorted(os.listdir(project.folder))
        ran = project.run(*words, "--fixtures", "")
        assert ran.code == 2
        assert "--fixtures: the value is empty" in ran.err
        assert sorted(os.listdir(project.folder)) == before

    def test_names_of_all_kinds(self, project: Project, words: list[str]) -> None:
        for name in ("with space", "quo'te\"s", "line\nbreak", "🚀 ünï", "--leading-dash"):
            if words in READING.values():
                self.put(project, name)
            ran = project.run(*words, f"--fixtures={name}")
            assert ran.code == 0
            assert list((project.folder / name).iterdir())
            shutil.rmtree(project.folder / name)

    def test_a_symlink_is_followed_and_stays(self, project: Project, words: list[str]) -> None:
        (project.folder / "real").mkdir()
        if words in READING.values():
            (project.folder / "real" / f"{DIGEST}.json").write_text('{"response": {"content": ""}}')
        project.fixtures.symlink_to("real")
        assert project.run(*words).code == 0
        assert project.fixtures.is_symlink()
        assert list((project.folder / "real").iterdir())


EMPTY = [
    ["misses", ""],
    ["explain", ""],
    ["adopt", ""],
    ["promote", "", DIGEST, "--content", "x"],
    ["validate", ""],
    ["validate", "--log", ""],
    ["preview", ""],
    ["preview", "--request", ""],
    ["import", ""],
    ["replay", "", "--step", "a:b"],
    ["hash", ""],
    ["--log", ""],
    ["--fixtures", ""],
]


@pytest.mark.parametrize("words", EMPTY, ids=" ".join)
def test_an_empty_path_is_said_to_be_one(project: Project, words: list[str]) -> None:
    ran = project.run(*words)
    assert ran.code == 2
    assert ": the value is empty; " in ran.err


ENDLESS = [
    ["misses", "/dev/zero"],
    ["explain", "/dev/zero"],
    ["adopt", "/dev/zero"],
    ["ignore", "/dev/zero", DIGEST, "--reason", "x"],
    ["rekey", "--all", "/dev/zero"],
    ["promote", "/dev/zero", DIGEST, "--content", "x"],
    ["promote", "suite.log", DIGEST, "--response", "/dev/zero"],
    ["validate", "--log", "/dev/zero"],
    ["preview", "/dev/zero"],
    ["preview", "--request", "/dev/zero"],
    ["import", "/dev/zero"],
    ["replay", "/dev/zero", "--step", "os:getcwd"],
    ["hash", "/dev/zero"],
    ["hash", "--jsonl", "/dev/zero"],
    ["validate", "/dev/zero"],
]


@pytest.mark.parametrize("words", ENDLESS, ids=" ".join)
@pytest.mark.usefixtures("log")
def test_a_device_without_an_end_is_not_read(project: Project, words: list[str]) -> None:
    ran = project.run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"workbench {words[0]}: error: /dev/zero: it is a device, not a file\n"


def test_nor_is_it_followed(project: Project) -> None:
    ran = project.run("--log", "/dev/zero")
    assert ran.code == 2
    assert "  (/dev/zero: it is a device, not a file)\n" in ran.err


WAITING = [
    ["promote", "suite.log", DIGEST, "--response"],
    ["preview"],
    ["preview", "--request"],
    ["import"],
    ["replay", "--step", "os:getcwd"],
    ["hash"],
    ["hash", "--jsonl"],
    ["validate"],
    ["validate", "--fix"],
]


@pytest.mark.parametrize("words", WAITING, ids=" ".join)
@pytest.mark.usefixtures("log")
def test_a_file_is_not_waited_for(project: Project, words: list[str]) -> None:
    pipe, listening = project.folder / "pipe", project.folder / "socket"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(listening))
        for path, kind in ((pipe, "a named pipe"), (listening, "a socket")):
            ran = project.run(*words, path.name)
            assert (ran.code, ran.out) == (2, "")
            assert (
                ran.err == f"workbench {words[0]}: error: {path.name}: it is {kind}, not a file\n"
            )


def test_the_pipe_of_a_shell_is_read() -> None:
    payload = json.dumps(PAYLOAD)
    shell = f"{sys.executable} -m workbench hash <(echo '{payload}')"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{digest(PAYLOAD)}\n"


@pytest.mark.parametrize("words", [["misses"], ["validate", ".", "--log"]], ids=" ".join)
def test_who_waits_for_a_log_that_is_a_named_pipe_is_told_so(
    project: Project, words: list[str]
) -> None:
    pipe = project.folder / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(
        [sys.executable, "-m", "workbench", *words, pipe],
        cwd=project.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with reader:
        assert reader.stderr is not None
        said = f"workbench {words[0]}: note: {pipe} is a pipe; reading until its writers close it\n"
        assert reader.stderr.readline().decode() == said
        pipe.write_text(json.dumps(PAYLOAD))
        assert b"Traceback" not in reader.stderr.read()
    assert reader.returncode == 0


@pytest.mark.parametrize(
    "url", ["", "x", "ftp://x", "http://", "http://[::1", "http://127.0.0.1:99999", "http://a b/"]
)
def test_a_server_is_named_by_its_url(project: Project, url: str) -> None:
    ran = project.run("--server", url)
    assert ran.code == 2
    said = f"--server: {url!r} is not a URL such as http://127.0.0.1:7899\n"
    assert said in ran.err


def test_a_password_in_the_url_of_a_server_is_not_shown(project: Project) -> None:
    ran = project.run("--server", "http://me:hunter2@127.0.0.1:7899")
    assert ran.code == 2
    assert "--server: this is not a URL such as http://127.0.0.1:7899" in ran.err
    assert "hunter2" not in ran.err


@pytest.mark.parametrize("short", ["--fix", "--form", "--dry"])
def test_options_are_not_shortened(project: Project, short: str) -> None:
    """``adopt --fix`` would be ``--fixtures``, and take the log for a folder."""
    ran = project.run("adopt", short, project.log)
    assert ran.code == 2
    assert f"unknown option {short}" in ran.err


def test_complaints_about_arguments_act_on_no_terminal(project: Project) -> None:
    ran = project.run("misses", "a.log", "--\x1b[31m\u202e")
    assert "unknown option --\\x1b[31m\\u202e\n" in ran.err


# Without its coercion Python takes the locale at its word.
AT_ITS_WORD = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ASCII = {"LC_ALL": "C", **AT_ITS_WORD}
LOCALES = {
    "ASCII": ASCII,
    # Where the system has no such locale, this is ASCII once more.
    "Latin-1": {"LC_ALL": "en_US.ISO-8859-1", **AT_ITS_WORD},
    "Latin-1 terminal": {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "iso-8859-1"},
}
UNUSUAL = "hellö 日本 🚀"


# Runs several commands in one interpreter, which takes less time; ";" ends each, and its output.
SEVERAL = """
import sys
from workbench.cli.main import main
words = []
for word in sys.argv[1:]:
    if word == ";":
        main(words)
        print(";", flush=True)
        words = []
    else:
        words.append(word)
"""


def run_in(environment: dict[str, str], folder: Path, *commands: list[str]) -> list[bytes]:
    """What commands print, one after the other."""
    words = [word for command in commands for word in (*command, ";")]
    ran = subprocess.run(
        [sys.executable, "-c", SEVERAL, *words],
        env={**os.environ, **environment},
        cwd=folder,
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split(b";\n")


@pytest.mark.parametrize("environment", LOCALES.values(), ids=LOCALES)
def test_in_any_locale_text_is_what_was_typed(
    project: Project, environment: dict[str, str]
) -> None:
    other = chat(UNUSUAL)
    project.write_log(missed(PAYLOAD), missed(other))
    arguments = json.dumps({"city": "Zürich"}, ensure_ascii=False)
    promote = ["promote", "suite.log", DIGEST]
    called, _, _, elsewhere, data, text, _ = run_in(
        environment,
        project.folder,
        [*promote, "--tool-call", "get_weather", arguments, "--dry-run", "--format", "json"],
        ["ignore", "suite.log", digest(other), "--reason", "für später"],
        [*promote, "--content", UNUSUAL, "--description", UNUSUAL],
        [*promote, "--content", "x", "--fixtures", UNUSUAL],
        ["misses", "suite.log", "--format", "json"],
        ["misses", "suite.log"],
    )
    value = project.fixture(DIGEST)
    assert (value["response"]["content"], value["description"]) == (UNUSUAL, UNUSUAL)
    call = json.loads(json.loads(called)["text"])["response"]["tool_calls"][0]
    assert call["function"]["arguments"] == arguments
    listed = (project.fixtures / "workbench-ignore.txt").read_text("utf-8")
    assert listed.endswith(f"{digest(other)} für später\n")
    assert (project.folder / UNUSUAL / f"{DIGEST}.json").exists()
    assert elsewhere.endswith(f"/{DIGEST}.json\n".encode())
    # Data is UTF-8, and text what can be written.
    assert UNUSUAL in [row["last_user_text"] for row in json.loads(data.decode())]
    assert text.endswith(b" \\u65e5\\u672c \\U0001f680\n")


def test_what_is_not_utf8_is_refused(project: Project) -> None:
    words = [b"promote", b"suite.log", DIGEST.encode(), b"--content", b"h\xff"]
    environment = {**os.environ, **ASCII}
    ran = command(*map(os.fsdecode, words), cwd=project.folder, env=environment)
    assert ran.returncode == 2
    assert b"error: --content: " in ran.stderr
    assert b" is not UTF-8\n" in ran.stderr
    assert not project.fixtures.exists()


@pytest.mark.usefixtures("log")
def test_a_fixture_that_is_a_link_to_nothing_is_not_saved(project: Project) -> None:
    project.fixtures.mkdir(exist_ok=True)
    link = project.fixtures / f"{DIGEST}.json"
    link.symlink_to(project.folder / "elsewhere")
    said = f"{DIGEST[:12]}… is a symbolic link to a file that does not exist"
    promoted = project.run("promote", "suite.log", DIGEST, "--content", "x")
    assert (promoted.code, promoted.out) == (2, "")
    assert said in promoted.err
    imported = project.run("import", "a.har")
    assert imported.code == 1
    assert said in imported.out
    assert not (project.folder / "elsewhere").exists()


def test_nor_is_a_file_outside_mended(project: Project) -> None:
    project.fixtures.mkdir(exist_ok=True)
    (project.folder / "pyproject.toml").touch()
    outside = project.folder.parent / f"{project.folder.name}.json"
    outside.write_text('{"response": {"content": ""}, "descripton": "x"}')
    (project.fixtures / f"{DIGEST}.json").symlink_to(outside)
    ran = project.run("validate", "--fix")
    assert ran.code == 2
    assert "not fixed: " in ran.err
    assert "is a symbolic link to a file outside the project" in ran.err
    assert "descripton" in outside.read_text()
