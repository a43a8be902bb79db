"""The pages of the manual that follow from the code: commands, exit codes, keys, rules, settings,
formats, the control API, the variables of clients, the Python API.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from inspect import getdoc
from itertools import chain
from typing import Final
from unittest.mock import Mock, patch

from starlette.routing import Route

from tests.clients.client import OF_CHAT
from tests.clients.results import Result, read_results
from tests.manual.markdown import page, table
from tests.manual.python_api import python_api
from workbench.cli.exit_codes import EXIT_CODES
from workbench.cli.main import COMMANDS, command_parser
from workbench.core.apis.client_settings import ClientVariable
from workbench.core.apis.table import APIS
from workbench.core.fixture.rules import RULES
from workbench.core.json.form import Form, Key
from workbench.core.misses.miss import MissFacts, RequestFacts
from workbench.core.misses.record import MissRecord
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.text.wording import listed
from workbench.io import manual
from workbench.io.settings import SETTINGS, Settings
from workbench.server.routes.control import Control
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys.keymap import commands
from workbench.tui.launch import Launch

HELP_WIDTH = "100"


def command_line() -> str:
    """Every command with its ``--help``."""
    parts = []
    with patch.dict(os.environ, {"COLUMNS": HELP_WIDTH}):
        for command in (None, *COMMANDS):
            name = f"workbench {command}" if command else "workbench"
            parts.append(f"## {name}\n\n```text shown\n{command_parser(command).format_help()}```")
    return page(
        "Commands",
        "Every command with its options, as `--help` prints them. Results go to standard output, "
        "messages to standard error. A table of the exit codes is at the end. The [reference "
        "stub](server.md#the-reference-stub) is another server that reads the same fixtures.",
        *parts,
        exit_codes(),
    )


def exit_codes() -> str:
    """The section with the exit codes of each command."""
    rows = (
        (f"`workbench {command}`" if command else "`workbench`", str(code), when)
        for command, codes in EXIT_CODES.items()
        for code, when in codes.items()
    )
    return "\n\n".join(
        [
            "## Exit codes",
            "A code other than 0 fails a build. Two things count, in all commands: a request that "
            "has no usable fixture or is not supported, unless you ignore it, and an error in a "
            "fixture. The action for GitHub runs the commands and uses their exit codes.",
            "If you press Ctrl+C, a command exits with 130, and the server with 0. If the reader "
            "of the output ends early, such as `head`, a command exits with 141.",
            table("command, code, when", rows),
        ]
    )


# Parts of the screen that have no title there.
PARTS: Final = {
    "ExportPicker": "Export of a request",
    "RowList": "Every list",
    "Tab": "Every tab",
    "Workspace": "Tabs of misses and fixtures",
}


def keys() -> str:
    """The keys of each part of the terminal application."""
    app = WorkbenchApp(Mock(), Launch())
    parts = [
        f"## {PARTS.get(title, title)}\n\n"
        + table(
            "key, name, what it does",
            (
                # Each key alone: "[", where the key bar has "[ ]" for two commands.
                (
                    f"`{app.get_key_display(replace(key, key_display=None))}`",
                    f"`{key.id}`",
                    key.tooltip,
                )
                for key in bindings
            ),
        )
        for title, bindings in commands().items()
    ]
    return page(
        "Keys",
        "Every key of the terminal application. `^s` is Ctrl+S. If your terminal or multiplexer "
        "uses a Ctrl key itself, press the other key of the row. A key works while its part "
        "of the screen has the focus. Keys of a tab work in all its panes.",
        "To give a command another key, write its name into `[tool.workbench.keys]`: "
        '`"miss.accept" = "ctrl+y"`.',
        *parts,
    )


def rules() -> str:
    """The table of rules, and the explanation of each, which is written there."""
    summary = table(
        "rule, severity, what is wrong",
        ((f"`{name}`", rule.severity, rule.summary) for name, rule in RULES.items()),
    )
    return page(
        "Rules",
        "`workbench validate` checks these rules, and so does the editor while you type. "
        "`workbench validate --explain RULE` prints one explanation. To let a fixture break a "
        'rule, write `"workbench": {"allow": ["rule"]}` into it. For each rule, the first 100 '
        "findings in a file are listed, with the number of the others.",
        "Some findings have a fix. `workbench validate --fix` and `F` in the Fixtures tab apply "
        "all fixes, and `^r` in the answer applies one. You get a fix only if its result is valid "
        "and fits the schema, and no other change of the same size does. So "
        '`"2"` becomes `2` if the schema requires an integer, and a missing bracket is added if '
        "there is only one place for it. `[1 2]` stays, because `[1, 2]` and `[12]` are both "
        "possible.",
        "`--fix` does not change fixtures that were recorded from a real API (`workbench.source` "
        "is `recorded` or `imported`), and prints the number of fixes that it left out. "
        "`--fix-recorded` applies these fixes as well.",
        "The [reference stub](server.md#the-reference-stub) is another server that reads the same "
        "fixtures.",
        summary,
        *(f"## {name}\n\n{manual.section('rules', name)}" for name in RULES),
    )


def settings() -> str:
    """The settings with their types, defaults and meanings."""
    meanings = attributes(Settings)
    defaults = Settings()._asdict()
    rows = (
        (f"`{name}`", kind.expected, _default(defaults[name]), meanings[name])
        for name, kind in SETTINGS.items()
    )
    return page(
        "Settings",
        "A setting is taken from the first of these places that has it: an option of the command, "
        "an environment variable (`WORKBENCH_PORT` for `port`), `[tool.workbench]` in the nearest "
        "`pyproject.toml`. `workbench doctor` shows where each setting comes from.",
        table("setting, value, default, meaning", rows),
        "The [reference stub](server.md#the-reference-stub) is another server that reads the same "
        "fixtures.",
        "- If a value is not valid, the command ends with an error that has the file, line and "
        "column.\n"
        "- If a name is not a setting, or a key is not a command, you get a warning, and the rest "
        "of the file is used. The terminal application shows the warning in its status line.\n"
        "- A list in an environment variable has commas: `WORKBENCH_NORMALISE=date,uuid`. Keys are "
        "written as `WORKBENCH_KEYS=quit=ctrl+x;help=f2`.",
        "`WORKBENCH_UPSTREAM_KEY` contains the key for the upstream. Values under 8 characters "
        "count as placeholders. You can only set the key in the environment, so that it never ends "
        "up in a file.",
    )


def _default(value: object) -> str:
    """As in a TOML file; "" for none."""
    return f"`{json.dumps(value, default=str)}`" if value not in (None, "", (), {}) else ""


def attributes(documented: type) -> dict[str, str]:
    """What the docstring of a class says of its attributes."""
    text = (getdoc(documented) or "").partition("Attributes:\n")[2]
    found = re.findall(r"^ {4}([\w, ]+): (.*(?:\n {8}.*)*)", text, re.M)
    return {name: about for names, about in found for name in names.split(", ")}


def formats() -> str:
    """The keys of a fixture file and of a row of ``misses``."""
    never_null = [
        f"`{key.name}`" for _, key in _fixture_keys() if key.never_null and key.kind.type != "never"
    ]
    keys = (
        (path, key.kind.expected + (", required" if key.missing else ""), key.meaning)
        for path, key in _fixture_keys()
    )
    meanings = attributes(RequestFacts) | attributes(MissFacts) | attributes(MissRecord)
    rows = (
        (f"`{each.name}`", _json_type(each.type), meanings.get(each.name, ""))
        for each in sorted(fields(MissRecord), key=lambda each: each.name != "digest")
    )
    return page(
        "Formats",
        "The keys of a fixture file, and of the JSON that `workbench misses` prints. Later "
        "versions may add keys. [Output](output.md) describes the other formats.",
        "## A fixture file\n\n`workbench schema` prints the same as a JSON Schema. "
        "[The fixture file](fixture-file.md) has an example. A key with the value `null` counts as "
        f"left out. A required key cannot be `null`, nor can {listed(never_null)}.",
        table("key, value, meaning", keys),
        "## A row of workbench misses --format json\n\nEach row also has `test`, the first of "
        "`tests`.",
        table("key, type, meaning", rows),
    )


# The types of fields, in words.
_JSON: Final = {
    "str": "string",
    "int": "number",
    "bool": "true or false",
    "None": "null",
    "dict[str, Any]": "object",
    "RecordState": "string",
}


def _json_type(kind: object) -> str:
    """The type of a field, as JSON has it."""
    kinds = re.sub(r"dict\[str, Any\]|\w+", lambda name: _JSON.get(name[0], name[0]), str(kind))
    return re.sub(r"(?:tuple|list)\[(\w+).*?\]", r"list of \1s", kinds).replace(" | ", " or ")


def _fixture_keys() -> list[tuple[str, Key]]:
    """Every key of a fixture file by its path, outer ones first; those of each form once: where it
    is that of an object, not of those in a list beside it.
    """
    seen: set[str] = set()

    def keys_of(form: Form, prefix: str) -> Iterator[tuple[str, Key]]:
        seen.add(form.title)
        of_objects = [key.kind.form for key in form.keys if key.kind.type == "object"]
        for key in form.keys:
            yield f"`{prefix}{key.name}`", key
            inner, is_list = key.kind.form, key.kind.type == "array"
            if inner is None or inner.title in seen or (is_list and inner in of_objects):
                continue
            yield from keys_of(inner, f"{prefix}{key.name}{'[].' if is_list else '.'}")

    return list(keys_of(FIXTURE_FORM, ""))


def variables() -> str:
    """The variables that ``workbench run`` sets, with the clients that read each."""
    server = "http://127.0.0.1:7899"
    base_urls = _rows(
        (each._replace(value=server + each.value) for each in api.client.all_base_urls)
        for api in APIS
    )
    placeholders = _rows(api.client.all_placeholders for api in APIS)
    taken_out = [f"`{name}`" for api in APIS for name in api.client.taken_out]
    others = (
        ("`WORKBENCH_URL`", f"`{server}`, for code of yours that chooses a base URL"),
        ("`NO_PROXY`, `no_proxy`", "your value and this machine, because a proxy cannot reach it"),
        (
            "`TOX_OVERRIDE`",
            "your value, and `pass_env+=` with the variables of this page, because tox passes on "
            "only the variables that it is told to. If a tox environment has a `pass_env` of its "
            "own, add the variables there. nox and uv pass all variables on.",
        ),
    )
    endpoints = _rows(api.client.endpoints for api in APIS)
    hosts = (
        (api.name, ", ".join(f"`{host}`" for host in api.client.hosts))
        for api in reversed({api.client: api for api in reversed(APIS)}.values())
        if api.client.hosts
    )
    head = "variable, value, clients that read it"
    return page(
        "Variables",
        "The environment variables that `workbench run` sets for your suite, so that its clients "
        "find the server. [Clients](clients.md) explains what to do with a client that reads none "
        "of them. [Headers](headers.md) lists the variables that workbench itself reads.",
        f"## Base URLs\n\nIn this table the server is at `{server}`. Your own values are replaced "
        f"while the suite runs. {listed(taken_out)} are removed, because they contradict the base "
        "URLs.",
        table(head, base_urls),
        "## Keys\n\nThese are only set where you have no value of your own.",
        table(head, placeholders),
        "## Others",
        table("variable, value", others),
        "## With --intercept\n\n[Interception](interception.md#what-it-changes) lists the "
        "variables that lead programs to the proxy. Clients of the hosts below get no base URL. "
        "Besides the keys, these are set where you have no value of your own:",
        table(head, endpoints),
        "## Hosts\n\n`--intercept` answers requests to these hosts. They are grouped by the API "
        "that most of their clients use. `*` stands for a part of a name without a dot.",
        table("API, hosts", hosts),
    )


def _rows(tables: Iterable[Iterable[ClientVariable]]) -> Iterator[tuple[str, str, str]]:
    """The rows for some variables, each once: some APIs share their clients."""
    for name, value, clients in dict.fromkeys(chain.from_iterable(tables)):
        yield f"`{name}`", f"`{value}`", clients


# Where the page about clients has its tables.
_TRIED: Final = re.compile(r"(?<=\n## Tried\n\n).*?(?=\n## )", re.S)


def clients() -> str:
    """The page about clients with the tables of those that were tried; the rest is by hand."""
    results = read_results().values()
    dates = sorted({result.date for result in results})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    about = (
        "`python -m tests.clients` ran these clients under `workbench run`, each as its own quick "
        f"start uses it, on {when}. The tables show how a client finds the server:\n\n"
        "- **yes**: by a variable that `workbench run` sets. You change nothing.\n"
        "- **a line**: you write the line that is listed below the table.\n"
        "- **intercept**: you run it with [`--intercept`](interception.md).\n\n"
        "Each client ran an agent with two tool calls (tools), the same agent with a stream "
        "(stream) and a request for a JSON object (structured). If a client ran only some of "
        "these, the list below the table names them. Each program got one task."
    )
    text = "\n\n".join([about, *tables_of_clients(results)]) + "\n"
    return _TRIED.sub(lambda _: text, manual.read("clients"))


def tables_of_clients(results: Iterable[Result]) -> Iterator[str]:
    """For each language a table of the clients and the APIs that they use, then two lists: what to
    write for a client, and with which of its parts, or how far, it was tried.
    """
    by_language = defaultdict[str, list[Result]](list)
    for result in sorted(results, key=lambda result: (result.language, result.part)):
        by_language[result.language].append(result)
    for language, group in by_language.items():
        yield f"### {language}\n\n{_matrix(group)}"
        yield f"You write:\n\n{_lines_to_write(group)}"
        yield f"Classes, models and modes that were tried:\n\n{_tried_with(group)}"


WAYS: Final = ("yes", "a line", "intercept")


def _way(result: Result) -> str:
    return {"": "yes", "`--intercept`": "intercept"}.get(result.needs, "a line")


def _matrix(results: Iterable[Result]) -> str:
    """Clients with their versions, and how each finds the server with each API."""
    ways = defaultdict[str, defaultdict[str, set[str]]](lambda: defaultdict(set))
    for result in results:
        client = ", ".join(f"{name} {version}" for name, version in result.versions.items())
        ways[client][result.api].add(_way(result))
    apis = [api.name for api in APIS if any(api.name in of_client for of_client in ways.values())]
    rows = (
        (client, *(" or ".join(sorted(of_client[api], key=WAYS.index)) for api in apis))
        for client, of_client in sorted(ways.items())
    )
    return table(", ".join(("client", *apis)), rows)


def _client(result: Result) -> str:
    return " and ".join(name for name in result.versions if name != "ai")


def _lines_to_write(results: Iterable[Result]) -> str:
    lines = {
        f"- {_client(result)}{result.part and f', {result.part}'}: {result.needs}"
        for result in results
        if _way(result) == "a line"
    }
    return "\n".join(sorted(lines))


def _tried_with(results: Iterable[Result]) -> str:
    """The parts of clients, and the modes where not all of chat were tried or some failed."""
    parts = defaultdict[str, defaultdict[str, dict[str, None]]](lambda: defaultdict(dict))
    for result in results:
        tried = [mode if works else f"{mode} fails" for mode, works in result.works.items()]
        is_whole = tried == [*OF_CHAT] or result.language == "Programs"
        modes = "" if is_whole else f"only {listed(tried)}"
        part = f"{result.part} ({modes})" if result.part and modes else result.part or modes
        if part:
            parts[_client(result)][result.api][part] = None
    return "\n".join(
        f"- {client}: {'; '.join(f'{api}: {listed([*each])}' for api, each in of_client.items())}"
        for client, of_client in sorted(parts.items())
    )


def control_api() -> str:
    """The routes of the control API with the docstrings of their functions."""
    mount = Control(Mock(), Mock()).mount(())
    rows = []
    for route in mount.routes:
        assert isinstance(route, Route)
        methods = "`, `".join(sorted((route.methods or set()) - {"HEAD"}))
        about = (getdoc(route.endpoint) or "").replace("``", "`")
        rows.append((f"`{methods}`", f"`{mount.path}{route.path}`", about))
    return page(
        "Control API",
        "What programs on the same machine can ask a running server, and tell it. The terminal "
        "application and the pytest plugin use this API. A miss is a request without a fixture. "
        "The fallback is the placeholder reply that a miss gets.",
        table("method, path, what it does", rows),
        "Requests from web pages get a 403, so that no web page can control the server. These are "
        "requests with an `Origin` header, requests that a page embeds, and requests under a host "
        "name that is not this machine's. `workbench serve --allow-host NAME` allows a name.",
        'An error is `{"error": {"code": …, "message": …}}`.',
    )


PAGES: Final[dict[str, Callable[[], str]]] = {
    "commands": command_line,
    "keys": keys,
    "rules": rules,
    "settings": settings,
    "formats": formats,
    "control-api": control_api,
    "variables": variables,
    "clients": clients,
    "python-api": python_api,
}
