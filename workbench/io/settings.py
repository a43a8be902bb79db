"""Settings: flags, then environment variables, then ``[tool.workbench]`` in ``pyproject.toml``.

They are checked without pydantic, which would delay the first paint by half.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from workbench.core.requests.volatile import KINDS, VolatileKind
from workbench.core.user_error import SettingsError
from workbench.io.network.upstream_url import host_of

if TYPE_CHECKING:
    from workbench.core.replies.profile_names import ProfileName
    from workbench.io.files.toml_file import TomlFile

Bell = Literal["off", "bell", "notification", "always"]

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class Settings(NamedTuple):
    """The settings of a command.

    Attributes:
        fixtures: the fixtures folder; relative to ``pyproject.toml`` if set there, else to the
            working directory.
        host: the address the server listens on.
        port: the port of the server; 0 takes any. Not set: 7899, or the next free one.
        store_request: whether saved fixtures hold the request they answer.
        store_request_kib: the size in KiB up to which they hold all of it. Of a larger one they
            hold the model, the tools, the tool choice and the output format.
        normalise: the kinds of volatile text in which a request may differ from that of the
            fixture that answers it.
        profile: how replies are written. Not set: by ``workbench run`` and ``mock_llm`` as by the
            APIs (``openai``), by all others as by the reference stub (``stub``).
        upstream: base URL of an API that is asked for drafts, for replies to record and for drift,
            where no ``--upstream`` is given.
        plain: draw with ASCII characters only.
        bell: what calls you when a request starts to wait while another window has the focus: the
            terminal's bell, or its notification. ``always``, or true, rings the bell also while
            this window has the focus; ``off``, or false, is silent.
        keys: other keys of the terminal application, by the names of their commands.
        intercept: whether ``workbench run`` intercepts what clients send to the hosts of APIs.
        intercept_hosts: further hosts that are intercepted; ``*`` stands for a part of a name that
            has no dot.
        short_marks: whether the pytest plugin also uses the marks ``eval`` and
            ``requires_backend``, which other plugins may define.
        passed_over: for each unknown key in the file its place, and a warning.
    """

    fixtures: Path = Path("fixtures")
    host: str = "127.0.0.1"
    port: int | None = None
    store_request: bool = True
    store_request_kib: int = 1024
    normalise: tuple[VolatileKind, ...] = ()
    profile: ProfileName | None = None
    upstream: str = ""
    plain: bool = False
    bell: Bell = "bell"
    keys: Mapping[str, str] = MappingProxyType({})
    intercept: bool = False
    intercept_hosts: tuple[str, ...] = ()
    short_marks: bool = False
    passed_over: tuple[tuple[str, str], ...] = ()

    @property
    def request_limit(self) -> int:
        """``store_request_kib`` in bytes."""
        return self.store_request_kib * 1024

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
                the reference stub. Empty values count as not given.
            start: the folder from which to search ``pyproject.toml`` upwards; default: the current
                one.

        Raises:
            SettingsError: a value is invalid, or the file cannot be read.
        """
        from_flags = {k: v for k, v in (flags or {}).items() if k in SETTINGS and v is not None}
        values: dict[str, Any] = {
            **(defaults or {}),
            **_from_project(start or Path.cwd()),
            **_from_environment("MOCK_LLM_", environ, ("host", "port")),
            **_from_environment("WORKBENCH_", environ, tuple(SETTINGS)),
            **from_flags,
        }
        return cls(**values)


def settings_file(start: Path) -> Path | None:
    """The nearest ``pyproject.toml`` from ``start`` upwards."""
    start = start.absolute()
    files = (folder / "pyproject.toml" for folder in (start, *start.parents))
    return next((file for file in files if file.is_file()), None)


def sources(environ: Mapping[str, str] = os.environ, start: Path | None = None) -> dict[str, str]:
    """Where each setting comes from that is not the default, by key: the name of a variable, or the
    path of the file.

    Raises:
        SettingsError: as ``Settings.resolve``.
    """
    folder = start or Path.cwd()
    places = {
        prefix + key.upper(): key
        for prefix, keys in (("MOCK_LLM_", ("host", "port")), ("WORKBENCH_", tuple(SETTINGS)))
        for key in keys
    }
    variables = {key: name for name, key in places.items() if environ.get(name, "").strip()}
    return {key: str(settings_file(folder)) for key in _from_project(folder)} | variables


class _Kind(NamedTuple):
    """The type of a setting; ``from_text`` is what an environment variable would be in a TOML file,
    the text itself if nothing.
    """

    expected: str
    is_valid: Callable[[Any], bool]
    from_text: Callable[[str], Any] = str


def _flag_from_text(text: str) -> bool | str:
    word = text.lower()
    return word in _TRUE if word in (*_TRUE, *_FALSE) else text


def _number_from_text(text: str) -> int | str:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else text


