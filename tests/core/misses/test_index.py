"""The misses of a log: nothing lost, nothing twice, each with its own dump."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import reference, strategies
from tests.broken_logs import damaged, read_all
from tests.session.support import (
    LISTENING,
    access_line,
    chat,
    dump_line,
    hash_line,
    missed,
    parse,
    second_turn,
    tool,
)
from workbench.core.digest import digest
from workbench.core.log.events import LogEvent, Unreadable
from workbench.core.log.lines import load_failed_line, served_line
from workbench.core.misses.index import MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.core.misses.miss import ROW_CHARACTERS, Miss
from workbench.core.request_body import RequestError
from workbench.core.written.named_in_request import without_credentials
from workbench.io.logs.spool import Spool

REFERENCE_LOG = reference.LOG.read_bytes()
in_one_spool = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


class Reader:
    """An index that reads logs."""

    def __init__(self, spool: Spool) -> None:
        self.intake = LogIntake(spool)
        self.index = MissIndex(spool)

    def read(self, *slices: bytes | str) -> set[str]:
        return self.index.apply(self.intake.read(parse(*slices)))

    def read_events(self, events: list[LogEvent]) -> set[str]:
        return self.index.apply(self.intake.read(events))

    def miss(self, payload: dict[str, Any]) -> Miss:
        return self.index.misses[digest(payload)]


@pytest.fixture
def spool() -> Iterator[Spool]:
    opened = Spool()
    yield opened
    opened.close()


@pytest.fixture
def log(spool: Spool) -> Reader:
    return Reader(spool)


def facts(index: MissIndex) -> list[object]:
    """Everything a log says, to compare what two ways of reading it give."""
    return [
        (m.digest, m.lines, m.dump_lines, m.first_seen, m.last_seen, m.run, m.texts)
        for m in index.misses.values()
    ] + [index.run, index.listening, [u.reason for u in index.unreadable]]


# The reference log


@pytest.fixture
def whole(log: Reader) -> list[object]:
    """What it says, read at once."""
    log.read(REFERENCE_LOG)
    return facts(log.index)


def before_each_line(data: bytes, prefix: Callable[[int], bytes]) -> bytes:
    lines = data.removesuffix(b"\n").split(b"\n")
    return b"".join(prefix(number) + line + b"\n" for number, line in enumerate(lines))


DRESSES: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "compose": lambda data: before_each_line(data, lambda _: b"mock-llm-1  | "),
    "timestamps": lambda data: before_each_line(data, lambda n: b"2026-11-20T10:09:22.%09dZ " % n),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "ANSI": lambda data: before_each_line(
        data.replace(b"\n", b"\x1b[0m\n"), lambda n: b"\x1b[%dm" % (31 + n % 7)
    ),
    "all at once": lambda data: before_each_line(
        data.replace(b"\n", b"\x1b[0m\r\n"),
        lambda n: b"\x1b[36mmock-llm-1  | \x1b[0m\x1b[33m2026-11-20T10:09:22.%09dZ " % n,
    ),
}


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
def test_the_reference_log(dress: Callable[[bytes], bytes], log: Reader) -> None:
    log.read(dress(REFERENCE_LOG))
    index = log.index
    assert len(index.misses) == 108
    assert sum(miss.count for miss in index.misses.values()) == 319
    for found, miss in index.misses.items():
        assert miss.lines == miss.dump_lines
        payloads = index.payloads(found)
        assert payloads
        assert {digest(payload) for payload in payloads} == {found}
        assert index.payload(found) == payloads[0]
    assert index.unreadable == []
    assert index.last_run == 1
    assert index.listening is not None
    assert index.listening.fixtures == "mock_llm_fixtures"


def test_the_variants_of_the_reference_log(log: Reader) -> None:
    log.read(REFERENCE_LOG)
    several = {d: m for d, m in log.index.misses.items() if len(m.dumps) > 1}
    for found, miss in several.items():
        outside = [
            json.dumps([payload.get("tools"), payload.get("response_format")])
            for payload in log.index.payloads(found)
        ]
        assert len(set(outside)) == len(miss.dumps)
    # "plan in json": a JSON schema, and an object.
    assert [found[:12] for found in several] == ["ccb868422737"]


@settings(in_one_spool, max_examples=15)
@given(places=st.lists(st.integers(0, len(REFERENCE_LOG)), max_size=60).map(sorted))
def test_the_reference_log_in_random_slices(
    spool: Spool, whole: list[object], places: list[int]
) -> None:
    sliced = Reader(spool)
    bounds = [0, *places, len(REFERENCE_LOG)]
    # As a tail does it: what each slice holds is taken in before the next one is read.
    pieces = [REFERENCE_LOG[start:end] for start, end in pairwise(bounds)]
    sliced.read(*pieces)
    assert facts(sliced.index) == whole


def test_batches_of_any_size_change_nothing(spool: Spool) -> None:
    events = parse(REFERENCE_LOG)
    whole = Reader(spool)
    changed_at_once = whole.read_events(events)
    for size in (1, 7, 100):
        log = Reader(spool)
        changed: set[str] = set()
        for start in range(0, len(events), size):
            changed |= log.read_events(events[start : start + size])
        assert facts(log.index) == facts(whole.index)
        assert changed == changed_at_once == set(log.index.misses)


# Hashes and dumps


def test_a_miss_is_its_hash_and_its_dump(log: Reader) -> None:
    payload = chat("weather in London?", stream=True)
    assert log.read(missed(payload)) == {digest(payload)}
    miss = log.miss(payload)
    assert (miss.count, miss.lines, miss.dump_lines) == (1, 1, 1)
    assert log.index.payload(miss.digest) == payload
    assert miss.model == "gpt-4o"
    assert miss.last_user_text == "weather in London?"
    assert miss.turn == 1


def test_a_hash_without_a_dump_is_listed(log: Reader) -> None:
    log.read(hash_line(chat()))
    miss = log.miss(chat())
    assert (miss.count, miss.model, miss.dumps) == (1, None, ())
    assert log.index.payload(miss.digest) is None
    assert log.index.payloads(miss.digest) == []


def test_a_dump_without_a_hash_is_a_miss_too(log: Reader) -> None:
    log.read(dump_line(chat()))
    assert log.miss(chat()).count == 1
    assert log.index.payload(digest(chat())) == chat()


def test_nothing_is_known_of_a_digest_that_was_not_logged(log: Reader) -> None:
    log.read(missed(chat()))
    assert log.index.payload("0" * 64) is None
    assert log.index.payloads("0" * 64) == []


def test_dumps_are_paired_by_digest_not_by_adjacency(log: Reader) -> None:
    first, second, third = (chat(text) for text in ("one", "two", "three"))
    log.read(
        hash_line(first), hash_line(second), dump_line(third), hash_line(third), dump_line(second)
    )
    log.read(access_line("10:09:22") * 50, dump_line(first))
    for payload in (first, second, third):
        assert log.miss(payload).count == 1
        assert log.index.payload(digest(payload)) == payload


def test_no_damaged_log_hides_a_miss_or_shows_another_s_request() -> None:
    """A few; ``tests/soak`` has many."""
    assert read_all(damaged(150, seed=1), seed=1) > 150


@in_one_spool
@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_lines_in_any_order(spool: Spool, numbers: list[int], shuffle: random.Random) -> None:
    payloads = [chat(f"burst question {number} — naïve\u2028ls\u0085") for number in numbers]
    lines = [line(payload) for payload in payloads for line in (hash_line, dump_line)]
    shuffle.shuffle(lines)
    log = Reader(spool)
    log.read(*lines)
    assert {d: m.count for d, m in log.index.misses.items()} == {
        digest(payload): payloads.count(payload) for payload in payloads
    }
    assert all(log.index.payload(digest(payload)) == payload for payload in payloads)


def test_they_stand_in_the_order_first_seen(log: Reader) -> None:
    payloads = [chat(str(number)) for number in range(20)]
    log.read(missed(*payloads), missed(*reversed(payloads)))
    assert list(log.index.misses) == [digest(payload) for payload in payloads]


def test_what_is_counted_is_requests_not_lines(log: Reader) -> None:
    log.read(missed(chat(), chat()), hash_line(chat()))
    assert log.miss(chat()).count == 3
    log.read(dump_line(chat()), dump_line(chat()))
    assert log.miss(chat()).count == 4


@in_one_spool
@given(strategies.payloads)
def test_any_request_that_has_a_digest_comes_back_as_it_was(
    spool: Spool, payload: dict[str, Any]
) -> None:
    try:
        lines = missed(payload)
    except RequestError:
        return
    log = Reader(spool)
    log.read(lines)
    assert log.miss(payload).count == 1
    assert log.index.payload(digest(payload)) == without_credentials(payload)
    assert log.miss(payload).model is not None


# Variants


def test_dumps_that_differ_in_what_is_offered_are_variants(log: Reader) -> None:
    variants = [
        chat(),
        chat(tools=[tool()]),
        chat(tools=[tool(), tool("search")]),
        chat(response_format={"type": "json_object"}),
        chat(functions=[{"name": "old"}]),
    ]
    log.read(missed(*variants), missed(*variants))
    miss = log.miss(chat())
    assert len(log.index.misses) == 1
    assert miss.count == 10
    assert log.index.payloads(miss.digest) == variants
    assert [log.index.payload(miss.digest, n) for n in range(5)] == variants


@pytest.mark.parametrize(
    "other", [{"stream": True}, {"temperature": 0.3}, {"seed": 1, "user": "x"}, {"tools": None}]
)
def test_dumps_that_differ_in_nothing_a_reply_depends_on_are_not(
    log: Reader, other: dict[str, Any]
) -> None:
    log.read(missed(chat(), chat(**other)))
    miss = log.miss(chat())
    assert miss.count == 2
    assert log.index.payloads(miss.digest) == [chat()]


def test_the_order_of_keys_in_a_tool_makes_no_variant(log: Reader) -> None:
    offered = tool()
    turned = {key: offered[key] for key in reversed(offered)}
    payload, same = chat(tools=[offered]), chat(tools=[turned])
    for dump in (payload, same):
        log.read(f"[mock-llm] request: {json.dumps(dump)}\n")
    assert log.miss(payload).count == 2
    assert len(log.miss(payload).dumps) == 1


# Times and runs


def test_times_are_those_of_the_nearest_following_access_line(log: Reader) -> None:
    log.read(access_line("10:00:00"), missed(chat("a")), hash_line(chat("b")))
    assert (log.miss(chat("a")).first_seen, log.miss(chat("a")).last_seen) == (None, None)
    changed = log.read(access_line("10:00:01"), access_line("10:00:02"))
    assert changed == {digest(chat("a")), digest(chat("b"))}
    for text in "ab":
        assert log.miss(chat(text)).first_seen == "2026-11-20T10:00:01"
        assert log.miss(chat(text)).last_seen == "2026-11-20T10:00:01"
    log.read(missed(chat("a")), access_line("10:00:03"), access_line("10:00:04"))
    assert log.miss(chat("a")).first_seen == "2026-11-20T10:00:01"
    assert log.miss(chat("a")).last_seen == "2026-11-20T10:00:03"
    assert log.miss(chat("b")).last_seen == "2026-11-20T10:00:01"


def test_a_miss_of_one_run_has_no_time_of_the_next(log: Reader) -> None:
    log.read(LISTENING, missed(chat("a")), LISTENING, missed(chat("b")), access_line("10:00:00"))
    assert log.miss(chat("a")).last_seen is None
    assert log.miss(chat("b")).last_seen == "2026-11-20T10:00:00"
    log.read(missed(chat("a")), access_line("10:00:01"))
    assert log.miss(chat("a")).first_seen == "2026-11-20T10:00:01"


def test_the_reference_log_tells_all_times(log: Reader) -> None:
    log.read(REFERENCE_LOG)
    misses = log.index.misses.values()
    assert all(m.first_seen and m.last_seen and m.first_seen <= m.last_seen for m in misses)
    assert next(iter(misses)).first_seen == "2026-11-20T10:09:22"


def test_a_listening_line_starts_a_run(log: Reader) -> None:
    log.read(LISTENING, missed(chat("a"), chat("b")))
    log.read(LISTENING, missed(chat("b"), chat("c")))
    assert [log.miss(chat(text)).run for text in "abc"] == [1, 2, 2]
    assert (log.index.run, log.index.last_run) == (2, 2)


def test_a_cut_starts_a_run(log: Reader) -> None:
    log.read(missed(chat("a")))
    log.index.start_run()
    log.read(missed(chat("b")))
    assert [log.miss(chat(text)).run for text in "ab"] == [1, 2]


def test_a_run_in_which_nothing_was_asked_is_not_counted(log: Reader) -> None:
    log.read(LISTENING * 3, missed(chat("a")), LISTENING * 3)
    log.index.start_run()
    assert log.index.last_run == 1
    log.read(missed(chat("b")))
    assert [log.miss(chat(text)).run for text in "ab"] == [1, 2]


@pytest.mark.parametrize("hit", [served_line("a" * 64), access_line("10:00:00")])
def test_a_run_of_hits_alone_is_a_run(log: Reader, hit: str) -> None:
    log.read(LISTENING, missed(chat("a")), access_line("09:59:59"), LISTENING, hit)
    assert log.index.last_run == 2
    log.index.start_run()
    assert log.index.last_run == 2
    log.read(missed(chat("b")))
    assert [log.miss(chat(text)).run for text in "ab"] == [1, 3]


def test_a_book_that_has_read_nothing_is_in_its_first_run(log: Reader) -> None:
    assert (log.index.run, log.index.last_run) == (1, 1)
    log.index.start_run()
    assert (log.index.run, log.index.last_run) == (1, 1)


# What cannot be read


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


UNREADABLE = {
    "cut": '{"model": "m", "messages": [',
    "no JSON": '{"model": nonsense}',
    "unserializable": "<unserializable>",
    "a lone surrogate": '{"model": "\\ud800"}',
    "a number too long": '{"seed": ' + "9" * 5000 + "}",
    "300 deep": f'{{"metadata": {nested(299)}}}',
    "900 deep": f'{{"tools": {nested(900)}}}',
    "100,000 deep": f'{{"messages": {nested(100_000)}}}',
}


@pytest.mark.parametrize("dump", UNREADABLE.values(), ids=UNREADABLE)
def test_a_dump_that_cannot_be_read_stops_nothing(log: Reader, dump: str) -> None:
    garbled = f"[mock-llm] request: {dump}\n"
    log.read(missed(chat("a")), hash_line(chat("x")), garbled, missed(chat("b")))
    assert [log.miss(chat(text)).count for text in "axb"] == [1, 1, 1]
    assert log.miss(chat("x")).model is None
    (problem,) = log.index.unreadable
    assert isinstance(problem, Unreadable)
    assert "\n" not in problem.reason


def test_a_dump_may_be_nested_as_deeply_as_a_fixture_can_hold(log: Reader) -> None:
    for depth, misses in ((298, 1), (299, 1)):
        deep = f'{{"tools": [{"{}, " * 300}5], "metadata": {nested(depth)}}}'
        log.read(f"[mock-llm] request: {deep}\n")
        assert len(log.index.misses) == misses
        assert len(log.index.unreadable) == depth - 298


def test_many_brackets_side_by_side_are_not_deep(log: Reader) -> None:
    payload = chat(metadata=[[], {}] * 5000)
    log.read(missed(payload))
    assert log.index.unreadable == []
    assert log.index.payload(digest(payload)) == payload


def test_a_file_that_failed_to_load_is_no_miss_by_itself(log: Reader) -> None:
    assert log.read(load_failed_line(f"fixtures/{'a' * 64}.json", "not JSON")) == set()
    assert log.index.misses == {}


def test_a_request_without_anything_in_it(log: Reader) -> None:
    log.read("[mock-llm] request: {}\n")
    miss = log.miss({})
    assert log.index.payload(miss.digest) == {}
    assert (miss.model, miss.last_user_text) == ("gpt-4o-mini", "")


# Knock-on


def test_a_request_that_quotes_the_fallback_is_known(log: Reader) -> None:
    quoted_by_user = chat(second_turn()["messages"][1]["content"])
    log.read(missed(second_turn(), second_turn(answer="12 degrees"), quoted_by_user))
    for payload, quotes in [
        (second_turn(), True),
        (second_turn(answer="12 degrees"), False),
        (quoted_by_user, False),
    ]:
        texts = log.miss(payload).texts
        assert texts is not None
        assert texts.quotes_fallback is quotes
    assert log.miss(second_turn()).turn == 2


def test_two_requests_of_the_reference_log_quote_the_fallback(log: Reader) -> None:
    log.read(REFERENCE_LOG)
    texts = [miss.texts for miss in log.index.misses.values()]
    assert sum(each is not None and each.quotes_fallback for each in texts) == 2


def test_a_row_keeps_little_of_a_long_text(log: Reader) -> None:
    payload = chat("x" * 1_000_000)
    log.read(missed(payload))
    assert log.miss(payload).last_user_text == "x" * ROW_CHARACTERS
    assert log.index.payload(digest(payload)) == payload


def test_a_log_that_has_credentials_is_read_without_them(log: Reader) -> None:
    payload = {"model": "m", "messages": [], "api_key": "very-secret-thing"}
    log.read(f"[mock-llm] request: {json.dumps(payload)}\n")
    assert log.index.payload(digest(payload)) == {**payload, "api_key": "…"}
