"""``workbench validate``."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.fixture.rules.rule_cases import BROKEN, DIGEST, content, one_call, request
from tests.forked import FORKED
from tests.reference import AGENT_FIXTURES, LOG
from tests.terminal import Terminal
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.core.fixture.rules import RULES
from workbench.core.text.inert import unsafe
from workbench.io import manual

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
            f"{name}:1:1: info request-not-stored the fixture contains no request, so tools "
            "and schemas are not checked; add it: workbench adopt",
            f"{name}:1:26: error content-not-string content is a number; expected a string",
        ]
        assert err == "workbench validate: note: 1 file: 1 error, 1 info\n"


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
    assert err == "workbench validate: note: 2 files: 2 infos\n"


def test_what_does_not_fit_on_a_screen_is_counted_by_rule(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(11):
        write(folder, content("1" if number else '""'), f"{number:064x}.json")
    assert main(["validate", "--format", "github"]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 21
    assert err == (
        "       10  error    content-not-string\n"
        "       11  info     request-not-stored\n"
        "workbench validate: note: 11 files: 10 errors, 11 infos\n"
    )


def test_what_is_no_fixture_file_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("README.md", "workbench-ignore.txt", f".{DIGEST}.json.1-abcdef00.tmp"):
        write(folder, "oops", name)
    (folder / "archive.json").mkdir()
    write(folder / "archive.json", "oops")
    assert main(["validate"]) == 0
    assert capsys.readouterr() == (
        "",
        "workbench validate: note: 0 files: nothing to check\n",
    )


def test_fixtures_in_subfolders_alone_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fixture = '{"response": {"content": "x"}}'
    for name in ("chat", "agents/first", ".hidden", "empty"):
        (folder / name).mkdir(parents=True)
    write(folder / "chat", fixture)
    write(folder / "agents" / "first", fixture)
    write(folder / ".hidden", fixture)
    (folder / "empty" / "notes.json").write_text("{}")
    for arguments in ([], ["fixtures"], ["fixtures", "fixtures/chat/"], ["--format", "json"]):
        assert main(["validate", *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "in subfolders, where neither this command nor a server looks" in err
        assert "fixtures/agents/first" in err
        assert "hidden" not in err
        assert "empty" not in err
    assert main(["validate"]) == 2
    said = "name each folder: workbench validate fixtures/agents/first fixtures/chat"
    assert said in capsys.readouterr().err
    assert main(["validate", "fixtures/agents/first", "fixtures/chat"]) == 0
    # Beside fixtures that are read, a subfolder is somebody's own.
    write(folder, fixture)
    assert main(["validate"]) == 0


@pytest.mark.parametrize("name", ["sub/named.json", f".hidden/{DIGEST}.json"])
def test_files_that_are_all_in_subfolders_are_named(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).parent.mkdir()
    (folder / name).write_text("{}")
    assert main(["validate"]) == 2
    said = capsys.readouterr().err
    assert "1 fixture file is in subfolders" in said
    assert f"workbench validate fixtures/{name.split('/')[0]}\n" in said


@pytest.mark.parametrize("arguments", [["nowhere"], ["--fixtures", "nowhere"], ["fixtures", "x"]])
def test_a_path_that_is_not_there(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, content("1"))
    assert main(["validate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"workbench validate: error: {arguments[-1]}: no such file or folder\n"


def test_no_fixtures_folder_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["validate"]) == 2
    assert capsys.readouterr().err == (
        "workbench validate: error: the folder fixtures does not exist; give the path of your "
        "fixtures\n"
    )


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
    assert capsys.readouterr().err == "workbench validate: note: 18 files: 18 infos\n"


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


def test_the_settings_of_the_project_count(folder: Path) -> None:
    asked = request(messages=[{"role": "system", "content": "Today is 2026-11-28."}])
    text = content('"Hi"')[:-1] + f', "request": {json.dumps(asked)}}}'
    write(folder, text, f"{digest(asked)}.json")
    assert main(["validate", "--strict"]) == 1
    project = folder.parent / "pyproject.toml"
    project.write_text('[tool.workbench]\nnormalise = ["date"]')
    assert main(["validate", "--strict"]) == 0
    project.write_text('[tool.workbench]\nnormalise = ["time"]')
    assert main(["validate", "--strict"]) == 1


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
            "message": "the fixture contains no request, so tools and schemas are not checked; "
            "add it: workbench adopt",
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
    assert err == "workbench validate: note: 1 file: 1 error, 1 info\n"


def test_as_json_without_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--format", "json", str(folder)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_as_remarks_of_a_workflow(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, content("1", ', "finish_reason": "100%\\n::error::x"'), "a,b:50%.txt")
    assert main(["validate", "--format", "github", str(Path("fixtures") / "a,b:50%.txt")]) == 1
    file = f"file={Path('fixtures')}/a%2Cb%3A50%25.txt"
    assert capsys.readouterr().out.splitlines() == [
        f"::notice {file},line=1,col=1::request-not-stored: the fixture contains no request, "
        "so tools and schemas are not checked; add it: workbench adopt",
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
    assert not unsafe().search(out.replace("\n", ""))
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
    explanation = out.split("\n\n", 1)[1]
    assert len(explanation) > len(RULES[name].summary)
    lists = [line for line in manual.section("rules", name).splitlines() if line.startswith("- ")]
    assert len([line for line in out.splitlines() if line.startswith("- ")]) == len(lists)
    assert " ".join(explanation.split()) == " ".join(manual.section("rules", name).split())


def test_a_rule_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", "usage_shape"]) == 2
    assert capsys.readouterr() == (
        "",
        'workbench validate: error: unknown rule "usage_shape"; did you mean "usage-shape"?\n'
        "list them: workbench validate --explain all\n",
    )
    assert main(["validate", "--explain", "nonsense\x1b"]) == 2
    said = 'workbench validate: error: unknown rule "nonsense\\x1b"\n'
    assert capsys.readouterr().err.startswith(said)


# As a command.


def test_it_runs_without_the_terminal_application(folder: Path) -> None:
    write(folder, json.dumps(GOOD))
    code = (
        "import sys; from workbench.cli.main import main; main(['validate', 'fixtures']); "
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


# Fixes.

SURE = content('""', ', "finishReason": "stop", "usage": {"total_tokens": 3}')
MENDED = content('""', ', "finish_reason": "stop", "usage": {}')


def test_certain_fixes_are_made_and_told_a_line_each(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(folder, SURE)
    left = write(folder, content("1"), f"{2:064x}.json")
    assert main(["validate", "--fix"]) == 1
    out, err = capsys.readouterr()
    name = Path("fixtures") / path.name
    no_request = "request-not-stored the fixture contains no request, so tools and schemas are"
    assert out.splitlines() == [
        f"fixtures/{left.name}:1:1: info {no_request} not checked; add it: workbench adopt",
        f"fixtures/{left.name}:1:26: error content-not-string content is a number; expected a "
        "string",
        f"{name}:1:{SURE.index(chr(34) + 'finishR') + 1}: fixed unknown-key rename to "
        '"finish_reason"',
        f"{name}:1:{SURE.index(chr(34) + 'total') + 2}: fixed total-tokens-set remove total_tokens",
        f"{name}:1:1: info {no_request} not checked; add it: workbench adopt",
    ]
    assert err == "workbench validate: note: 2 files: 2 fixed, 1 error, 2 infos\n"
    assert path.read_text() == MENDED
    assert left.read_text() == content("1")


def test_what_was_recorded_is_fixed_only_when_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slip = one_call('"{}"').replace('"index": 0, ', "")
    texts = {
        source: f'{slip[:-1]}, "descripton": "x", "workbench": {{"source": "{source}"}}}}'
        for source in ("recorded", "imported", "edited")
    }
    paths = {
        source: write(folder, text, f"{number:064x}.json")
        for number, (source, text) in enumerate(texts.items())
    }
    # A key beside the reply was not recorded.
    renamed = {source: text.replace("descripton", "description") for source, text in texts.items()}
    fixed = {source: text.replace('[{"id"', '[{"index": 0, "id"') for source, text in
             renamed.items()}  # fmt: skip
    assert main(["validate", "--fix"]) == 0
    for source in ("recorded", "imported"):
        assert paths[source].read_text() == renamed[source]
    assert paths["edited"].read_text() == fixed["edited"]
    said = capsys.readouterr().err
    assert "2 problems with a fix left in 2 files, because the replies were recorded" in said
    assert "to fix them as well: --fix-recorded" in said
    assert main(["validate", "--fix-recorded"]) == 0
    assert {source: path.read_text() for source, path in paths.items()} == fixed
    assert "recorded" not in capsys.readouterr().err


def test_fixed_is_as_good_as_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, content('""', ', "usage": {},'))
    assert main(["validate", "--fix", "--strict"]) == 0
    assert capsys.readouterr().err == "workbench validate: note: 1 file: 1 fixed, 1 info\n"
    assert path.read_text() == content('""', ', "usage": {}')
    assert main(["validate", "--fix", "--strict"]) == 0
    assert capsys.readouterr().err == "workbench validate: note: 1 file: 1 info\n"


def test_fixes_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, SURE)
    assert main(["validate", "--fix", "--format", "json", str(path)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["rule"], row["fix"], row["fixed"]) for row in rows] == [
        ("unknown-key", 'rename to "finish_reason"', True),
        ("total-tokens-set", "remove total_tokens", True),
        ("request-not-stored", None, False),
    ]
    assert {row["path"] for row in rows} == {str(path)}


def test_what_was_fixed_is_no_remark_of_a_workflow(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, SURE)
    assert main(["validate", "--fix", "--format", "github"]) == 0
    assert [line.split("::")[2].split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "request-not-stored"
    ]


def test_a_fix_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no name for the new file beside this one: the system takes 255 characters."""
    path = write(folder, SURE, "x" * 250 + ".txt")
    assert main(["validate", "--fix", str(path)]) == 2
    out, err = capsys.readouterr()
    assert "total-tokens-set" in out
    assert " fixed " not in out
    assert err == (
        f"workbench validate: error: {path}: not fixed: File name too long\n"
        "workbench validate: note: 1 file: 2 warnings, 1 info\n"
    )
    assert path.read_text() == SURE


