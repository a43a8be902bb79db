"""Logs of servers whose digests are not ours."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests import reference
from tests.session.support import (
    LISTENING,
    chat,
    dump_line,
    hash_line,
    missed,
    open_session,
    parse,
)
from workbench.core.digest import digest
from workbench.core.log.lines import hidden_miss_lines
from workbench.core.text.digests import short
from workbench.session.misses.other_server import other_digest, other_digests

ONE, TWO, THREE = chat("one"), chat("two"), chat("three")
OTHERS = {digest(ONE): "1" * 64, digest(TWO): "2" * 64, digest(THREE): "3" * 64}


def foreign(line: str) -> str:
    """A line of a server that computes digests in another way."""
    for ours, other in OTHERS.items():
        line = line.replace(ours, other)
    return line


def mispaired(folder: Path, *parts: str | bytes) -> dict[str, str]:
    with closing(open_session(folder)) as session:
        session.take_log(session.intake.read(parse(*parts)))
        return session.miss_index.mispaired


def test_each_request_is_told_with_the_digest_that_was_logged(tmp_path: Path) -> None:
    log = foreign(missed(ONE, TWO, ONE, THREE))
    assert mispaired(tmp_path, LISTENING, log) == OTHERS
    assert mispaired(tmp_path, LISTENING, log, LISTENING, log) == OTHERS
    assert mispaired(tmp_path, foreign(missed(ONE))) == {digest(ONE): "1" * 64}


def test_lines_of_requests_at_the_same_time_are_paired_in_their_order(tmp_path: Path) -> None:
    lines = [hash_line(ONE), hash_line(TWO), dump_line(ONE), dump_line(TWO)]
    assert mispaired(tmp_path, *map(foreign, lines)) == {
        digest(ONE): "1" * 64,
        digest(TWO): "2" * 64,
    }


@pytest.mark.parametrize(
    "lines",
    [
        [missed(ONE, TWO)],
        [hash_line(ONE), hash_line(TWO), dump_line(TWO), dump_line(ONE)],
        [dump_line(ONE), missed(TWO)],  # cut between two lines
        [hash_line(ONE), dump_line(ONE)[:60] + "\n", missed(TWO)],
        [hash_line(ONE), LISTENING, dump_line(TWO)],
        [hidden_miss_lines(digest(ONE)), missed(TWO)],
        [hash_line(ONE), hash_line(TWO)],
        [dump_line(ONE), dump_line(TWO)],
        [missed(ONE), hash_line(TWO), dump_line(THREE)],
    ],
)
def test_a_log_of_our_digests_tells_none(tmp_path: Path, lines: list[str]) -> None:
    assert mispaired(tmp_path, *lines) == {}


def test_the_reference_log_tells_none(tmp_path: Path) -> None:
    assert mispaired(tmp_path, reference.LOG.read_bytes()) == {}


def test_what_is_said(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        index = session.miss_index
        assert other_digests(index) == ""
        session.take_log(session.intake.read(parse(foreign(missed(ONE, TWO)), missed(THREE))))
        said = other_digests(index)
        assert "(2 requests: for example 111111111111, not " in said
        assert "run the suite with workbench run" in said
        assert "Answer 111111111111" in other_digest(index, digest(ONE))
        assert f"listed as {short(digest(ONE))}" in other_digest(index, "1" * 64)
        assert other_digest(index, digest(THREE)) == ""
