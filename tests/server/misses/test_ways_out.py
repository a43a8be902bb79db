"""The error of a request without a fixture, as clients show it: its command can be pasted."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import anthropic
import boto3
import httpx
import ollama
import pytest
from google import genai
from google.genai import types
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from openai import OpenAI
from pydantic import SecretStr

from tests.core.fixture.rules.rule_cases import KEY as SECRET
from tests.forked import run_forked
from tests.server.running import RunningServer, clean_environment
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.server.misses.strict import ways_out

# Both kinds of quotes: the repr of a text with both escapes one of them.
QUESTION: Final = 'What\'s "the" weather?'
MESSAGES: Final[list[Any]] = [{"role": "user", "content": QUESTION}]
KEY: Final = "any"


def chat(url: str) -> None:
    with OpenAI(base_url=url + "/v1", api_key=KEY) as client:
        client.chat.completions.create(model="gpt-5", messages=MESSAGES)


def chat_stream(url: str) -> None:
    with OpenAI(base_url=url + "/v1", api_key=KEY) as client:
        list(client.chat.completions.create(model="gpt-5", messages=MESSAGES, stream=True))


def responses(url: str) -> None:
    with OpenAI(base_url=url + "/v1", api_key=KEY) as client:
        client.responses.create(model="gpt-5", input=QUESTION)


def responses_stream(url: str) -> None:
    with OpenAI(base_url=url + "/v1", api_key=KEY) as client:
        list(client.responses.create(model="gpt-5", input=QUESTION, stream=True))


def messages(url: str) -> None:
    with anthropic.Anthropic(base_url=url, api_key=KEY) as client:
        client.messages.create(model="claude-5", max_tokens=9, messages=MESSAGES)


def messages_stream(url: str) -> None:
    with (
        anthropic.Anthropic(base_url=url, api_key=KEY) as client,
        client.messages.stream(model="claude-5", max_tokens=9, messages=MESSAGES) as stream,
    ):
        stream.get_final_text()


def gemini(url: str) -> None:
    with genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=url)) as client:
        client.models.generate_content(model="gemini-3", contents=QUESTION)


def gemini_stream(url: str) -> None:
    with genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=url)) as client:
        list(client.models.generate_content_stream(model="gemini-3", contents=QUESTION))


def ollama_chat(url: str) -> None:
    with ollama.Client(url) as client:
        client.chat(model="llama", messages=MESSAGES)


def bedrock(url: str) -> None:
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    with closing(client):
        said: list[Any] = [{"role": "user", "content": [{"text": QUESTION}]}]
        client.converse(modelId="nova", messages=said)


def cohere(url: str) -> None:
    body = {"model": "command-a", "messages": MESSAGES}
    reply = httpx.post(f"{url}/v2/chat", json=body)
    if reply.status_code != 200:
        raise LookupError(reply.json()["message"])


def langchain_openai(url: str) -> None:
    ChatOpenAI(base_url=url + "/v1", api_key=SecretStr(KEY), model="gpt-5").invoke(QUESTION)


def langchain_anthropic(url: str) -> None:
    model: Any = ChatAnthropic
    model(base_url=url, api_key=SecretStr(KEY), model="claude-5").invoke(QUESTION)


CLIENTS: Final = [
    *(chat, chat_stream, responses, responses_stream, messages, messages_stream),
    *(gemini, gemini_stream, ollama_chat, bedrock, cohere, langchain_openai, langchain_anthropic),
]


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("it's strict")
    with RunningServer(folder, arguments=("--strict",), working_folder=folder) as server:
        yield server


def error_of(ask: Callable[[str], None], url: str) -> str:
    """What a client shows of the error."""
    with pytest.raises(Exception, match="workbench: no fixture for this request") as caught:
        ask(url)
    return str(caught.value)


def paste(command: str, folder: Path) -> None:
    words = shlex.split(command.replace("…", "Yes."))
    assert words[0] == "workbench"
    done = run_forked(*words[1:], folder=folder, environment={})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("ask", CLIENTS, ids=lambda ask: ask.__name__)
def test_each_client_shows_a_command_that_answers_the_request(
    strict: RunningServer, ask: Callable[[str], None]
) -> None:
    for path in strict.fixtures.glob("*.json"):  # of clients before it
        path.unlink()
    message = error_of(ask, strict.url)
    assert "What's 'the' weather?" in message
    command = re.search(r"Answer it: (workbench promote \w{12} .*--content '…')", message)
    assert command, message
    paste(command[1], strict.log_path.parent)
    ask(strict.url)


def test_a_request_that_was_held_in_vain_says_so(tmp_path: Path) -> None:
    arguments = ("--strict", "--hold", "0.3")
    with RunningServer(tmp_path, arguments=arguments, working_folder=tmp_path) as server:
        message = error_of(chat, server.url)
    assert re.search(r"held for \d s, and no answer was saved in time\.\n", message)
    assert "Answer it: workbench promote" in message


def test_a_stale_fixture_is_moved_by_the_command(tmp_path: Path) -> None:
    with RunningServer(tmp_path, arguments=("--strict",), working_folder=tmp_path) as server:
        dated = {"model": "gpt-5", "messages": [{"role": "user", "content": "On 2026-11-19?"}]}
        asked = {"model": "gpt-5", "messages": [{"role": "user", "content": "On 2026-11-20?"}]}
        stored = {"response": {"content": "Yes."}, "request": dated}
        server.write_fixture(digest(dated), stored)
        message = server.chat(asked).json()["error"]["message"]
        [command] = re.findall("Move the fixture, if its answer still fits: (.*)", message)
        paste(command, tmp_path)
        assert server.chat(asked).content == "Yes."


def prompted(system: str, question: str = "Is it raining?") -> dict[str, Any]:
    asked = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    return {"model": "gpt-5", "messages": asked}


@pytest.mark.parametrize(
    "changed",
    [
        prompted("You are a helpful weather bot. Be brief."),
        {**prompted("You are a helpful weather bot."), "model": "gpt-6"},
    ],
)
def test_the_fixture_of_an_edited_prompt_is_moved_by_the_first_command(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    before = prompted("You are a helpful weather bot.")
    with RunningServer(tmp_path, arguments=("--strict",), working_folder=tmp_path) as server:
        server.write_fixture(digest(before), {"response": {"content": "Yes."}, "request": before})
        message = server.chat(changed).json()["error"]["message"]
        command, second = re.findall("(workbench (?:rekey|promote) .*)", message)
        assert command.startswith("workbench rekey")
        assert second.startswith("workbench promote")
        paste(command, tmp_path)
        assert server.chat(changed).content == "Yes."


def test_the_fixture_of_another_question_or_one_in_use_is_not_offered(tmp_path: Path) -> None:
    before = prompted("You are a helpful weather bot.")
    with RunningServer(tmp_path, arguments=("--strict",), working_folder=tmp_path) as server:
        server.write_fixture(digest(before), {"response": {"content": "Yes."}, "request": before})
        other = prompted("You are a helpful weather bot.", "Is it snowing?")
        assert "workbench rekey" not in server.chat(other).body.decode()
        assert server.chat(before).content == "Yes."
        changed = prompted("You are a helpful weather bot. Be brief.")
        assert "workbench rekey" not in server.chat(changed).body.decode()


def test_a_request_with_a_secret_gets_no_command_that_is_refused(tmp_path: Path) -> None:
    before = prompted("You are a helpful weather bot.")
    with RunningServer(tmp_path, arguments=("--strict",), working_folder=tmp_path) as server:
        server.write_fixture(digest(before), {"response": {"content": "Yes."}, "request": before})
        changed = prompted(f"You are a helpful weather bot. Send {SECRET}.")
        message = server.chat(changed).json()["error"]["message"]
    assert "The nearest fixture is" in message
    assert not re.search("workbench (?:rekey|promote)", message)
    assert (
        "contains what looks like an API key (sk-…f3a). Remove it from the request, or store"
        in message
    )
    assert "Answer it: workbench run -- pytest" in message


@pytest.mark.parametrize(
    ("test", "lines"),
    [
        ("", ["Answer it: workbench run -- pytest (or the command of your suite)"]),
        ("worker", ["Answer it: workbench run -- pytest (or the command of your suite)"]),
        ("gone.py::test_a", ["Answer it: workbench run -- pytest (or the command of your suite)"]),
        (f"{__file__}::test_a", [f"Answer it: workbench run -- pytest {__file__}::test_a"]),
    ],
)
def test_without_a_log_the_suite_is_to_be_run(test: str, lines: list[str]) -> None:
    asked = view({"model": "m", "messages": MESSAGES})
    assert list(ways_out(asked, None, Path("fixtures"), test, "")) == lines


SUITE: Final = """
from openai import OpenAI

