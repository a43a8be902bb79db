"""Settings: flags, then environment variables, then ``[tool.workbench]`` in ``pyproject.toml``.

They are checked without pydantic, which would delay the first paint by half.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.core.requests.volatile import KINDS, Kind
from workbench.io.upstream_url import host_of

if TYPE_CHECKING:
    from workbench.core.replies.http_reply import ProfileName
    from workbench.io.toml_file import TomlFile

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class SettingsError(Exception):
    """A setting that cannot be used; the text has its place, its key and what was expected."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a command.

    Attributes:
        fixtures: the fixtures folder; relative to ``pyproject.toml`` if set there, else to the
            working directory.
        port: None if not set, so that another one will do; 0 for any.
        store_request: whether saved fixtures hold the request they answer.
        normalise: the kinds of volatile text in which a request may differ from that of the fixture
            that answers it.
        profile: how replies are written: ``stub`` or ``openai``; None if not set: each command has
            a default of its own.
        upstream: base URL of an API to ask for drafts; "" for none.
        plain: draw with ASCII characters only.
        bell: ring the terminal bell when a request starts to wait.
        keys: other keys of the terminal application, by the names of their commands.
        short_marks: whether the pytest plugin also uses the marks ``eval`` and
            ``requires_backend``, which other plugins may define.
        passed_over: a warning for each unknown key in the file.
    """

    fixtures: Path = Path("fixtures")
    host: str = "127.0.0.1"
    port: int | None = None
    store_request: bool = True
    normalise: tuple[Kind, ...] = ()
    profile: ProfileName | None = None
    upstream: str = ""
    plain: bool = False
    bell: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    short_marks: bool = False
    passed_over: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def resolve(
        cls,
        flags: Mapping[str, Any] | None = None,
        *,
        defaults: Mapping[str, Any] | None = None,
        environ: Mapping[str, str] = os.environ,
        start: Path | None = None,
    ) -> Settings:
        """The settings for a command.

        Args:
            flags: parsed arguments by key; None counts as not given, other keys are ignored.
            defaults: values by key, used if nothing else sets them.
            environ: with ``WORKBENCH_<KEY>``, and ``MOCK_LLM_HOST`` and ``MOCK_LLM_PORT`` as for
                the reference server. Empty values count as not given.
            start: the folder from which to search ``pyproject.toml`` upwards; default: the current
                one.

        Raises:
            SettingsError: a value is invalid, or the file cannot be read.
        """
        given = {k: v for k, v in (flags or {}).items() if k in _KEYS and v is not None}
        values: dict[str, Any] = {
            **(defaults or {}),
            **_from_project(start or Path.cwd()),
            **_from_environment("MOCK_LLM_", environ, ("host", "port")),
            **_from_environment("WORKBENCH_", environ, tuple(_KEYS)),
            **given,
        }
        return cls(**values)


class _Kind(NamedTuple):
    """The type of a setting.

    Attributes:
        from_text: the value of an environment variable, None if it is invalid.
        is_valid: whether a value in a TOML file is valid.
        shown: an invalid value for the message.
    """

    expected: str
    from_text: Callable[[str], object]
    is_valid: Callable[[object], bool]
    shown: Callable[[object], str] = repr


def _port_from_text(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) <= 5
    return int(text) if is_number and int(text) <= 65535 else None


def _flag_from_text(text: str) -> bool | None:
    word = text.lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _kinds_from_text(text: str) -> tuple[str, ...] | None:
    """``date,uuid``."""
    kinds = tuple(part.strip() for part in text.split(",") if part.strip())
    return kinds if all(kind in KINDS for kind in kinds) else None


def _profile_from_text(text: str) -> str | None:
    from workbench.core.replies.http_reply import PROFILE_NAMES

    return text if text in PROFILE_NAMES else None


def _api_from_text(text: str) -> str | None:
    try:
        host_of(text)
    except ValueError:
        return None
    return text


def _without_password(value: object) -> str:
    """A value that was meant to be a URL, for the message."""
    return re.sub(r"//[^/]*@", "//…@", repr(value))


def _bindings_from_text(text: str) -> dict[str, str] | None:
    """``quit=ctrl+x;help=f2``; commas separate several keys of one command."""
    pairs = [part.partition("=") for part in text.split(";") if part.strip()]
    if not all(name.strip() and key.strip() for name, _, key in pairs):
        return None
    return {name.strip(): key.strip() for name, _, key in pairs}


_TEXT = _Kind("a text", str, lambda value: isinstance(value, str) and value != "")
_FOLDER = _Kind("a path", Path, lambda value: _TEXT.is_valid(value) and "\0" not in str(value))
_PORT = _Kind(
    "a port number, 0 to 65535",
    _port_from_text,
    lambda value: type(value) is int and 0 <= value <= 65535,
)
_FLAG = _Kind("true or false", _flag_from_text, lambda value: isinstance(value, bool))
_VOLATILE = _Kind(
    "a list of " + ", ".join(f'"{kind}"' for kind in KINDS),
    _kinds_from_text,
    lambda value: isinstance(value, list) and all(kind in KINDS for kind in value),
)
_PROFILE = _Kind(
    '"stub" or "openai"',
    _profile_from_text,
    lambda value: isinstance(value, str) and _profile_from_text(value) is not None,
)
_API = _Kind(
    "a URL such as https://api.openai.com/v1, without a key",
    _api_from_text,
    lambda value: isinstance(value, str) and _api_from_text(value) is not None,
    _without_password,
)
_BINDINGS = _Kind(
    'keys by the names of their commands, as in {quit = "ctrl+x"}',
    _bindings_from_text,
    lambda value: isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
)
_KEYS = {
    "fixtures": _FOLDER,
    "host": _TEXT,
    "port": _PORT,
    "store_request": _FLAG,
    "normalise": _VOLATILE,
    "profile": _PROFILE,
    "upstream": _API,
    "plain": _FLAG,
    "bell": _FLAG,
    "keys": _BINDINGS,
    "short_marks": _FLAG,
}


def _from_environment(
    prefix: str, environ: Mapping[str, str], keys: tuple[str, ...]
) -> dict[str, object]:
    found = {}
    for key in keys:
        name = prefix + key.upper()
        if text := environ.get(name, "").strip():
            found[key] = _KEYS[key].from_text(text)
            if found[key] is None:
                raise SettingsError(
                    f"{name}: expected {_KEYS[key].expected}, found {_KEYS[key].shown(text)}"
                )
    return found


def _from_project(start: Path) -> dict[str, Any]:
    """The values of ``[tool.workbench]`` in the nearest ``pyproject.toml``."""
    start = start.absolute()
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            from workbench.io.toml_file import TomlError, TomlFile

            try:
                return _values(TomlFile(file))
            except TomlError as error:
                raise SettingsError(str(error)) from None
    return {}


def _values(file: TomlFile) -> dict[str, Any]:
    """The settings in a file by key, and warnings of unknown keys as ``passed_over``."""
    table = file.table("tool", "workbench")
    found: dict[str, Any] = {
        "passed_over": tuple(_no_setting(key, file) for key in table if key not in _KEYS)
    }
    for key, kind in _KEYS.items():
        if key not in table:
            continue
        value = table[key]
        if not kind.is_valid(value):
            raise SettingsError(
                f"{_place(key, file)} {key}: expected {kind.expected}, found {kind.shown(value)}"
            )
        if kind is _FOLDER:
            value = file.path.parent / value
        found[key] = tuple(value) if kind is _VOLATILE else value
    return found


def _place(key: str, file: TomlFile) -> str:
    return f"{file.place('tool', 'workbench', key)}: [tool.workbench]"


def _no_setting(key: str, file: TomlFile) -> str:
    near = difflib.get_close_matches(key.lower(), _KEYS, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"{_place(key, file)} {key!r} is not a setting{meant}"
