"""Places in TOML, which the library does not tell."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.cases import each_case
from workbench.io.files.toml_file import place_and_reason, place_of

PORT = ("tool", "workbench", "port")


@each_case(
    "text, place",
    [
        ("[tool.workbench]\nport = 1\n", (2, 1)),
        ("[tool.workbench]\r\n\r\n  port = 1\r\n", (3, 3)),
        ("[tool.workbench]\n# port = 2\n'port' = 1", (3, 2)),
        ("tool.workbench.port = 1", (1, 16)),
        ("[tool]\nworkbench = {host = 'port', port = 1}", (2, 22)),
        ("[other]\nport = 1\n[tool.workbench]\nhost = 'port'\nport = 1\n", (5, 1)),
        ("a = '''\n[tool.workbench]\nport = 1\n'''\n[tool.workbench]\nport = 2\n", (6, 1)),
        ("[tool.workbench]\nport = [\n  1,\n]\n", (2, 1)),
        ("[tool.workbench.port]\nx = 1\n", (1, 17)),
        ('[tool.workbench]\n"p\\u006frt" = 1\n', (1, 1)),
        ("[tool.workbench]\n", (1, 1)),
    ],
)
def test_where_a_value_stands(text: str, place: tuple[int, int]) -> None:
    assert place_of(text, PORT) == place


def test_a_long_file_is_read_a_few_times_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    loads = tomllib.loads

    def counted(text: str) -> dict[str, Any]:
        read.append(text)
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counted)
    others = "".join(f"key{n} = {n}\n" for n in range(2000))
    assert place_of(f"[a]\n{others}[tool.workbench]\nport = 1\n", PORT) == (2003, 1)
    assert len(read) == 2


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb = = 2\n", (2, 5)),
        ("a = 1\nb", (2, 2)),
        ("a = [1,\n\n", (1, 8)),
        ("a = 1\na = 2", (2, 6)),
    ],
)
def test_where_an_error_is(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    line, column, reason = place_and_reason(text, caught.value)
    assert (line, column) == place
    assert reason
    assert "line" not in reason
