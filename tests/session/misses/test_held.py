"""Who waits in the server, as the session knows it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from workbench.core.control_api import HeldRequest
from workbench.core.text.wording import brief_time, countdown
from workbench.io.fixture.store import FixtureStore
from workbench.io.network.control_client import ControlError
from workbench.io.state_folder import StateFolder
from workbench.session.lists.filters import FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.misses.held import EndedWait, HeldRequests
from workbench.session.misses.states import state_of
from workbench.session.server import KnownServer
from workbench.session.session import Session


def waiting(
    digest: str, age: float = 0.0, clients: int = 1, begun: int = 0, variant: str = "v"
) -> HeldRequest:
    key = f"{digest}-{variant}"
    return HeldRequest(key, digest, age, 300 - age, False, clients, begun, variant)


def test_what_is_news() -> None:
    index = HeldRequests(KnownServer())
    assert not index
    assert index.take([waiting("a"), waiting("b", age=7)]) == {"a", "b"}
    assert (len(index), index.clients) == (2, 2)
    assert index.take([waiting("a"), waiting("b", age=8)]) == set()
    assert index.take([waiting("a", clients=3), waiting("b", age=9)]) == {"a"}
    assert index.clients == 4
    begun = [waiting("a", clients=3, begun=1), waiting("b", age=9)]
    assert index.take(begun) == {"a"}
    assert index.take(begun[:1]) == {"b"}
    assert "b" not in index


def test_two_requests_of_a_digest_wait_in_one_row() -> None:
    index = HeldRequests(KnownServer())
    two = [waiting("a", age=9, variant="x"), waiting("a", clients=2, begun=1, variant="y")]
    assert index.take(two) == {"a"}
    held = index.get("a")
    assert held is not None
    assert (len(index), held.clients, held.begun, int(held.waited)) == (1, 3, 1, 9)
    assert [held.of_variant(each).clients for each in "xyz"] == [1, 2, 3]
    assert index.take(two[1:]) == {"a"}


@pytest.mark.parametrize(
    ("held", "saved", "following"),
    [
        (["saved", "c", "b"], "saved", "c"),
        (["elsewhere", "saved"], "saved", "b"),
        (["saved"], "b", "saved"),
        (["saved"], "saved", "b"),
        ([], "saved", "saved"),
    ],
)
def test_after_a_save_the_longest_wait_comes_next(
    held: list[str], saved: str, following: str
) -> None:
    index = HeldRequests(KnownServer())
    index.take([waiting(digest) for digest in held])
    keys = {key: key for key in ("saved", "done", "b", "c")}
    every = FilterLanguage[str](lambda _: lambda _: True)
    query = ListQuery(keys, every, [Order("as given")], is_done=lambda key: key == "done")
    query.set_with_done(True)
    query.update(keys)
    query.select("saved")
    index.offer_next(query, saved)
    assert query.selected == following
    assert not query.is_chosen


def test_nothing_is_selected_where_the_last_open_row_was_held() -> None:
    index = HeldRequests(KnownServer())
    index.take([waiting("saved")])
    every = FilterLanguage[str](lambda _: lambda _: True)
    query = ListQuery({"saved": "saved"}, every, [Order("as given")])
    query.update({"saved"})
    query.select("saved")
    index.offer_next(query, "saved")
    assert query.selected is None


def test_times_go_on_by_themselves() -> None:
    index = HeldRequests(KnownServer())
    index.take([waiting("a", age=2.9), waiting("b", age=400)])
    held, late = index.get("a"), index.get("b")
    assert held is not None
    assert late is not None
    assert held.waited + held.left == pytest.approx(300, abs=5)
    assert late.left == 0


def test_nothing_is_decided_where_nobody_waits() -> None:
    index = HeldRequests(KnownServer())
    with pytest.raises(ControlError, match="no client is waiting"):
        index.release("a")
    index.take([waiting("a")])
    with pytest.raises(ControlError, match="no server"):
        index.release("a")


def test_held_comes_before_every_other_state(tmp_path: Path) -> None:
    session = Session(FixtureStore(tmp_path), StateFolder(tmp_path / ".workbench"))
    session.held.take([waiting("a" * 64)])
    state = state_of(session, "a" * 64)
    assert (state.kind, state.word, state.is_done) == ("held", "held", False)
    session.held.take([])
    assert state_of(session, "a" * 64).kind == "unlogged"
    session.close()


@pytest.mark.parametrize(
    ("seconds", "brief", "left"),
    [
        *((0, "0s", "0:00"), (59.9, "59s", "0:59"), (60, "1m", "1:00"), (288, "4m", "4:48")),
        *((3600, "1h", "1:00:00"), (3888, "1h", "1:04:48"), (90_000, "1d", "25:00:00")),
    ],
)
def test_times_in_words(seconds: float, brief: str, left: str) -> None:
    assert (brief_time(seconds), countdown(seconds)) == (brief, left)


def test_how_a_wait_ended_is_known_until_the_request_is_held_again() -> None:
    record = {"age_s": 31.0, "clients": 1, "digest": "a" * 64}
    for kind, how, clients, misses_fail, ended in (
        ("gone", None, 0, False, "left"),
        ("released", "released", 1, False, "fallback"),
        ("released", "timed out", 1, True, "error"),
        ("released", "timed out", 0, False, None),
        ("answered", "saved", 1, False, None),
        ("cut_off", "released", 1, False, None),
    ):
        data = {**record, "how": how, "clients": clients}
        found = EndedWait.of(kind, data, misses_fail=misses_fail)
        assert (found and found.how) == ended
    index = HeldRequests(KnownServer())
    at = datetime(2026, 3, 1, 4, 24, 59)
    index.ended["a" * 64] = EndedWait("fallback", at, 300)
    assert index.ended["a" * 64].words == "fallback sent 04:24, after 5:00"
    assert EndedWait("left", at, 61.5).words == "client left 04:24, after 1:01"
    index.take([waiting("b" * 64)])
    assert "a" * 64 in index.ended
    index.take([waiting("a" * 64)])
    assert index.ended == {}
