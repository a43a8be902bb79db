"""Settings: flags, then environment variables, then ``[tool.workbench]`` in ``pyproject.toml``.

They are checked without pydantic, which would delay the first paint by half.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

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
        fixtures: The fixtures folder. Relative to ``pyproject.toml`` if set there, else to the
            working directory.
        host: The address that the server listens on.
        port: The port of the server. 0 takes any free port. Not set: 7899, or the next free port.
        store_request: Store the request in saved fixtures.
        store_request_kib: Store the whole request up to this size in KiB. Of a larger request,
            store only the model, the tools, the tool choice and the output format.
        normalise: Kinds of volatile text that may differ between a request and the fixture that
            answers it. ``normalize`` is the same setting.
        profile: How replies are written: as the APIs write them (``openai``) or as the reference
            stub does (``stub``). Not set: ``openai`` for ``workbench run`` and ``mock_llm``,
            ``stub`` for everything else.
        upstream: Base URL of the real API that writes drafts, is recorded and is compared by
            ``workbench drift``. The option ``--upstream`` comes first.
        plain: Draw with ASCII characters only.
        bell: How to call you when a request starts to wait while another window has the focus: with
            the terminal's bell or its notification. ``always``, or true, also rings while this
            window has the focus. ``off``, or false, is silent.
        keys: Other keys for commands of the terminal application, by the names of the commands.
        intercept: Have ``workbench run`` intercept what clients send to the hosts of APIs.
        intercept_hosts: More hosts to intercept. ``*`` stands for a part of a name without a dot.
        short_marks: Have the pytest plugin also use the marks ``eval`` and ``requires_backend``,
            which other plugins may define.
        docs_url: Base URL of a site with this manual, such as the one that ``mkdocs build`` writes.
            If it is set, reports of ``workbench validate`` and errors for requests that are not
            supported link to its pages.
        passed_over: For each unknown key in the file its place, and a warning.
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
    docs_url: str = ""
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
            **_from_environment(environ),
            **from_flags,
        }
        return cls(**values)


def settings_file(start: Path) -> Path | None:
    """The nearest ``pyproject.toml`` from ``start`` upwards."""
    start = start.absolute()
    files = (folder / "pyproject.toml" for folder in (start, *start.parents))
    return next((file for file in files if file.is_file()), None)


def sources(environ: Mapping[str, str] = os.environ, start: Path | None = None) -> dict[str, str]:
    """The source of each setting that is not the default, by key: the name of a variable, or the
    path of the file.

    Raises:
        SettingsError: as ``Settings.resolve``.
    """
    folder = start or Path.cwd()
    variables = {key: name for name, key in _VARIABLES.items() if environ.get(name, "").strip()}
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


_TEXT = _Kind("a string", lambda value: isinstance(value, str) and value != "")
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
_SITE = _Kind("a URL such as https://docs.example.com/workbench/", _is_api)
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
    "docs_url": _SITE,
}


# The names of settings in American English.
_OTHER_NAMES: Final = {"normalize": "normalise"}
# The key of each variable; where two set the same key, the later one counts.
_VARIABLES: Final = {
    "MOCK_LLM_HOST": "host",
    "MOCK_LLM_PORT": "port",
    **{f"WORKBENCH_{name.upper()}": key for name, key in _OTHER_NAMES.items()},
    **{f"WORKBENCH_{key.upper()}": key for key in SETTINGS},
}


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    values = {}
    for name, key in _VARIABLES.items():
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
    """The settings in a file by key, and warnings of unknown names as ``passed_over``. A hyphen in
    a name is an underscore.
    """
    table = file.table("tool", "workbench")
    unknown = [name for name in table if _key(name) not in SETTINGS]
    values: dict[str, Any] = {"passed_over": tuple(_no_setting(name, file) for name in unknown)}
    for name, value in table.items():
        if name in unknown:
            continue
        kind = SETTINGS[_key(name)]
        if not kind.is_valid(value):
            expected = f"{name}: expected {kind.expected}, found {_shown(value)}"
            raise SettingsError(f"{_place(name, file)} [tool.workbench] {expected}")
        values[_key(name)] = _made(kind, value, file.path.parent)
    return values


def _key(name: str) -> str:
    """The key of a setting that a file names."""
    key = name.replace("-", "_")
    return _OTHER_NAMES.get(key, key)


def _place(key: str, file: TomlFile) -> str:
    return f"{file.place('tool', 'workbench', key)}:"


def _no_setting(key: str, file: TomlFile) -> tuple[str, str]:
    from difflib import get_close_matches

    near = get_close_matches(key.lower(), SETTINGS, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return _place(key, file), f"[tool.workbench] {key!r} is not a setting{meant}"
