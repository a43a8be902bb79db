"""``workbench validate``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.rule_cases import BROKEN, DIGEST, content, one_call, request
from tests.reference import AGENT_FIXTURES
from workbench.cli import main
from workbench.core.inert import UNSAFE
from workbench.core.rules import RULES

GOOD = {"response": {"content": "é"}, "request": request("get_weather")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an empty fixtures folder; it is the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").mkdir()
    return tmp_path / "fixtures"


def write(folder: Path, text: str | bytes, name: str = f"{DIGEST}.json") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# Which files.


def test_the_fixtures_folder_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, content("1"))
    name = Path("fixtures") / f"{DIGEST}.json"
    for arguments in ([], ["fixtures"], ["--fixtures", "fixtures"], [str(name)]):
        assert main(["validate", *arguments]) == 1
        out, err = capsys.readouterr()
        assert out.splitlines() == [
            f"{name}:1:1: info request-not-stored the fixture stores no request; its tools and "
            "schemas are not checked",
            f"{name}:1:26: error content-not-string content is a number; expected a string",
        ]
        assert err == "1 file: 1 error, 1 info\n"


def test_files_and_folders_together_each_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(folder, content('""'))
    other = write(folder.parent, content('""'), "draft.txt")
    assert main(["validate", "fixtures", str(Path("fixtures") / path.name), "draft.txt"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(":")[0] for line in out.splitlines()] == [
        str(Path("fixtures") / path.name),
        other.name,
    ]
    assert err == "2 files: 2 infos\n"


def test_what_is_no_fixture_file_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("README.md", "workbench-ignore.txt", f".{DIGEST}.json.1-abcdef00.tmp"):
        write(folder, "oops", name)
    (folder / "archive.json").mkdir()
    write(folder / "archive.json", "oops")
    assert main(["validate"]) == 0
    assert capsys.readouterr() == ("", "0 files: no problems\n")


@pytest.mark.parametrize("arguments", [["nowhere"], ["--fixtures", "nowhere"], ["fixtures", "x"]])
def test_a_path_that_is_not_there(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, content("1"))
    assert main(["validate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"workbench validate: {arguments[-1]}: no such file or folder\n"


def test_no_fixtures_folder_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["validate"]) == 2
    assert capsys.readouterr().err == "workbench validate: fixtures: no such file or folder\n"


def test_a_file_that_cannot_be_read_is_a_finding(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / f"{DIGEST}.json").symlink_to("nowhere")
    write(folder, json.dumps(GOOD), "notes.json")
    assert main(["validate"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("json:1:1: error invalid-json cannot be read: No such file or directory")
    assert "warning bad-filename" in out[1]


def test_the_fixtures_of_the_reference_have_no_errors(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(AGENT_FIXTURES, folder, dirs_exist_ok=True)
    assert main(["validate", "--strict"]) == 0
    assert capsys.readouterr().err == "18 files: 18 infos\n"


def test_every_broken_document_is_reported_and_none_stops_the_rest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All at once, from their files alone: what needs a request of the log is not found here."""
    expected: dict[str, str] = {}
    for number, case in enumerate(BROKEN):
        if case.filename == f"{DIGEST}.json" and not case.requests and "\ud800" not in case.data:
            write(folder, case.data, f"{number:064x}.json")
            expected[str(Path("fixtures") / f"{number:064x}.json")] = case.rule
    assert main(["validate", "--format", "json"]) == 1
    found = {(row["path"], row["rule"]) for row in json.loads(capsys.readouterr().out)}
    assert expected.items() <= found
    assert len(expected) > 60


