"""The output of a command as lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.session.suite.output import LINE_CHARACTERS, LINES_KEPT, STYLE, SuiteOutput

RED, OFF = "\x1b[31m", "\x1b[0m"


def lines(*chunks: bytes) -> list[str]:
    output = SuiteOutput()
    for chunk in chunks:
        output.feed(chunk)
    return [*output.since(0), output.open_line]


@each_case(
    "written, expected",
    [
        (b"plain\r\nnext", ["plain", "next"]),
        (b"\x1b[31mred\x1b[0m\n", [f"{RED}red{OFF}", ""]),
        # A style holds until it is reset, also on the lines after.
        (b"\x1b[31mred\nstill\x1b[m\nplain\n", [f"{RED}red", f"{RED}still\x1b[m", "plain", ""]),
        (b"\x1b[1;31mred\x1b[0;32m\ngreen", ["\x1b[1;31mred\x1b[0;32m", "\x1b[0;32mgreen"]),
        # Of a progress bar the last state.
        (b"10%\r20%\r100%\ndone", ["100%", "done"]),
        (b"10%\r20%\r", ["20%"]),
        (b"\x1b[2K\x1b[1G10%\x1b[2K\x1b[1G20%", ["20%"]),
        # What would act on a terminal is left out.
        (b"\x1b]0;title\x07text", ["text"]),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", ["link"]),
        (b"\x1b[1A\x1b[2Kup\x1b[?1049h\x1b[6n", ["up"]),
        (b"a\x1bcb\x1b(Bc\x1bPq#0\x1b\\d", ["abcd"]),
        (b"\xff\xc3", ["\ufffd"]),
    ],
)
def test_what_a_command_writes_becomes_lines(written: bytes, expected: list[str]) -> None:
    assert lines(written) == expected
    # However it arrives.
    assert lines(*(written[at : at + 1] for at in range(len(written)))) == expected


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_line_is_longer_or_moves_the_cursor(chunks: list[bytes]) -> None:
    for line in lines(*chunks):
        assert len(STYLE.sub("", line)) <= LINE_CHARACTERS
        assert not {"\r", "\n"} & set(line)


def test_the_last_lines_and_the_beginning_of_a_long_one_are_kept() -> None:
    output = SuiteOutput()
    for first in range(0, LINES_KEPT + 1000, 100):
        output.feed("".join(f"{first + n}\n" for n in range(100)).encode())
    assert output.ended == LINES_KEPT + 1000
    assert output.since(0)[0] == "1000"
    assert output.since(output.ended - 2) == [str(LINES_KEPT + 998), str(LINES_KEPT + 999)]
    assert output.since(output.ended) == []
    for _ in range(100):
        output.feed(b"x" * 10_000)
    assert output.open_line == "x" * LINE_CHARACTERS
    output.feed(b"\rnew")
    assert output.open_line == "new"


def test_lines_that_are_not_kept_or_cut_make_it_partial() -> None:
    for written, is_partial in (
        ("a\n" * LINES_KEPT, False),
        ("a\n" * (LINES_KEPT + 1), True),
        ("a" * LINE_CHARACTERS + "\n", False),
        ("a" * (LINE_CHARACTERS + 1) + "\n", True),
        ("a" * (LINE_CHARACTERS + 1), True),
    ):
        output = SuiteOutput()
        output.feed(written.encode())
        assert output.is_partial is is_partial
