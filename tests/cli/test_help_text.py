"""The help of every command: its layout, and its examples, which do what they say."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.manual.blocks import LOG, NEEDS_KEY, NEEDS_LOG, Block, Reader
from tests.session.support import chat, missed, tool
from workbench.cli.help_text import CommandHelp
from workbench.cli.main import COMMAND_GROUPS, COMMANDS, module_of
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import served_line
from workbench.io import manual
from workbench.testing import Checkpoint, Checkpointer, Run

PARIS, YESTERDAY = (
    chat(text) for text in ("What is the weather in Paris?", "Today is 2026-11-19. What is new?")
)
UMBRELLA = chat("Do I need an umbrella in Lisbon?", tools=[tool()])
CAPTURED = {"choices": [{"index": 0, "message": {"content": "Sunny."}, "finish_reason": "stop"}]}
CASSETTE = Path(__file__).parents[1] / "data" / "cassettes" / "cassetter.yaml"
STEP = "def step(state):\n    return {'total': state['total'] + 1, 'complete': True}\n"
ALL = (None, *COMMANDS)


def help_of(command: str | None) -> CommandHelp:
    more = module_of(command).HELP
    assert isinstance(more, CommandHelp)
    return more


def test_the_first_line_says_what_it_is_for(project: Project) -> None:
    shown = project.run("--help").out
    assert shown.startswith("Test LLM applications against canned answers.\n")
    for title, commands in COMMAND_GROUPS.items():
        lines = [f"{title}:", *(f"  {name:<12}{what}" for name, what in commands.items())]
        assert "\n".join(lines) in shown


@pytest.mark.parametrize("command", ALL)
def test_a_help_ends_with_exit_codes_examples_and_a_page(
    command: str | None, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = project.run(*([command] if command else []), "--help")
    options, _, ending = ran.out.partition("\nexit codes:\n")
    codes, _, examples = ending.partition("\n\nexamples:\n")
    assert "usage: workbench" in options
    assert codes.startswith("  0  ")
    assert max(map(len, codes.splitlines())) <= 80
    assert 2 <= len(help_of(command).examples) <= 3
    assert all(f"  {line}\n" in examples for line in help_of(command).examples)
    page = help_of(command).page
    assert examples.endswith(f"\n\nMore: workbench manual {page}\n")
    assert page in manual.names()
    if command:
        assert ran.out.startswith(COMMANDS[command].capitalize()[:1] + COMMANDS[command][1:] + ".")


def test_every_summary_fits_on_a_line() -> None:
    lengths = {name: len(f"  {name:<12}{what}") for name, what in COMMANDS.items()}
    assert {name: length for name, length in lengths.items() if length > 80} == {}


def prepare(folder: Path) -> None:
    """A project with what the examples name, beside the log of a server."""
    (folder / "fixtures").mkdir(exist_ok=True)
    for request in (PARIS, YESTERDAY):
        name = digest(request)
        answer = {"content": "It is sunny.", "finish_reason": "stop"}
        text = new_document(name, answer, request=request).text
        (folder / "fixtures" / f"{name}.json").write_text(text)
    with (folder / LOG).open("a") as log:
        log.write(served_line(digest(PARIS)) + missed(UMBRELLA))
    (folder / "request.json").write_text(json.dumps(PARIS))
    (folder / "requests.jsonl").write_text(f"{json.dumps(PARIS)}\n{json.dumps(YESTERDAY)}\n")
    (folder / "tests" / "cassettes").mkdir(parents=True)
    (folder / "tests" / "cassettes" / "cassette.yaml").write_bytes(CASSETTE.read_bytes())
    request = {"method": "POST", "url": "https://api.openai.com/v1/chat/completions"}
    posted = {**request, "postData": {"text": json.dumps(chat("hello"))}}
    content = {"mimeType": "application/json", "text": json.dumps(CAPTURED)}
    entry = {"request": posted, "response": {"status": 200, "content": content}}
    (folder / "recorded.har").write_text(json.dumps({"log": {"entries": [entry]}}))
    (folder / "aimock.json").write_text(
        '{"fixtures": [{"match": {"userMessage": "London"}, "response": {"content": "Rain."}}]}'
    )
    (folder / "test_app.py").write_text("def test_it(): pass\n")
    (folder / "app.py").write_text(STEP)
    checkpoints = Checkpointer(folder / "checkpoints", "sums", enabled=True)
    with Run.record("sums", folder=folder / ".workbench" / "runs"):
        first = checkpoints.save({"total": 0, "complete": False}, 0)
        checkpoints.save({"total": 1, "complete": True}, 1)
    assert first is not None
    Checkpoint.load(first).bundled().save(folder / "checkpoint.json")
    for name in (
        *(".local/share/bash-completion/completions", ".config/fish/completions"),
        ".claude/skills/llm-fixtures",
    ):
        (folder / name).mkdir(parents=True)


def as_run(example: str) -> Block:
    """An example as it is run here: a server is stopped once it listens. Two fail, since there is
    an open miss, and a fixture with a warning.
    """
    words = shlex.split(example)
    if words[1] == "--log":
        return Block(1, "sh terminal", example)
    if words[1] == "serve":
        waits = "until grep -qs 'listening on' err; do sleep 0.02; done"
        return Block(1, "sh", f"rm -f err; {example} 2> err & {waits}; kill $!; wait $!")
    return Block(1, "sh fails" if {"--fail", "--strict"} & {*words} else "sh", example)


@pytest.mark.parametrize("command", ALL)
def test_the_examples_do_what_they_say(command: str | None, tmp_path: Path) -> None:
    with Reader(tmp_path, LOG, f"{NEEDS_LOG} {NEEDS_KEY}") as reader:
        prepare(tmp_path)
        for example in help_of(command).examples:
            try:
                reader.do(as_run(example))
            except Exception as error:
                error.add_note(f"in the example: {example}")
                raise


def test_an_example_that_is_wrong_is_found(tmp_path: Path) -> None:
    with Reader(tmp_path, LOG, f"{NEEDS_LOG} {NEEDS_KEY}") as reader, pytest.raises(AssertionError):
        reader.do(as_run("workbench show 0000"))


def test_a_narrow_terminal_wraps_the_help(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    shown = project.run("misses", "--help").out
    codes = shown.partition("exit codes:\n")[2].partition("\n\n")[0]
    assert max(map(len, codes.splitlines())) <= 50


def test_unknown_options_and_commands_are_told_with_what_may_be_meant(project: Project) -> None:
    for words, said in (
        (["misses", "--opn"], 'unknown option --opn; did you mean "--open"?'),
        (["misses", "--zzz=1"], "unknown option --zzz"),
        (["schema", "x", "y"], "unexpected arguments x y"),
        (["msises"], 'unknown command msises; did you mean "misses"?'),
        (["zzzzzz"], "unknown command zzzzzz"),
    ):
        prog = f"workbench {words[0]}" if words[0] in COMMANDS else "workbench"
        expected = f"{prog}: error: {said}\nsee {prog} --help\n"
        assert project.run(*words) == (2, "", expected)