def test_ten_megabytes_do_not_stop_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, b"[" * 10_000_000, f"{1:064x}.json")
    write(folder, content('"' + "x" * 10_000_000 + '"', ', "usage": null'), f"{2:064x}.json")
    assert main(["validate"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split(": ", 1)[1][:35] for line in out] == [
        "error invalid-json nested more than",
        "info request-not-stored the fixture",
        "error usage-shape usage is null; ex",
    ]


# What counts.


@pytest.mark.parametrize(
    ("text", "plain", "strict"),
    [
        (json.dumps(GOOD), 0, 0),
        (content('""'), 0, 0),
        (content('""', ', "finish_reason": "done"'), 0, 1),
        (content("1"), 1, 1),
    ],
)
def test_exit_codes(text: str, plain: int, strict: int, folder: Path) -> None:
    path = str(write(folder, text, "x.txt"))
    assert main(["validate", path]) == plain
    assert main(["validate", "--strict", path]) == strict


def test_an_allowed_rule_does_not_count(folder: Path) -> None:
    document = {**GOOD, "response": {"content": 1}, "workbench": {"allow": ["content-not-string"]}}
    path = str(write(folder, json.dumps(document), "x.txt"))
    assert main(["validate", "--strict", path]) == 0


# Forms.


def test_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = one_call('{"city": "é"}')
    path = write(folder, document)
    assert main(["validate", "--format", "json", str(path)]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == [
        {
            "path": str(path),
            "line": 1,
            "column": 1,
            "rule": "request-not-stored",
            "severity": "info",
            "message": "the fixture stores no request; its tools and schemas are not checked",
            "fix": None,
        },
        {
            "path": str(path),
            "line": 1,
            "column": document.index('{"city"') + 1,
            "rule": "arguments-not-string",
            "severity": "error",
            "message": "call 0: arguments are an object; expected a string of JSON",
            "fix": "write as a JSON string",
        },
    ]
    assert err == "1 file: 1 error, 1 info\n"


def test_as_json_without_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--format", "json", str(folder)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_as_remarks_of_a_workflow(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, content("1", ', "finish_reason": "100%\\n::error::x"'), "a,b:50%.txt")
    assert main(["validate", "--format", "github", str(Path("fixtures") / "a,b:50%.txt")]) == 1
    file = f"file={Path('fixtures')}/a%2Cb%3A50%25.txt"
    assert capsys.readouterr().out.splitlines() == [
        f"::notice {file},line=1,col=1::request-not-stored: the fixture stores no request; its "
        "tools and schemas are not checked",
        f"::error {file},line=1,col=26::content-not-string: content is a number; expected a string",
        f"::warning {file},line=1,col=46::finish-reason-unknown: finish_reason is "
        '"100%25\\n::error::x"; expected stop, length, tool_calls or content_filter',
    ]


@pytest.mark.parametrize("form", ["text", "github"])
def test_what_a_file_holds_acts_on_nothing(
    form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[2J\x1b]52;c;aGk=\x07\x9b\u202e\u2028\x7f"
    keys = {evil: 1, "finish_reason": evil}
    document = {"response": {"content": evil, **keys}, evil: {}, "workbench": {"allow": [evil]}}
    write(folder, json.dumps(document, ensure_ascii=False), "evil\x1b]0;x\x07.json")
    write(folder, "{\x9b\u202e}", "other\n::error::.json")
    assert main(["validate", "--format", form, str(folder)]) == 1
    out = capsys.readouterr().out
    assert not UNSAFE.search(out.replace("\n", ""))
    assert len(out.splitlines()) == 8
    assert "\\x1b" in out
    assert not [line for line in out.splitlines() if form == "github" and line[:2] != "::"]


# Explanations.


@pytest.mark.parametrize("name", RULES)
def test_each_rule_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", name]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"{name} ({RULES[name].severity})\n{RULES[name].summary}\n\n")
    assert max(map(len, out.splitlines())) <= 80
    assert " ".join(out.split("\n\n")[1].split()) == " ".join(RULES[name].explain.split())


def test_a_rule_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", "usage_shape"]) == 2
    assert capsys.readouterr() == (
        "",
        'workbench validate: there is no rule "usage_shape"; did you mean "usage-shape"?\n',
    )
    assert main(["validate", "--explain", "nonsense\x1b"]) == 2
    assert capsys.readouterr().err == 'workbench validate: there is no rule "nonsense\\x1b"\n'


# As a command.


def test_it_runs_without_the_terminal_application(folder: Path) -> None:
    write(folder, json.dumps(GOOD))
    code = (
        "import sys; from workbench.cli import main; main(['validate', 'fixtures']); "
        "print([m for m in ('textual', 'httpx', 'uvicorn', 'jsonschema') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_it_writes_unescaped_utf8_to_a_pipe(folder: Path) -> None:
    write(folder, content('""', ', "finish_reason": "é日"'), "ü.json")
    ran = subprocess.run(
        [sys.executable, "-m", "workbench", "validate"], capture_output=True, check=True
    )
    assert '"é日"' in ran.stdout.decode()
    assert "ü.json" in ran.stdout.decode()
