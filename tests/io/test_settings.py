"""Flags win over the environment, the environment over the project's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.user_error import SettingsError
from workbench.io.settings import Settings, sources

KEYS = 'keys by the names of their commands, as in {quit = "ctrl+x"}'
API = "a URL such as https://api.openai.com/v1, without a key"
BELL = '"off", "bell", "notification" or "always"'


def write(folder: Path, text: str) -> Path:
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_defaults(tmp_path: Path) -> None:
    write(tmp_path, "[project]\nname = 'x'\n")
    assert Settings.resolve(environ={}, start=tmp_path) == Settings(
        fixtures=Path("fixtures"),
        host="127.0.0.1",
        port=None,
        store_request=True,
        plain=False,
        bell="bell",
    )


def test_the_project_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        "[tool.workbench]\nfixtures = 'e2e/llm'\nhost = '::1'\nport = 8123\n"
        "store_request = false\nplain = true\nshort_marks = true\nsomething_else = 3\n",
    )
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert Settings.resolve(environ={}, start=below)._replace(passed_over=()) == Settings(
        fixtures=tmp_path / "e2e" / "llm",
        host="::1",
        port=8123,
        store_request=False,
        plain=True,
        short_marks=True,
    )


def test_only_the_nearest_project_file_counts(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nport = 1\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    write(inner, "[project]\nname = 'inner'\n")
    assert Settings.resolve(environ={}, start=inner).port is None


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nport = 1\nhost = 'a'\nstore_request = true\nplain = true\n")
    environ = {
        "WORKBENCH_PORT": "2",
        "WORKBENCH_HOST": "b",
        "WORKBENCH_STORE_REQUEST": "No",
        "WORKBENCH_PLAIN": "0",
        "WORKBENCH_FIXTURES": "elsewhere",
    }
    assert Settings.resolve(environ=environ, start=tmp_path) == Settings(
        fixtures=Path("elsewhere"), host="b", port=2, store_request=False, plain=False
    )


def test_flags_win_over_everything(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nport = 1\n")
    flags = {"port": 3, "host": None, "plain": False, "fixtures": Path("f"), "command": "serve"}
    environ = {"WORKBENCH_PORT": "2", "WORKBENCH_HOST": "b", "WORKBENCH_PLAIN": "1"}
    assert Settings.resolve(flags, environ=environ, start=tmp_path) == Settings(
        fixtures=Path("f"), host="b", port=3, plain=False
    )


def test_the_reference_servers_variables_stand_between(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nport = 1\nhost = 'a'\n")
    environ = {"MOCK_LLM_PORT": "2", "MOCK_LLM_HOST": "b", "WORKBENCH_HOST": "c"}
    settings = Settings.resolve(environ=environ, start=tmp_path)
    assert (settings.host, settings.port) == ("c", 2)


def test_the_upstream(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nupstream = 'https://api.openai.com/v1'\n")
    assert Settings.resolve(environ={}, start=tmp_path).upstream == "https://api.openai.com/v1"
    environ = {"WORKBENCH_UPSTREAM": "http://[::1]:8000/v1", "WORKBENCH_UPSTREAM_KEY": "secret"}
    settings = Settings.resolve(environ=environ, start=tmp_path)
    assert settings.upstream == "http://[::1]:8000/v1"
    assert "secret" not in repr(settings)


def test_the_profile(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nprofile = 'openai'\n")
    assert Settings.resolve(environ={}, start=tmp_path).profile == "openai"
    environ = {"WORKBENCH_PROFILE": "stub"}
    assert Settings.resolve(environ=environ, start=tmp_path).profile == "stub"


def test_keys_by_the_names_of_their_commands(tmp_path: Path) -> None:
    write(tmp_path, '[tool.workbench.keys]\nquit = "ctrl+x"\n')
    assert Settings.resolve(environ={}, start=tmp_path).keys == {"quit": "ctrl+x"}
    environ = {"WORKBENCH_KEYS": " miss.accept = ctrl+y,f4; help=f2; "}
    settings = Settings.resolve(environ=environ, start=tmp_path)
    assert settings.keys == {"miss.accept": "ctrl+y,f4", "help": "f2"}


@pytest.mark.parametrize(
    ("line", "text", "bell"),
    [
        ("true", "yes", "always"),
        ("false", "off", "off"),
        ("'off'", "0", "off"),
        ("'bell'", "bell", "bell"),
        ("'notification'", "notification", "notification"),
        ("'always'", "true", "always"),
    ],
)
def test_a_bell_by_its_name_or_as_it_was_before(
    tmp_path: Path, line: str, text: str, bell: str
) -> None:
    write(tmp_path, f"[tool.workbench]\nbell = {line}\n")
    assert Settings.resolve(environ={}, start=tmp_path).bell == bell
    assert Settings.resolve(environ={"WORKBENCH_BELL": text}, start=tmp_path).bell == bell


def test_the_last_port(tmp_path: Path) -> None:
    assert Settings.resolve(environ={"WORKBENCH_PORT": "65535"}, start=tmp_path).port == 65535


def test_an_empty_variable_is_none(tmp_path: Path) -> None:
    write(tmp_path, "[tool.workbench]\nport = 1\n")
    assert Settings.resolve(environ={"WORKBENCH_PORT": " "}, start=tmp_path).port == 1


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("WORKBENCH_PORT", "many", "a port number, 0 to 65535"),
        ("WORKBENCH_PORT", "65536", "a port number, 0 to 65535"),
        ("WORKBENCH_PORT", "-1", "a port number, 0 to 65535"),
        ("WORKBENCH_PORT", "٣", "a port number, 0 to 65535"),
        ("WORKBENCH_PORT", "9" * 5000, "a port number, 0 to 65535"),
        ("MOCK_LLM_PORT", "x", "a port number, 0 to 65535"),
        ("WORKBENCH_PLAIN", "perhaps", "true or false"),
        ("WORKBENCH_BELL", "2", BELL),
        ("WORKBENCH_PROFILE", "azure", '"stub" or "openai"'),
        ("WORKBENCH_UPSTREAM", "api.openai.com", API),
        ("WORKBENCH_KEYS", "quit", KEYS),
        ("WORKBENCH_KEYS", "help=f2;=f3", KEYS),
    ],
)
def test_a_bad_variable_is_named(tmp_path: Path, name: str, text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.resolve(environ={name: text}, start=tmp_path)
    assert str(caught.value) == f"{name}: expected {expected}, found {text!r}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("port = '7899'", "port: expected a port number, 0 to 65535, found '7899'"),
        ("profile = 1", 'profile: expected "stub" or "openai", found 1'),
        ("port = true", "port: expected a port number, 0 to 65535, found True"),
        ("port = 70000", "port: expected a port number, 0 to 65535, found 70000"),
        ("host = 1", "host: expected a string, found 1"),
        ("fixtures = ['a']", "fixtures: expected a path, found ['a']"),
        ("fixtures = ''", "fixtures: expected a path, found ''"),
        ('fixtures = "a\\u0000b"', "fixtures: expected a path, found 'a\\x00b'"),
        (
            "store_request_kib = 0",
            "store_request_kib: expected a number of KiB, 1 to 65536, found 0",
        ),
        ("store_request = 'false'", "store_request: expected true or false, found 'false'"),
        ("plain = 1", "plain: expected true or false, found 1"),
        ("bell = 'loud'", f"bell: expected {BELL}, found 'loud'"),
        ("upstream = 3", f"upstream: expected {API}, found 3"),
        ("keys = 'quit=f2'", f"keys: expected {KEYS}, found 'quit=f2'"),
        ("keys = {quit = 2}", f"keys: expected {KEYS}, found {{'quit': 2}}"),
        (
            "upstream = 'https://me:pw@api/v1'",
            f"upstream: expected {API}, found 'https://…@api/v1'",
        ),
    ],
)
def test_a_bad_value_is_named_with_its_file(tmp_path: Path, line: str, told: str) -> None:
    file = write(tmp_path, f"[tool.workbench]\n{line}\n")
    with pytest.raises(SettingsError) as caught:
        Settings.resolve(environ={}, start=tmp_path)
    assert str(caught.value) == f"{file}:2:1: [tool.workbench] {told}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\n[tool.workbench\n", ":2:16: not valid TOML: Expected ']'"),
        ("a = 1\nb = [\n", ":2:6: not valid TOML: Invalid value"),
        ("a = " + "[" * 100_000, ": maximum recursion depth exceeded"),
        ("a = 1\nb = " + "9" * 5000, ": Exceeds the limit"),
        ("\ntool = 3\n", ":2:1: tool: expected a table, found 3"),
        ("[tool]\n  workbench = 'x'\n", ":2:3: workbench: expected a table, found 'x'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        Settings.resolve(environ={}, start=tmp_path)
    assert str(caught.value).startswith(f"{file}{told}")


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes("a = 1\nname = 'ä".encode() + b"\xff'\n")
    with pytest.raises(SettingsError) as caught:
        Settings.resolve(environ={}, start=tmp_path)
    assert str(caught.value) == f"{file}:2:10: not UTF-8"


def test_what_is_no_setting_is_named_with_what_was_meant(tmp_path: Path) -> None:
    file = write(tmp_path, "[tool.workbench]\nfixtrues = 'x'\nPort = 1\nzzz = 2\nhost = 'h'\n")
    settings = Settings.resolve(environ={}, start=tmp_path)
    assert settings.host == "h"
    assert settings.passed_over == (
        (
            f"{file}:2:1:",
            "[tool.workbench] 'fixtrues' is not a setting; did you mean fixtures?",
        ),
        (f"{file}:3:1:", "[tool.workbench] 'Port' is not a setting; did you mean port?"),
        (f"{file}:4:1:", "[tool.workbench] 'zzz' is not a setting"),
    )


def test_defaults_count_where_nobody_says_otherwise(tmp_path: Path) -> None:
    defaults = {"fixtures": Path("named")}
    write(tmp_path, "[tool.workbench]\nport = 1\n")
    unset = Settings.resolve(defaults=defaults, environ={}, start=tmp_path)
    assert (unset.fixtures, unset.port) == (Path("named"), 1)
    write(tmp_path, "[tool.workbench]\nfixtures = 'told'\n")
    told = Settings.resolve(defaults=defaults, environ={}, start=tmp_path)
    assert told.fixtures == tmp_path / "told"


def test_what_to_normalise(tmp_path: Path) -> None:
    write(tmp_path, '[tool.workbench]\nnormalise = ["date", "call-id"]\n')
    assert Settings.resolve(environ={}, start=tmp_path).normalise == ("date", "call-id")
    environ = {"WORKBENCH_NORMALISE": "uuid, port"}
    assert Settings.resolve(environ=environ, start=tmp_path).normalise == ("uuid", "port")


def test_the_american_name_is_the_same_setting(tmp_path: Path) -> None:
    write(tmp_path, '[tool.workbench]\nnormalize = ["date"]\n')
    settings = Settings.resolve(environ={}, start=tmp_path)
    assert (settings.normalise, settings.passed_over) == (("date",), ())
    environ = {"WORKBENCH_NORMALIZE": "uuid"}
    assert Settings.resolve(environ=environ, start=tmp_path).normalise == ("uuid",)
    assert sources(environ, tmp_path)["normalise"] == "WORKBENCH_NORMALIZE"


@pytest.mark.parametrize("value", ['"date"', '["dates"]', "[1]", '[["date"]]', "true"])
def test_what_cannot_be_normalised_is_said(tmp_path: Path, value: str) -> None:
    write(tmp_path, f"[tool.workbench]\nnormalise = {value}\n")
    with pytest.raises(SettingsError, match='normalise: expected a list of "date", "time", "uuid"'):
        Settings.resolve(environ={}, start=tmp_path)
    write(tmp_path, "")
    with pytest.raises(SettingsError, match="WORKBENCH_NORMALISE: expected"):
        Settings.resolve(environ={"WORKBENCH_NORMALISE": "dates"}, start=tmp_path)
