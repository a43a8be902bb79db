"""Exports a request as JSON, as a shell script with curl, or as a Python script."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from workbench.core import shell
from workbench.core.apis.client_settings import ClientSettings
from workbench.core.apis.table import request_module, target, view
from workbench.core.digest import short
from workbench.core.inert import json_escaped, unsafe
from workbench.core.json.values import dumps
from workbench.io.atomic import write_atomic
from workbench.io.state_folder import StateFolder
from workbench.session.wording import shown

ExportKind = Literal["json", "curl", "python"]
PageKind = Literal["markdown", "html"]
FOLDER: Final = "exports"
DEFAULT_URL: Final = "http://127.0.0.1:7899"
_QUOTES: Final = re.compile("'''")


def export(
    state_folder: StateFolder,
    digest: str,
    payload: Mapping[str, Any],
    kind: ExportKind,
    server_url: str | None,
) -> str:
    """Write the request of a miss into the state folder, replacing an older export. Returns a
    sentence with the path and how to use it.

    Raises:
        OSError: it cannot be written.
    """
    form = _FORMS[kind]
    text = form.render(payload, digest, _base_url(server_url))
    path, name = write_export(state_folder, digest, form.suffix, text)
    if form.is_program:
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return form.use.format(path=name)


def write_export(
    state_folder: StateFolder, digest: str, suffix: str, text: str
) -> tuple[Path, str]:
    """Write an export, over an older one. Returns its path, and this quoted for a shell.

    Raises:
        OSError: it cannot be written.
    """
    folder = state_folder.ensure() / FOLDER
    folder.mkdir(exist_ok=True)
    path = folder / f"{short(digest)}.{suffix}"
    write_atomic(path, text.encode("utf-8"))
    return path, shell.quoted(os.fspath(shown(path)))


def request_json(payload: Mapping[str, Any]) -> str:
    """The request as JSON, with control characters escaped, which changes neither its value nor its
    digest.
    """
    return json_escaped(dumps(payload, indent=2))


def _base_url(server_url: str | None) -> str:
    """The URL of the server. It may come from a log: one with control characters is not used."""
    if server_url is None or unsafe().search(server_url):
        server_url = DEFAULT_URL
    return server_url.rstrip("/")


def as_json(payload: Mapping[str, Any], digest: str, server: str) -> str:  # noqa: ARG001
    return request_json(payload) + "\n"


def _where(payload: Mapping[str, Any], server: str) -> tuple[ClientSettings, str, str, str]:
    """How its client is configured, the base URL, the rest of the URL, and the body."""
    client = request_module(payload).CLIENT
    path, query, body = target(payload)
    rest = f"{path}?{query}" if query else path
    return client, server + client.base_path, rest, request_json(body)


def as_curl(payload: Mapping[str, Any], digest: str, server: str) -> str:
    """A shell script. The request is in a quoted here-document, which ends with a line that cannot
    be JSON.
    """
    at_once = " --no-buffer" if view(payload).stream else ""
    client, base_url, path, body = _where(payload, server)
    headers = "".join(f"  --header '{name}: {value}' \\\n" for name, value in client.headers)
    return f"""\
#!/bin/sh
# Sends request {digest} again.
# {client.base_variable} and {client.key_variable} say where to, if they are set.
base=${client.base_variable}
[ -n "$base" ] || base={shell.quoted(base_url)}
path={shell.quoted(path)}
exec curl --silent --show-error --globoff{at_once} \\
  --header 'Content-Type: application/json' \\
  --header "{client.key_header}: {client.key_prefix}${{{client.key_variable}:-none}}" \\
{headers}  --data-binary @- --url "${{base%/}}$path" <<'END OF REQUEST'
{body}
END OF REQUEST
"""


def as_python(payload: Mapping[str, Any], digest: str, server: str) -> str:
    """A script that uses the standard library. The request is in a raw string, with triple quotes
    escaped.
    """
    client, base_url, path, body = _where(payload, server)
    text = _QUOTES.sub(lambda _: "\\u0027" * 3, body)
    headers = dict([("Content-Type", "application/json"), *client.headers])
    return f'''\
#!/usr/bin/env python3
"""Sends request {digest} again.

{client.base_variable} and {client.key_variable} say where to, if they are set.
"""

import os
import sys
import urllib.error
import urllib.request

REQUEST = r\'\'\'
{text}
\'\'\'

base = os.environ.get("{client.base_variable}") or {base_url!a}
key = os.environ.get("{client.key_variable}") or "none"
request = urllib.request.Request(
    base.rstrip("/") + {path!a},
    data=REQUEST.strip().encode("utf-8"),
    headers={{**{headers!a}, {client.key_header!a}: {client.key_prefix!a} + key}},
)
try:
    reply = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    reply = error
except urllib.error.URLError as error:
    sys.exit(f"{{base}}: {{error.reason}}")
with reply:
    for line in reply:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
sys.exit(reply.status >= 400)
'''


class _Form(NamedTuple):
    suffix: str
    render: Callable[[Mapping[str, Any], str, str], str]
    use: str
    is_program: bool = True


_FORMS: Final[dict[ExportKind, _Form]] = {
    "json": _Form("json", as_json, "Wrote {path}.", is_program=False),
    "curl": _Form("sh", as_curl, "Wrote {path}; sh sends it again."),
    "python": _Form("py", as_python, "Wrote {path}; python sends it again."),
}
