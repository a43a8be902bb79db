"""Playing a stream: what has arrived when, at any pace, paused or stepped through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.apis.chat.write_stub import STUB
from workbench.core.apis.table import view
from workbench.core.replies.answer import find_answer
from workbench.core.replies.http_reply import Frame
from workbench.tui.preview.playback import AT_ONCE, PACES, Playback, arrivals

DIGEST = "0" * 64
TIMES = [0.0, 0.2, 0.4, 0.6, 0.6]

times_of_streams = st.lists(st.floats(0, 2), min_size=1, max_size=8).map(sorted)
paces = st.sampled_from(PACES[:-1])


def frames(content: str) -> list[Frame]:
    return list(
        STUB.frames(find_answer(view({}), DIGEST, lambda _: {"response": {"content": content}}), 0)
    )


@pytest.mark.parametrize(("delay", "step"), [(0, 0.2), (50, 0.05)])
def test_content_is_waited_for_and_the_ends_are_not(delay: int, step: float) -> None:
    assert arrivals(frames("abc"), delay) == pytest.approx(
        [0.0, step, 2 * step, 3 * step, 3 * step]
    )


def test_all_is_there_before_it_is_played() -> None:
    playback = Playback(TIMES)
    assert (playback.shown, playback.is_whole, playback.is_playing) == (5, True, False)
    assert playback.wait() is None


def test_it_plays_from_the_beginning_to_the_end() -> None:
    playback = Playback(TIMES)
    playback.play(100.0)
    assert (playback.shown, playback.is_playing) == (1, True)
    assert playback.wait() == pytest.approx(0.2)
    playback.advance(100.19)
    assert playback.shown == 1
    assert playback.wait() == pytest.approx(0.01)
    playback.advance(100.41)
    assert playback.shown == 3
    assert playback.elapsed == pytest.approx(0.41)
    playback.advance(109.0)
    assert (playback.shown, playback.is_playing, playback.wait()) == (5, False, None)
    playback.play(200.0)
    assert playback.shown == 1


@pytest.mark.parametrize("pace", PACES[:-1])
def test_a_pace(pace: float) -> None:
    playback = Playback(TIMES, pace)
    playback.play(0.0)
    assert playback.wait() == pytest.approx(0.2 / pace)
    playback.advance(0.41 / pace)
    assert playback.shown == 3


def test_at_once() -> None:
    playback = Playback(TIMES, AT_ONCE)
    playback.play(0.0)
    assert (playback.shown, playback.is_playing) == (5, False)
    slow = Playback(TIMES)
    slow.play(0.0)
    slow.set_pace(AT_ONCE, 0.1)
    slow.advance(0.1)
    assert (slow.shown, slow.is_playing) == (5, False)


def test_another_pace_counts_from_now_on() -> None:
    playback = Playback(TIMES)
    playback.play(0.0)
    playback.set_pace(2.0, 0.3)
    assert playback.elapsed == pytest.approx(0.3)
    playback.advance(0.4)
    assert playback.elapsed == pytest.approx(0.5)


def test_a_pause_takes_no_time() -> None:
    playback = Playback(TIMES)
    playback.play(0.0)
    playback.pause(0.25)
    assert (playback.shown, playback.is_playing, playback.wait()) == (2, False, None)
    playback.advance(50.0)
    assert playback.shown == 2
    playback.play(60.0)
    assert playback.wait() == pytest.approx(0.15)


def test_steps_pause_and_stay_inside() -> None:
    playback = Playback(TIMES)
    playback.play(0.0)
    playback.step(1)
    assert (playback.shown, playback.elapsed, playback.is_playing) == (2, 0.2, False)
    playback.step(-1)
    playback.step(-1)
    playback.step(-1)
    assert (playback.shown, playback.elapsed) == (0, 0.0)
    playback.step(99)
    assert (playback.shown, playback.is_whole) == (5, True)


def test_it_goes_on_from_where_it_was_stepped_to() -> None:
    playback = Playback(TIMES)
    playback.step(-2)
    playback.play(10.0)
    assert playback.shown == 3
    assert playback.wait() == pytest.approx(0.2)


def test_nothing_to_play() -> None:
    playback = Playback([])
    playback.play(0.0)
    playback.step(-1)
    assert (playback.shown, playback.is_playing, playback.wait()) == (0, False, None)


@given(times_of_streams, paces, st.lists(st.floats(0, 5), max_size=6).map(sorted))
def test_what_is_shown_is_what_has_arrived(
    times: list[float], pace: float, moments: list[float]
) -> None:
    playback = Playback(times, pace)
    playback.play(0.0)
    for now in moments:
        playback.advance(now)
        if playback.is_playing:
            assert playback.elapsed == pytest.approx(now * pace)
            assert playback.shown == sum(at <= playback.elapsed for at in times)
            wait = playback.wait()
            assert wait is not None
            assert wait > 0
        else:
            assert playback.is_whole