def _list_from_text(text: str) -> list[str]:
    """``date,uuid``."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _bindings_from_text(text: str) -> dict[str, str] | str:
    """``quit=ctrl+x;help=f2``; commas separate several keys of one command."""
    pairs = [part.partition("=") for part in text.split(";") if part.strip()]
    if not all(name.strip() and key.strip() for name, _, key in pairs):
        return text
    return {name.strip(): key.strip() for name, _, key in pairs}


def _is_api(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(host_of(value))
    except ValueError:
        return False


def _is_host(value: object) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"[\w*-]+(\.[\w*-]+)*", value, re.ASCII))


def _shown(value: object) -> str:
    """A value for the message, without the password of a URL."""
    return re.sub(r"//[^/]*@", "//…@", repr(value))


_TEXT = _Kind("a text", lambda value: isinstance(value, str) and value != "")
_FOLDER = _Kind("a path", lambda value: _TEXT.is_valid(value) and "\0" not in value)
_PORT = _Kind(
    "a port number, 0 to 65535",
    lambda value: type(value) is int and 0 <= value <= 65535,
    _number_from_text,
)
_KIB = _Kind(
    "a number of KiB, 1 to 65536",
    lambda value: type(value) is int and 1 <= value <= 65536,
    _number_from_text,
)
_FLAG = _Kind("true or false", lambda value: isinstance(value, bool), _flag_from_text)
_BELLS: Mapping[bool, Bell] = {False: "off", True: "always"}
_BELL = _Kind(
    '"off", "bell", "notification" or "always"',
    lambda value: isinstance(value, bool) or value in get_args(Bell),
    _flag_from_text,
)
_VOLATILE = _Kind(
    "a list of " + ", ".join(f'"{kind}"' for kind in KINDS),
    lambda value: isinstance(value, list) and all(kind in KINDS for kind in value),
    _list_from_text,
)
_HOSTS = _Kind(
    'a list of host names such as "llm.example.com"',
    lambda value: isinstance(value, list) and all(map(_is_host, value)),
    _list_from_text,
)
_PROFILE = _Kind('"stub" or "openai"', lambda value: value in ("stub", "openai"))
_API = _Kind("a URL such as https://api.openai.com/v1, without a key", _is_api)
_BINDINGS = _Kind(
    'keys by the names of their commands, as in {quit = "ctrl+x"}',
    lambda value: isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
    _bindings_from_text,
)
SETTINGS = {
    "fixtures": _FOLDER,
    "host": _TEXT,
    "port": _PORT,
    "store_request": _FLAG,
    "store_request_kib": _KIB,
    "normalise": _VOLATILE,
    "profile": _PROFILE,
    "upstream": _API,
    "plain": _FLAG,
    "bell": _BELL,
    "keys": _BINDINGS,
    "intercept": _FLAG,
    "intercept_hosts": _HOSTS,
    "short_marks": _FLAG,
}


def _from_environment(
    prefix: str, environ: Mapping[str, str], keys: tuple[str, ...]
) -> dict[str, object]:
    values = {}
    for key in keys:
        name = prefix + key.upper()
        if text := environ.get(name, "").strip():
            kind = SETTINGS[key]
            value = kind.from_text(text)
            if not kind.is_valid(value):
                raise SettingsError(f"{name}: expected {kind.expected}, found {_shown(text)}")
            values[key] = _made(kind, value, Path())
    return values


def _made(kind: _Kind, value: Any, folder: Path) -> Any:
    """A valid value as ``Settings`` has it; a path is relative to ``folder``."""
    if kind is _FOLDER:
        return folder / value
    if isinstance(value, bool) and kind is _BELL:
        return _BELLS[value]
    return tuple(value) if isinstance(value, list) else value


def _from_project(start: Path) -> dict[str, Any]:
    """The values of ``[tool.workbench]`` in the nearest ``pyproject.toml``."""
    file = settings_file(start)
    if file is None:
        return {}
    from workbench.io.files.toml_file import TomlFile

    return _values(TomlFile(file))


def _values(file: TomlFile) -> dict[str, Any]:
    """The settings in a file by key, and warnings of unknown keys as ``passed_over``. A hyphen in a
    key is an underscore.
    """
    table = file.table("tool", "workbench")
    kinds = {key: SETTINGS.get(key.replace("-", "_")) for key in table}
    values: dict[str, Any] = {
        "passed_over": tuple(_no_setting(key, file) for key, kind in kinds.items() if kind is None)
    }
    for key, kind in kinds.items():
        if kind is None:
            continue
        value = table[key]
        if not kind.is_valid(value):
            expected = f"{key}: expected {kind.expected}, found {_shown(value)}"
            raise SettingsError(f"{_place(key, file)} [tool.workbench] {expected}")
        values[key.replace("-", "_")] = _made(kind, value, file.path.parent)
    return values


def _place(key: str, file: TomlFile) -> str:
    return f"{file.place('tool', 'workbench', key)}:"


def _no_setting(key: str, file: TomlFile) -> tuple[str, str]:
    from difflib import get_close_matches

    near = get_close_matches(key.lower(), SETTINGS, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return _place(key, file), f"[tool.workbench] {key!r} is not a setting{meant}"