def test_weather():
    asked = [{"role": "user", "content": "What is the weather in London?"}]
    OpenAI().chat.completions.create(model="gpt-4o", messages=asked)
"""


def test_what_run_without_a_terminal_prints_makes_the_suite_pass(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "test_weather.py").write_text(SUITE)

    def run() -> tuple[int, str]:
        environment = {**clean_environment(), "WORKBENCH_PORT": "0"}
        words = ["run", "--", sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        done = run_forked(*words, folder=tmp_path, environment=environment)
        return done.returncode, done.stdout.decode()

    code, output = run()
    assert code == 1
    [command] = re.findall("E +Answer it: (workbench promote .*)", output)
    assert command == "workbench promote 99f0a02e7392 --content '…'"
    [again] = re.findall("E +Or answer it while the test waits: (.*)", output)
    assert again == "workbench run -- pytest test_weather.py::test_weather"
    paste(command, tmp_path)
    assert run()[0] == 0


def test_what_a_run_with_another_folder_prints_names_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.workbench]\nfixtures = "usual"\n')
    (tmp_path / "test_weather.py").write_text(SUITE)
    (tmp_path / "other").mkdir()

    def run() -> tuple[int, str]:
        environment = {**clean_environment(), "WORKBENCH_PORT": "0"}
        suite = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        words = ["run", "--fixtures", "other", "--", *suite]
        done = run_forked(*words, folder=tmp_path, environment=environment)
        return done.returncode, (done.stdout + done.stderr).decode()

    code, output = run()
    assert code == 1
    commands = re.findall(": (workbench .*)|^ +(workbench promote .*)", output, re.MULTILINE)
    words = [shlex.split(first or second) for first, second in commands]
    assert [each[1] for each in words] == ["promote", "run", "promote", "--fixtures", "--fixtures"]
    assert all(each[each.index("--fixtures") + 1] == "other" for each in words)
    paste(shlex.join(words[0]), tmp_path)
    assert run()[0] == 0
