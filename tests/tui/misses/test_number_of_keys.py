"""How many keys the answers to an agent take beyond their texts, in a real terminal and one run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.terminal import Terminal

MOST_KEYS = 12

# One tool call, one structured answer, one text.
AGENT = """
import json
from openai import OpenAI

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
ADVICE = {"type": "json_schema", "json_schema": {"name": "Advice", "schema": {
    "type": "object",
    "properties": {"take": {"enum": ["umbrella", "hat"]}, "why": {"type": "string"}},
    "required": ["take", "why"]}}}

with OpenAI(max_retries=0) as client:
    messages = [{"role": "user", "content": "What do I need in London?"}]

    def ask(**more):
        asked = client.chat.completions.create(model="gpt-4o", messages=messages, **more)
        messages.append(asked.choices[0].message.model_dump(exclude_none=True))
        return asked.choices[0].message

    [call] = ask(tools=[TOOL]).tool_calls
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "12C, rain"})
    advice = json.loads(ask(response_format=ADVICE).content)
    messages.append({"role": "user", "content": "In a word?"})
    print("agent:", call.function.arguments, advice["take"], advice["why"], ask().content)
"""


class Keys:
    """Counts the keys that are pressed, without the texts that are typed."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.count = 0

    def press(self, *keys: str) -> None:
        self.count += len(keys)
        self.terminal.press(*keys)

    def write(self, text: str) -> None:
        self.terminal.type(text)
        self.terminal.wait_for(text)


@pytest.mark.timeout(180)
def test_three_answers_take_few_keys(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.workbench]\nport = 0\n")
    command = [*FORKED, "run", "--", sys.executable, "-c", AGENT]
    with Terminal(command, columns=100, rows=36, folder=tmp_path) as terminal:
        keys = Keys(terminal)
        terminal.wait_for("> ‖ ")
        keys.press("t")
        terminal.wait_for('"city": ‹text›')
        keys.write("London")
        keys.press("^s")
        terminal.wait_for("checked against Advice")
        keys.press("enter")
        terminal.wait_for('"hat"')
        keys.press("enter")
        keys.write("rain")
        keys.press("^s")
        terminal.wait_for("In a word?")
        keys.press("enter")
        terminal.wait_for("^s Save")
        keys.write("Umbrella!")
        keys.press("^s")
        terminal.wait_for("Suite passed")
        keys.press("5")
        terminal.wait_for('agent: {"city": "London"} umbrella rain Umbrella!')
        keys.press("q")
        assert terminal.wait_for_end() == 0
    assert keys.count <= MOST_KEYS
    fixtures = [json.loads(p.read_text()) for p in (tmp_path / "fixtures").glob("*.json")]
    assert sorted(f["response"]["content"] for f in fixtures) == [
        "",
        "Umbrella!",
        '{"take": "umbrella", "why": "rain"}',
    ]