def test_every_broken_document_is_mended_as_far_as_is_certain(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fixed = {}
    for number, case in enumerate(BROKEN):
        if case.filename == f"{DIGEST}.json" and not case.requests and "\ud800" not in case.data:
            path = write(folder, case.data, f"{number:064x}.json")
            fixed[path] = case.fixed
    main(["validate", "--fix", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)
    assert [row for row in rows if row["fix"] and not row["fixed"]] == []
    assert len([path for path, text in fixed.items() if text and path.read_text() == text]) > 10


# Logs.


def test_fixtures_that_no_request_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used, unused = f"{1:064x}", f"{2:064x}"
    for name in (used, unused):
        write(folder, json.dumps({"response": {"content": "x"}}), f"{name}.json")
    (folder.parent / "a.log").write_text(
        f"[mock-llm] listening on http://127.0.0.1:7899 (fixtures: f)\n[mock-llm] served fixture "
        f'{used}\n127.0.0.1 - - [20/Nov/2026 10:14:02] "POST /v1/chat/completions HTTP/1.1" 200 -\n'
    )
    (folder.parent / "b.log").write_text(f"[mock-llm] served fixture {used}")
    for logs in (["--log", "a.log", "b.log"], ["--log", "a.log", "--log", "b.log"]):
        assert main(["validate", "fixtures", *logs]) == 0
        out, err = capsys.readouterr()
        assert [line for line in out.splitlines() if "unused-fixture" in line] == [
            f"fixtures/{unused}.json:1:1: info unused-fixture not requested since "
            "2026-11-20T10:14:02 (2 runs, 2 requests)"
        ]
        assert err == "workbench validate: note: 2 files: 3 infos\n"


def test_a_log_that_names_no_hits_says_nothing_of_unused_fixtures(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, json.dumps(GOOD))
    main(["validate", "--log", str(LOG)])
    out, err = capsys.readouterr()
    assert "unused-fixture" not in out
    assert err.startswith("workbench validate: warning: cannot tell which fixtures are unused")


def test_a_log_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, content("1"))
    assert main(["validate", "fixtures", "--log", "nowhere.log"]) == 2
    assert capsys.readouterr() == (
        "",
        "workbench validate: error: nowhere.log: no such file or directory\n",
    )


# The table of the rules.


def test_all_rules_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        [rule.severity, name] for name, rule in RULES.items()
    ]
    assert all(
        line.endswith(f"  {rule.summary}") for line, rule in zip(lines, RULES.values(), strict=True)
    )


