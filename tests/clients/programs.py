"""Programs that ask a model: coding agents, for the terminal."""

from __future__ import annotations

import json
import shlex
from typing import Any, Final

from tests.clients.agents.weather import WARM_SCHEMA
from tests.clients.client import STREAM, STRUCTURED, STRUCTURED_QUESTION, Client
from tests.server.promoting import ANSWER


def _calls(tool: str, *arguments: str) -> tuple[tuple[str, ...], ...]:
    """A model that calls a tool of the program with each of these, then answers. The results of the
    tool are the same in each run: those of some shells are not.
    """
    return (*(("--tool-call", tool, each) for each in arguments), ("--content", ANSWER))


def _program(name: str, api: str, package: str, line: str, **more: Any) -> Client:
    """A program, which streams: it does not ask otherwise."""
    return Client(name, api, (package,), line, "Programs", modes=(STREAM,), **more)


def _promptfoo(name: str, api: str, provider: str, config: dict[str, Any], **more: Any) -> Client:
    """A run of promptfoo, which asks one question, not streamed."""
    suite = {
        "prompts": [STRUCTURED_QUESTION],
        "providers": [{"id": provider, "config": config}],
        "tests": [{"assert": [{"type": "contains", "value": "Rome"}]}],
    }
    return Client(
        name,
        api,
        ("promptfoo",),
        f"echo {shlex.quote(json.dumps(suite))} > promptfooconfig.json && "
        "promptfoo eval --no-cache -o out.json && "
        'node -p \'let {output} = require("./out.json").results.results[0].response;'
        "output.city ? JSON.stringify(output) : output'",
        "Programs",
        beside=("node",),  # it needs a newer one than many systems have
        part=f"`{provider.partition(':')[0]}:`",
        modes=(STRUCTURED,),
        environment={"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1"},
        **more,
    )


_PROGRAMS: Final = (
    _promptfoo(
        "promptfoo",
        "chat",
        "openai:chat:gpt-4o",
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "warm", "strict": True, "schema": WARM_SCHEMA},
            }
        },
    ),
    _promptfoo(
        "promptfoo-google",
        "gemini",
        "google:gemini-2.5-flash",
        {"generationConfig": {"response_mime_type": "application/json"}},
        intercept=True,
    ),
    _program(
        "claude",
        "messages",
        "@anthropic-ai/claude-code",
        'claude -p "$QUESTION" --allowedTools Bash',
        # Else it asks for a title of the conversation, too.
        environment={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        replies=_calls(
            "Bash", '{"command":"echo 21 C in Rome"}', '{"command":"echo 21 C in Oslo"}'
        ),
    ),
    _program(
        "codex",
        "responses",
        "@openai/codex",
        'codex exec --skip-git-repo-check -c "openai_base_url=\\"$OPENAI_BASE_URL\\"" "$QUESTION"',
        needs='`-c "openai_base_url=\\"$OPENAI_BASE_URL\\""`',
        replies=_calls("list_agents", "{}", "{}"),
    ),
    _program(
        "codex-intercepted",
        "responses",
        "@openai/codex",
        'codex exec --skip-git-repo-check "$QUESTION"',
        intercept=True,
        replies=_calls("list_agents", "{}", "{}"),
    ),
    _program(
        "gemini",
        "gemini",
        "@google/gemini-cli",
        "mkdir -p .gemini && "
        """echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' """
        '> .gemini/settings.json && gemini -m gemini-2.5-flash --yolo -p "$QUESTION"',
        needs='`{"security": {"auth": {"selectedType": "gemini-api-key"}}}` into its settings',
        environment={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        replies=_calls("read_file", '{"file_path":"rome.txt"}', '{"file_path":"oslo.txt"}'),
    ),
    _program(
        "gemini-intercepted",
        "gemini",
        "@google/gemini-cli",
        'gemini -m gemini-2.5-flash --yolo -p "$QUESTION"',
        intercept=True,
        environment={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        replies=_calls("read_file", '{"file_path":"rome.txt"}', '{"file_path":"oslo.txt"}'),
    ),
    _program(
        "opencode",
        "responses",
        "opencode-ai",
        'opencode run --model openai/gpt-5 "$QUESTION"',
        replies=_calls(
            "bash",
            '{"command":"echo 21 C in Rome","description":"Rome"}',
            '{"command":"echo 21 C in Oslo","description":"Oslo"}',
        ),
    ),
    _program(
        "qwen",
        "chat",
        "@qwen-code/qwen-code",
        'qwen --auth-type openai --model gpt-5 --yolo -p "$QUESTION"',
        replies=_calls("list_directory", '{"path":"rome"}', '{"path":"oslo"}'),
    ),
)
PROGRAMS: Final = {program.name: program for program in _PROGRAMS}
