"""Exports a request as JSON, as a script that sends it again, or its conversation as a page."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from workbench.core.apis.client_settings import ClientSettings
from workbench.core.apis.paths import target
from workbench.core.apis.table import api_of, view
from workbench.core.json.values import dumps
from workbench.core.text import shell
from workbench.core.text.digests import short
from workbench.core.text.inert import json_escaped, unsafe
from workbench.io.files.atomic import write_atomic
from workbench.io.files.path_text import shown
from workbench.session.export.conversation_page import page
from workbench.session.session import Session

ExportKind = Literal["json", "curl", "python", "markdown"]
FOLDER: Final = "exports"
DEFAULT_URL: Final = "http://127.0.0.1:7899"
_QUOTES: Final = re.compile("'''")


def export(session: Session, digest: str, payload: Mapping[str, Any], kind: ExportKind) -> str:
    """Write a request, or its conversation, into the state folder, replacing an older export.
    Returns a sentence with the path and how to use it.

    Raises:
        OSError: it cannot be written.
    """
    form = _FORMS[kind]
    if form.render is None:
        text = page(session, digest, payload)
    else:
        text = form.render(payload, digest, _base_url(session.server.url))
    folder = session.state_folder.ensure() / FOLDER
    folder.mkdir(exist_ok=True)
    path = folder / f"{short(digest)}.{form.suffix}"
    write_atomic(path, text.encode("utf-8"))
    if form.is_program:
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return form.use.format(path=shell.quoted(os.fspath(shown(path))))


def request_json(payload: Mapping[str, Any]) -> str:
    """The request as JSON, with control characters escaped, which changes neither its value nor its
    digest.
    """
    return json_escaped(dumps(payload, indent=2))


def _base_url(server_url: str | None) -> str:
    """The URL of the server. It may be from a log, so a URL with control characters is not used."""
    if server_url is None or unsafe().search(server_url):
        server_url = DEFAULT_URL
    return server_url.rstrip("/")


def as_json(payload: Mapping[str, Any], digest: str, server: str) -> str:  # noqa: ARG001
    return request_json(payload) + "\n"


def _where(payload: Mapping[str, Any], server: str) -> tuple[ClientSettings, str, str, str]:
    """How its client is configured, the base URL, the rest of the URL, and the body."""
    client = api_of(payload).client
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
    """A kind of export; ``render`` is None for a page of the conversation."""

    suffix: str
    render: Callable[[Mapping[str, Any], str, str], str] | None = None
    use: str = "Wrote {path}."
    is_program: bool = False


_FORMS: Final[dict[ExportKind, _Form]] = {
    "json": _Form("json", as_json),
    "curl": _Form("sh", as_curl, "Wrote {path}; sh sends it again.", is_program=True),
    "python": _Form("py", as_python, "Wrote {path}; python sends it again.", is_program=True),
    "markdown": _Form("md"),
}