def test_all_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", "all", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "rule": name,
            "severity": rule.severity,
            "summary": rule.summary,
            "explain": manual.section("rules", name),
        }
        for name, rule in RULES.items()
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--explain", "all", "--format", "github"],
            "--explain cannot be used with --format github",
        ),
        (
            ["--explain", "secret", "--format", "github"],
            "--explain cannot be used with --format github",
        ),
    ],
)
def test_forms_that_do_not_go_together(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, content("1"))
    assert main(["validate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"workbench validate: error: {message}")


# On a terminal.


def test_long_work_shows_how_far_it_is_and_can_be_stopped(folder: Path) -> None:
    numbers = ",".join(["1"] * 250_000)
    write(folder, f'{{"response": {{"content": [{numbers}]}}}}', f"{0:064x}.json")
    names = [folder / f"{number:064x}.json" for number in range(1000)]
    for name in names[1:]:
        name.hardlink_to(names[0])
    with Terminal([*FORKED, "validate"], folder=folder.parent) as terminal:
        terminal.wait_for(" of 1,000\n")
        terminal.press("^c")
        assert terminal.wait_for_end() == 130
        # The line goes last: the screen may show it a moment longer than the program runs.
        said = terminal.wait_for(lambda text: "Checking" not in text)
        assert "Traceback" not in said


# Schemas that mean harm.


def test_schemas_of_requests_fetch_nothing_and_take_no_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        uri = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        schemas: list[dict[str, object]] = [
            {"$ref": uri},
            {"$ref": "#"},
            {"properties": {"city": {"pattern": "^(a|a|aa)*$"}}},
        ]
        for number, schema in enumerate(schemas):
            arguments = json.dumps(json.dumps({"city": "a" * 60 + "!"}))
            asked = json.dumps(request("get_weather", parameters=schema))
            text = one_call(arguments)[:-1] + f', "request": {asked}}}'
            write(folder, text, f"{number}.txt")
        paths = [str(folder / f"{number}.txt") for number in range(len(schemas))]
        assert main(["validate", "--format", "json", *paths]) == 0
        with pytest.raises(BlockingIOError):
            server.accept()
    messages = [
        row["message"].split("get_weather: ")[1]
        for row in json.loads(capsys.readouterr().out)
        if row["rule"] == "schema-unchecked"
    ]
    assert messages == [
        f"it refers to {uri}, which is not fetched",
        "the schema is nested too deeply or refers to itself",
        "the pattern ^(a|a|aa)*$ takes too long",
    ]


def test_a_dry_run_lists_fixes_and_a_diff_prints_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(folder, SURE)
    name = f"fixtures/{path.name}"
    assert main(["validate", "--fix", "--dry-run", "--strict"]) == 1
    out, err = capsys.readouterr()
    assert out.count(" would fix ") == 2
    assert " fixed " not in out
    assert err == "workbench validate: note: 1 file: 2 to fix, 1 info\n"
    assert main(["validate", "--fix", "--diff"]) == 0
    first, second, *lines = capsys.readouterr().out.splitlines()
    assert (first, second) == (f"--- {name}", f"+++ {name}")
    assert [f"-{line}" for line in SURE.splitlines()] == [li for li in lines if li[0] == "-"]
    assert [f"+{line}" for line in MENDED.splitlines()] == [li for li in lines if li[0] == "+"]
    assert main(["validate", "--fix", "--dry-run", "--format", "json"]) == 0
    assert not any(row["fixed"] for row in json.loads(capsys.readouterr().out))
    assert path.read_text() == SURE
    assert main(["validate", "--fix"]) == 0
    assert path.read_text() == MENDED


@pytest.mark.parametrize(
    "text",
    [
        SURE,
        f"\n{SURE}\n\n",
        SURE.replace("{", "{\n\t") + "\n",
        SURE.replace("{", "{\r\n ") + "\r\n",
        SURE.replace("{", "{\n").replace('""', '"a\u2028b\x85c"'),
        f"\ufeff{SURE}\n",
    ],
)
def test_a_diff_can_be_applied(
    text: str, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = write(folder, SURE)
    path.write_bytes(text.encode())
    assert main(["validate", "--fix", "--diff"]) in (0, 1)
    diff = capsysbinary.readouterr().out
    assert main(["validate", "--fix"]) == 0
    mended = path.read_bytes()
    assert mended != text.encode()
    path.write_bytes(text.encode())
    subprocess.run(["git", "apply", "-p0", "-"], input=diff, cwd=folder.parent, check=True)
    assert path.read_bytes() == mended


@pytest.mark.parametrize("option", ["--dry-run", "--diff"])
def test_what_goes_with_fix_alone(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, SURE)
    assert main(["validate", option]) == 2
    assert capsys.readouterr().err == f"workbench validate: error: {option} needs --fix\n"
