"""Programs that ask a model: coding agents, for the terminal."""

from __future__ import annotations

from typing import Final

from tests.clients.client import STREAM, Client
from tests.server.promoting import ANSWER

_BASH: Final = (
    ("--tool-call", "Bash", '{"command":"echo 21 C in Rome"}'),
    ("--tool-call", "Bash", '{"command":"echo 21 C in Oslo"}'),
    ("--content", ANSWER),
)
_PROGRAMS: Final = (
    Client(
        "claude",
        "messages",
        ("@anthropic-ai/claude-code",),
        'claude -p "$QUESTION" --allowedTools Bash --model claude-sonnet-4-6',
        "Programs",
        modes=(STREAM,),
        # Else it asks for a title of the conversation, too.
        environment={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        replies=_BASH,
    ),
    Client(
        "codex",
        "responses",
        ("@openai/codex",),
        'codex exec --skip-git-repo-check -m gpt-5 -c "openai_base_url=\\"$OPENAI_BASE_URL\\"" '
        '"$QUESTION"',
        "Programs",
        modes=(STREAM,),
        needs='`-c "openai_base_url=\\"$OPENAI_BASE_URL\\""`',
        # Results of these tools are the same in each run; those of its shell are not.
        replies=(
            ("--tool-call", "get_goal", "{}"),
            ("--tool-call", "view_image", '{"path":"missing.png"}'),
            ("--content", ANSWER),
        ),
    ),
)
PROGRAMS: Final = {program.name: program for program in _PROGRAMS}
