"""The spool gives back what was put into it, to any thread."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.io.logs.spool import Spool


@pytest.fixture
def spool() -> Iterator[Spool]:
    spool = Spool()
    yield spool
    spool.close()


@given(st.lists(st.binary(max_size=300)))
def test_gives_back_what_was_put(chunks: list[bytes]) -> None:
    spool = Spool()
    places = []
    for chunk in chunks:
        places.append(spool.put(chunk))
        assert spool.get(places[0]) == chunks[0]
    assert [spool.get(place) for place in reversed(places)] == chunks[::-1]
    spool.close()


def test_many_threads_put_and_get_at_once(spool: Spool) -> None:
    def use(number: int) -> bool:
        chunks = [bytes([number]) * (1 + 37 * i) for i in range(200)]
        places = [spool.put(chunk) for chunk in chunks]
        return [spool.get(place) for place in places] == chunks

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))


def test_has_no_file_that_could_be_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spool = Spool()
    spool.put(b"a secret")
    assert list(tmp_path.iterdir()) == []
    spool.close()


def test_a_closed_spool_says_so(spool: Spool) -> None:
    place = spool.put(b"x")
    spool.close()
    with pytest.raises(ValueError, match="closed"):
        spool.get(place)
