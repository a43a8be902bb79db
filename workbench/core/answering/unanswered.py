"""Error messages for requests without an answer: they identify the request and list the commands
that answer it.

The messages contain no double quotes. Many clients show an error as the ``repr`` of its JSON, which
escapes the quotes of a command if the text has both kinds; such a command cannot be pasted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import file_name
from workbench.core.fixture.placeholder import PLACEHOLDER
from workbench.core.fixture.skeleton import demanded_tool
from workbench.core.replies.answer import Answer
from workbench.core.requests.view import RequestView
from workbench.core.text import shell
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt, json_escaped, unsafe
from workbench.core.written.credentials import HIDDEN

REPEATS: Final = (
    "Its text repeats a credential of its headers or URL, so the log does not contain the request. "
    "Take the credential out of the text, then answer the request."
)
_QUESTION: Final = 60
_MODEL: Final = 40
# A longer answer is easier to write in a file than on a command line.
_LONGEST_ANSWER: Final = 200


def about(request: RequestView, *, is_hidden: bool = False) -> str:
    """``99f0a02e7392 · gpt-4o · “What is the weather in London?”``: identifies a request.

    Args:
        is_hidden: leave out the text of the request, because it repeats a credential.
    """
    question = excerpt(request.last_user_text or request.new_text, _QUESTION)
    shown = HIDDEN if is_hidden else question and f"“{question}”"
    parts = [short(request.digest), excerpt(request.model, _MODEL), shown]
    return quoted(" · ".join(filter(None, parts)))


def unusable(answer: Answer, *, is_hidden: bool = False) -> str:
    """Why the fixture of a request cannot be used. ``is_hidden``: see ``about``."""
    which = about(answer.request, is_hidden=is_hidden)
    return (
        f"workbench: the fixture of this request cannot be used ({which}).\n"
        f"{quoted(str(answer.broken))}. Correct the fixture; workbench validate shows the place."
    )


def quoted(text: str) -> str:
    """``text`` with single quotes for double ones."""
    return text.replace('"', "'")


def promote_command(request: RequestView, options: Sequence[str]) -> str:
    """The command that saves an answer for a request, with an example of the answer; "" if no
    example is found.

    Args:
        options: of the command, which name its log and fixtures.
    """
    answer = _answer(request)
    if answer is None or sum(map(len, answer)) > _LONGEST_ANSWER:
        return ""
    return shell.command(["workbench", "promote", short(request.digest), *options, *answer])


def rekey_line(old: str, new: str, options: Sequence[str]) -> str:
    """A line with the command that moves the fixture of an older request to a new one."""
    command = shell.command(["workbench", "rekey", short(old), short(new), *options])
    return f"Move the fixture, if its answer still fits: {command}"


def secret_line(request: RequestView) -> str:
    """Why the commands that save a fixture refuse a request that contains a secret, and what to do;
    "" for other requests.
    """
    from workbench.core.fixture import rules  # slow to load
    from workbench.core.fixture.request_storage import storable

    stored = storable(request.payload).request
    document = new_document(request.digest, {"content": ""}, request=stored)
    secrets = rules.secrets_in(document.text, file_name(request.digest))
    if not secrets:
        return ""
    where = secrets[0].message.removeprefix("request.")
    return quoted(
        f"No fixture is saved for this request, because {where}. Remove it from the request, or "
        "store it with the option --allow-secret of promote and rekey."
    )


def run_command(options: Sequence[str], *arguments: str) -> str:
    """The command that runs tests of pytest and waits for their answers.

    Args:
        options: of the command, which name its fixtures.
        arguments: of pytest.
    """
    return shell.command(["workbench", "run", *options, "--", "pytest", *arguments])


def _answer(request: RequestView) -> list[str] | None:
    """An example answer as options of the command: the required call, a value in the required
    output format, or text.
    """
    tool, output = demanded_tool(request), request.output_format
    if tool is None and not output.is_json:
        return ["--content", PLACEHOLDER]
    from workbench.core.fixture.example import example, example_arguments  # slow to load

    if tool is not None:
        if tool not in request.tools or not _is_argument(tool.name):
            return None
        text = PLACEHOLDER if tool.is_custom else example_arguments(tool.parameters or {})
        return None if text is None else ["--tool-call", tool.name, json_escaped(text)]
    text = "{}" if output.schema is None else example(output.schema)
    if text is None:
        return None
    # With a space, a number below 0 would be read as an option.
    return [f"--content={text}"] if text.startswith("-") else ["--content", json_escaped(text)]


def _is_argument(name: str) -> bool:
    """True if every shell can pass the name of a tool to a command as an argument of an option."""
    return not (name.startswith("-") or unsafe().search(name))
