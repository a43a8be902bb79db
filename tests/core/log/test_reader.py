"""The log parser, held against the real stub server's log and against our own writers."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.cases import each_case
from workbench.core.apis.ignored import IGNORED_OPTIONS, IgnoredOption
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import digest
from workbench.core.log import lines as log_lines
from workbench.core.log import reader
from workbench.core.log.events import (
    Accessed,
    AskedBy,
    FixtureServed,
    LoadFailed,
    LogEvent,
    MissLogged,
    OptionIgnored,
    RequestLogged,
    SentTo,
    SuiteEnded,
    SuiteStarted,
    Unreadable,
    UnsupportedLogged,
)
from workbench.core.log.lines import Listening
from workbench.core.log.reader import LogParser
from workbench.core.request_body import RequestError

REFERENCE_LOG = reference.LOG.read_bytes()
HASH = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
OTHER_HASH = "5ced4b2efeb83f8b84b8941f01d192a8f5ba6d1c4e9686ad0f8c6f34b03bdbf8"
HASH_LINE = f"[mock-llm] unknown fixture hash {HASH}\n".encode()
MODERATIONS = UnsupportedRequest(
    "POST", "/v1/moderations", "this server does not support moderations"
)
MODERATIONS_LINE = log_lines.unsupported_line(MODERATIONS)
# Characters that end lines elsewhere, control terminals or turn text round.
TRICKY = '\u2028\u2029\u0085\u202e\x00\x07\x1b\x7f\x9b\r\n\t\f\v"\\{}[]é日🚀'


# A loaded machine is no reason to fail.


def parse(data: bytes) -> list[LogEvent]:
    parser = LogParser()
    return parser.feed(data) + parser.close()


def parse_slices(slices: Iterable[bytes]) -> list[LogEvent]:
    parser = LogParser()
    events = [event for piece in slices for event in parser.feed(piece)]
    return events + parser.close()


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    bounds = [0, *sorted(places), len(data)]
    return [data[a:b] for a, b in pairwise(bounds)]


@pytest.fixture(scope="module")
def reference_events() -> list[LogEvent]:
    return parse(REFERENCE_LOG)


def test_the_reference_log_has_108_misses_each_with_its_own_dump(
    reference_events: list[LogEvent],
) -> None:
    hashes = Counter(e.digest for e in reference_events if isinstance(e, MissLogged))
    dumps = Counter(
        digest(json.loads(e.dump)) for e in reference_events if isinstance(e, RequestLogged)
    )
    assert len(hashes) == 108
    assert hashes.total() == 319
    assert dumps == hashes


def test_the_other_events_of_the_reference_log(reference_events: list[LogEvent]) -> None:
    assert reference_events[0] == Listening("http://127.0.0.1:7897", "mock_llm_fixtures")
    times = [e.time for e in reference_events if isinstance(e, Accessed)]
    assert len(times) == 277  # of 366 access lines; others follow one directly
    assert times[0] == "2026-11-20T10:09:22"
    assert times == sorted(times)
    others = (Unreadable, FixtureServed)
    assert [e for e in reference_events if isinstance(e, others)] == []


@pytest.mark.parametrize(
    "after", [" logger=mock", ' from="a b" port=1', '\t{"port": 1, "of": {"a": "b"}}', " {}"]
)
def test_what_a_logger_writes_after_a_hash_is_no_part_of_it(after: str) -> None:
    line = HASH_LINE.removesuffix(b"\n") + after.encode()
    assert parse(line + b"\n") == [MissLogged(HASH, "")]


def before_each_line(prefix: bytes) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(prefix + line + b"\n" for line in lines(data))


def lines(data: bytes) -> list[bytes]:
    return data.removesuffix(b"\n").split(b"\n")


def timestamped(data: bytes) -> bytes:
    stamped = (
        b"2026-11-20T10:09:22.%09dZ %s\n" % (number, line)
        for number, line in enumerate(lines(data))
    )
    return b"".join(stamped)


DRESSES: dict[str, Callable[[bytes], bytes]] = {
    "compose": before_each_line(b"mock-llm-1  | "),
    "compose, coloured": before_each_line(b"\x1b[36mmock-llm-1  | \x1b[0m"),
    "compose, coloured anew": before_each_line(b"\x1b[36mmock-llm-1  |\x1b[0m\x1b[K "),
    "timestamps": timestamped,
    "compose and timestamps": lambda data: before_each_line(b"mock-llm-1  | ")(timestamped(data)),
    "kubectl": before_each_line(b"[pod/mock-llm-7d9f5-x2x/stub] "),
    "syslog": before_each_line(b"Nov 20 10:09:22 ci-7 stub[4711]: "),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "whole lines coloured": lambda data: b"".join(
        b"\x1b[1;33m" + line + b"\x1b[0m\n" for line in lines(data)
    ),
    "coloured and CRLF": lambda data: b"".join(
        b"\x1b[38;5;208m" + line + b"\x1b[0m\r\n" for line in lines(data)
    ),
    "no last line end": lambda data: data.removesuffix(b"\n"),
}


@each_case("dress", DRESSES.values())
def test_what_stands_around_the_lines_changes_nothing(
    dress: Callable[[bytes], bytes], reference_events: list[LogEvent]
) -> None:
    dressed = dress(REFERENCE_LOG)
    assert dressed != REFERENCE_LOG
    unnamed = [e._replace(source="") if isinstance(e, MissLogged) else e for e in parse(dressed)]
    assert unnamed == reference_events


@settings(max_examples=25)
@given(places=st.lists(st.integers(0, len(REFERENCE_LOG)), max_size=200))
def test_the_reference_log_in_random_slices(places: list[int]) -> None:
    assert parse_slices(cut(REFERENCE_LOG, places)) == parse(REFERENCE_LOG)


def test_one_byte_at_a_time_cuts_inside_lines_and_characters() -> None:
    payload = {"model": "gpt-4o", "messages": [{"role": "user", "content": TRICKY}]}
    data = DRESSES["coloured and CRLF"](
        (
            log_lines.listening_line("http://127.0.0.1:1", "ä b")
            + log_lines.miss_lines(HASH, payload)
        ).encode()
    )
    events = parse_slices(data[i : i + 1] for i in range(len(data)))
    assert events == parse(data)
    assert [type(e) for e in events] == [Listening, MissLogged, RequestLogged]


ALPHABET = st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=["Cs"]))
TEXT = st.one_of(
    st.text(ALPHABET, max_size=30),
    st.sampled_from([HASH_LINE.decode(), f"\n{HASH_LINE.decode()}", "[mock-llm] request: {}"]),
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)
PAYLOAD = st.fixed_dictionaries(
    {
        "model": TEXT,
        "messages": st.lists(
            st.fixed_dictionaries({"role": TEXT, "content": TEXT | st.lists(JSON, max_size=2)}),
            max_size=3,
        ),
    },
    optional={"tools": JSON, "metadata": JSON, "stream": st.booleans()},
)


def test_the_lines_of_a_miss_are_those_of_the_reference() -> None:
    missed = [e for e in reference.exchanges() if e["log"]]
    assert len(missed) > 50
    for exchange in missed:
        written = log_lines.miss_lines(exchange["digest"], exchange["payload"])
        assert written.split("\n") == [*exchange["log"], ""]


@each_case(
    "prefix, source",
    [
        (b"", ""),
        (b"mock-llm-1  | ", "mock-llm-1"),
        (b"mock-llm-1  | 2026-11-20T10:09:22.123456789Z ", "mock-llm-1"),
        (b"\x1b[36mmock-llm-1  |\x1b[0m\x1b[K ", "mock-llm-1"),
        (b"2026-11-20T10:09:22.123456789Z ", ""),
        (b"2026-11-20T10:09:22.123456789Z stdout F ", ""),
        (b"[pod/mock-llm-7d9f5-x2x/stub] ", "pod/mock-llm-7d9f5-x2x/stub"),
        (b"Nov 20 10:09:22 ci-7 stub[4711]: ", "ci-7"),
        (b"Fri Nov 20 10:09:22 2026 stub: ", "stub"),
        (b"may-flower | ", "may-flower"),
        (b"Maya | ", "Maya"),
        (b"frontend | ", "frontend"),
    ],
)
def test_who_wrote_a_line_is_told_by_its_prefix(prefix: bytes, source: str) -> None:
    [event] = LogParser().feed(prefix + HASH_LINE)
    assert isinstance(event, MissLogged)
    assert event.source == source


@given(payloads=st.lists(PAYLOAD, min_size=1, max_size=3), places=st.lists(st.integers(0, 500)))
def test_the_lines_of_a_miss_read_back(payloads: list[dict[str, Any]], places: list[int]) -> None:
    written = "".join(log_lines.miss_lines(digest(p), p) for p in payloads).encode()
    events = parse_slices(cut(written, [p for p in places if p < len(written)]))
    assert len(events) == 2 * len(payloads)
    for payload, hash_event, dump in zip(payloads, events[::2], events[1::2], strict=True):
        assert hash_event == MissLogged(digest(payload))
        assert isinstance(dump, RequestLogged)
        assert json.loads(dump.dump) == payload


@given(text=st.text(st.characters(), max_size=20), key=st.text(st.characters(), max_size=5))
def test_lone_surrogates_outside_the_digest_survive_as_escapes(text: str, key: str) -> None:
    # Read from JSON, as every payload is: there the two halves of a pair are one character.
    payload = json.loads(json.dumps({"model": "m", "messages": [], "metadata": {key: text}}))
    written = log_lines.miss_lines(digest(payload), payload).encode("utf-8", "backslashreplace")
    hash_event, dump = parse(written)
    assert isinstance(dump, RequestLogged)
    assert json.loads(dump.dump) == payload
    assert hash_event == MissLogged(digest(json.loads(dump.dump)))


def test_a_lone_surrogate_inside_the_digest_has_no_miss_to_log() -> None:
    with pytest.raises(RequestError, match="lone surrogate"):
        digest({"messages": [{"role": "user", "content": "\ud800"}]})


NAME = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)


@given(folder=NAME, error=TEXT)
def test_a_failed_load_reads_back_from_one_line(folder: str, error: str) -> None:
    written = log_lines.load_failed_line(f"/{folder}/{HASH}.json", error).encode()
    assert written.count(b"\n") == 1
    assert parse(written) == [LoadFailed(HASH, f"/{folder}")]


@given(folder=NAME)
def test_a_start_reads_back(folder: str) -> None:
    written = log_lines.listening_line("http://[::1]:7899", folder).encode()
    assert parse(written) == [Listening("http://[::1]:7899", folder)]


@each_case(
    "written, url",
    [
        ("http://127.0.0.1:7897", "http://127.0.0.1:7897"),
        ("https://localhost/v1/", "https://localhost"),
        ("http://[::1]:1?x", "http://[::1]:1"),
        ("http://127.0.0.1:7897/;touch${IFS}X;", "http://127.0.0.1:7897"),
        ("http://127.0.0.1:7897/\x1b]52;c;aGk=\x07", "http://127.0.0.1:7897"),
        ("http://127.0.0.1:7897;touch", ""),
        ("http://127.0.0.1:7897\x1b]0;title\x07", ""),
        ("http://127.0.0.1\u0661", ""),
        ("http://127.0.0.1:65535", "http://127.0.0.1:65535"),
        ("http://127.0.0.1:65536", ""),
        ("http://localhost:99999/v1", ""),
        ("http://127.0.0.999:80", ""),
        ("http://127.0.0.1.evil.example", ""),
        ("http://127.0.0.1@evil.example", ""),
        ("http://user@127.0.0.1", ""),
        ("http://[::1%25;touch]:80", ""),
        ("http://0.0.0.0:7897", ""),
        ("file://localhost/etc", ""),
        ("http://[::1", ""),
        ("http://", ""),
        ("x", ""),
    ],
)
def test_of_a_servers_url_scheme_loopback_host_and_port_are_taken(written: str, url: str) -> None:
    line = log_lines.listening_line(written, "folder").encode()
    assert parse(line) == [Listening(url, "folder")]


def test_a_hit_reads_back() -> None:
    assert parse(log_lines.served_line(HASH).encode()) == [FixtureServed(HASH)]
    equivalent = log_lines.served_line(HASH, equivalent_to=OTHER_HASH).encode()
    assert equivalent.endswith(f"{HASH} (equivalent to {OTHER_HASH})\n".encode())
    assert parse(equivalent) == [FixtureServed(HASH, OTHER_HASH)]


@each_case("dress", DRESSES.values())
def test_which_test_asked_reads_back(dress: Callable[[bytes], bytes]) -> None:
    test = "tests/test_é.py::test_a[b c%20]"
    for key in (HASH, str(MODERATIONS)):
        line = log_lines.asked_line(test, key).encode()
        assert line.isascii()
        assert parse(dress(line)) == [AskedBy(key, test)]
    assert log_lines.asked_line("", HASH) == ""


@each_case("dress", DRESSES.values())
def test_the_host_of_a_request_reads_back(dress: Callable[[bytes], bytes]) -> None:
    line = log_lines.sent_to_line("https://api.groq.com", HASH).encode()
    assert parse(dress(line)) == [SentTo(HASH, "api.groq.com")]
    assert log_lines.sent_to_line("", HASH) == ""


def test_an_access_line_may_have_a_host() -> None:
    miss = f"[mock-llm] unknown fixture hash {HASH}\n"
    target = "https://api.groq.com/openai/v1/chat/completions"
    access = f'127.0.0.1 - - [20/Nov/2026 10:09:02] "POST {target} HTTP/1.1" 404 -\n'
    assert parse(f"{miss}{access}".encode())[-1] == Accessed("2026-11-20T10:09:02")


def test_an_access_line_after_a_test_is_that_of_its_request() -> None:
    asked = log_lines.asked_line("t", str(MODERATIONS))
    access = b'127.0.0.1 - - [20/Nov/2026 10:09:02] "POST /v1/moderations HTTP/1.1" 400 -\n'
    events = parse(MODERATIONS_LINE.encode() + asked.encode() + access)
    assert events[-1] == Accessed("2026-11-20T10:09:02")


@pytest.mark.parametrize(
    "line", ["asked by x", f'asked by x {HASH}"', f"asked by  {HASH}", "asked by"]
)
def test_a_line_that_names_no_test_or_request_is_nothing(line: str) -> None:
    assert parse(f"[mock-llm] {line}\n".encode()) == []


@given(st.text())
def test_any_test_can_be_logged(given: str) -> None:
    test = log_lines.test_name(given)
    assert len(test) <= log_lines.MAX_TEST
    line = log_lines.asked_line(test, HASH)
    assert line.count("\n") == bool(test)
    assert parse(line.encode()) == ([AskedBy(HASH, test)] if test else [])


@each_case("dress", DRESSES.values())
def test_an_unsupported_request_reads_back(dress: Callable[[bytes], bytes]) -> None:
    (event,) = parse(dress(MODERATIONS_LINE.encode()))
    assert isinstance(event, UnsupportedLogged)
    assert event.request == MODERATIONS


def test_who_wrote_of_an_unsupported_request_is_told_by_the_prefix() -> None:
    line = f"mock-llm-1  | {MODERATIONS_LINE}".encode()
    assert parse(line) == [UnsupportedLogged(MODERATIONS, "mock-llm-1")]


@pytest.mark.parametrize(
    "line",
    [
        b"[mock-llm] unsupported request POST: no path\n",
        b"[mock-llm] unsupported request POST /v1/x\n",
        b"[mock-llm] unsupported request POST /v1/x y: a blank\n",
        b"[mock-llm] unsupported request post /v1/x: no method\n",
        b'[mock-llm] unsupported request POST /v1/x: the rest of a dump"}]}\n',
        b'{"content": "[mock-llm] unsupported request POST /v1/x: quoted"}\n',
    ],
)
def test_what_only_looks_like_an_unsupported_request(line: bytes) -> None:
    assert [e for e in parse(line) if isinstance(e, UnsupportedLogged)] == []


def access_line(path: str, time: str) -> str:
    return f'127.0.0.1 - - [20/Nov/2026 {time}] "POST {path} HTTP/1.1" 400 -\n'


@given(places=st.lists(st.integers(0, 1000), max_size=20))
def test_the_time_of_an_unsupported_request_is_that_of_its_own_access_line(
    places: list[int],
) -> None:
    log = (
        access_line("/v1/moderations", "10:09:00")
        + MODERATIONS_LINE
        + access_line("/v1/other", "10:09:01")
        + access_line("/v1/moderations?key=withheld", "10:09:02")
        + access_line("/v1/moderations", "10:09:03")
        + access_line("/v1/chat/completions", "10:09:04")
    ).encode()
    found = [UnsupportedLogged(MODERATIONS), Accessed("2026-11-20T10:09:02")]
    assert parse_slices(cut(log, places)) == found


@pytest.mark.parametrize(
    ("text", "is_of_stub_server"),
    [
        ("", False),
        ("Everything is fine.\n", False),
        ('{"log": "[mock-llm] a note"}\n', True),
        ('{"content": "[mock-llm] a note"}\n', False),
        ("[mock-llm] a note\n", True),
        ("app | \x1b[31m[mock-llm] a note\x1b[0m\n", True),
        ("[mock-llm] a note without an end", True),
        ('127.0.0.1 - - [20/Nov/2026 10:09:00] "POST /v1/chat/completions HTTP/1.1" 200 -\n', True),
        (
            '127.0.0.1 - - [20/Nov/2026 10:09:00] "POST /v1/messages HTTP/1.1" 200 -\nThe end.\n',
            True,
        ),
        ('127.0.0.1 - - [20/Nov/2026 10:09:00] "GET /index.html HTTP/1.1" 200 -\n', False),
        ('10.0.0.1 - - [20/Nov/2026:10:09:00 +0000] "POST /v1/messages HTTP/1.1" 200 9\n', False),
        ('10.0.0.1 - - [20/Nov/2026 10:09:00] "POST /v1/messages HTTP/1.1" 200\n', False),
        ("[mock-llm] listening on http://127.0.0.1:1 (fixtures: x)\n", True),
        ("2026-11-20T10:09:00.1Z stdout F [mock-llm] a note\n", True),
        ("[pod/app] [mock-llm] a note\n", True),
        ('level=info msg="[mock-llm] a note"\n', True),
        ('MARK="[mock-llm] "\n', False),
        (f"pod app [mock-llm] unknown fixture hash {'a' * 64}\n", True),
        ("The server begins its lines with [mock-llm] and a blank.\n", False),
        ("Wait for `[mock-llm] listening on http://127.0.0.1:1`.\n", False),
        ("Look for [mock-llm] unknown fixture hash in the log.\n", False),
        ("A miss has [mock-llm] request: and its text.\n", False),
        ('The lines begin with "[mock-llm] ", each of them.\n', False),
        ('if "[mock-llm] a note" in line:\n', False),
        ('MARK = "[mock-llm] "\n', False),
    ],
)
def test_any_line_shows_that_a_stub_server_wrote_it(text: str, is_of_stub_server: bool) -> None:
    parser = LogParser()
    parser.feed(text.encode())
    parser.close()
    assert parser.is_of_stub_server == is_of_stub_server


@given(text=TEXT)
def test_a_note_is_one_line_and_no_event(text: str) -> None:
    written = log_lines.note_line(f"bad MOCK_LLM_EMIT payload: {text}").encode()
    assert written.count(b"\n") == 1
    assert parse(written) == []


def test_the_broken_file_of_the_reference() -> None:
    line = (
        f"[mock-llm] failed to load fixture mock_llm_fixtures/{HASH}.json: "
        "Expecting ',' delimiter: line 13 column 11 (char 402)\n"
    )
    expected = [LoadFailed(HASH, "mock_llm_fixtures")]
    assert parse(line.encode()) == parse(line.replace("\n", "\r\n").encode()) == expected
    assert parse(line.replace("mock_llm_fixtures/", "").encode()) == [LoadFailed(HASH, "")]
    assert parse(line.replace("mock_llm_fixtures/", "C:\\f\\").encode()) == [
        LoadFailed(HASH, "C:\\f")
    ]


@pytest.mark.parametrize(
    "line",
    [
        b'{"content": "[mock-llm] unknown fixture hash %s", "role": "user"}\n',
        b'mock-llm-1  | {"content": "[mock-llm] unknown fixture hash %s"}\n',
        b'"[mock-llm] unknown fixture hash %s\n',
        # The rest of a dump whose beginning a rotation took.
        b'he wrote [mock-llm] unknown fixture hash %s", "role": "user"}], "model": "m"}\n',
        b"x" * 201 + b"[mock-llm] unknown fixture hash %s\n",
        b"mock-llm unknown fixture hash %s\n",
        b"[mock-llm] unknown fixture hash %sa\n",
    ],
    ids=["json", "json after a prefix", "a string", "end of a dump", "far", "no mark", "long"],
)
def test_what_only_quotes_a_hash_line_is_no_miss(line: bytes) -> None:
    assert [e for e in parse(line % HASH.encode()) if isinstance(e, MissLogged)] == []


def test_a_hash_line_quoted_in_a_dump_is_no_miss() -> None:
    quoted = HASH_LINE.decode() + "[mock-llm] request: {}\n"
    payload = {"model": "m", "messages": [{"role": "user", "content": quoted}]}
    events = parse(log_lines.miss_lines(OTHER_HASH, payload).encode())
    assert [e.digest for e in events if isinstance(e, MissLogged)] == [OTHER_HASH]


def test_colour_codes_inside_a_dump_are_part_of_its_text() -> None:
    payload = {"messages": [{"role": "user", "content": "\x1b[31mred\x1b[0m \x1b]52;c;eA==\x07"}]}
    line = log_lines.miss_lines(HASH, payload).encode().split(b"\n")[1]
    (event,) = parse(b"\x1b[36mmock-llm-1  | \x1b[0m" + line + b"\x1b[0m\n")
    assert isinstance(event, RequestLogged)
    assert json.loads(event.dump) == payload


def test_a_line_without_an_end_waits_for_it() -> None:
    parser = LogParser()
    assert parser.feed(HASH_LINE[:40]) == []
    assert parser.feed(b"") == []
    assert parser.feed(HASH_LINE[40:-1]) == []
    assert parser.feed(HASH_LINE[-1:]) == [MissLogged(HASH)]
    assert parser.close() == []


@pytest.mark.parametrize("option", IGNORED_OPTIONS)
def test_an_option_that_is_ignored_is_read(option: IgnoredOption) -> None:
    line = log_lines.ignored_line(option)
    assert parse(f"stub-1 | {line.strip()}\r\n{line}".encode()) == [OptionIgnored(option)] * 2


@pytest.mark.parametrize("option", ["", "sense", "dimensions and all"])
def test_no_other_option_is_read(option: Any) -> None:
    assert parse(log_lines.ignored_line(option).encode()) == []


def test_of_a_line_without_bounds_the_beginning_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LINE", 1000)
    parser = LogParser()
    piece = b"a" * 600
    assert parser.feed(b'before\n[mock-llm] request: {"a": "' + piece) == []
    tracemalloc.start()
    for _ in range(1000):
        assert parser.feed(piece) == []
    assert tracemalloc.get_traced_memory()[0] < 10_000
    tracemalloc.stop()
    assert parser.feed(b'"}\n' + HASH_LINE) == [
        Unreadable("a request dump that is cut"),
        MissLogged(HASH),
    ]


@pytest.mark.parametrize("text", ["\0", "x", '{"log": "'], ids=["binary", "text", "json"])
def test_a_long_first_line_is_read_as_quickly_as_any_other(text: str) -> None:
    line = (text * 300_000)[:300_000].encode()
    begun = time.process_time()
    parser = LogParser()
    assert parser.feed(line) == parser.close() == []
    assert time.process_time() - begun < 2  # a search from each byte takes 20 s


def test_close_takes_a_last_line_that_is_whole() -> None:
    parser = LogParser()
    assert parser.feed(HASH_LINE + HASH_LINE.strip()) == [MissLogged(HASH)]
    assert parser.close() == [MissLogged(HASH)]
    assert parser.close() == []


def test_lines_that_are_cut_are_reported() -> None:
    before = "\x1b[33mnaïve\x1b[0m\r\n".encode()
    cut_hash = b"[mock-llm] unknown fixture hash c62f"
    cut_dump = b'[mock-llm] request: {"messages": ['
    parser = LogParser()
    events = parser.feed(before + before + cut_hash + b"\n" + cut_dump)
    assert events == [Unreadable("a hash that is cut")]
    for _ in range(2):  # a line in several parts, and one after it
        parser.feed(b" ")
        assert parser.feed(b"\n" + cut_hash + b"\n" + cut_dump) == [
            Unreadable("a request dump that is cut"),
            Unreadable("a hash that is cut"),
        ]
    assert parser.close() == [Unreadable("a request dump that is cut")]


def test_a_restart_forgets_the_half_line() -> None:
    parser = LogParser()
    parser.feed(HASH_LINE + HASH_LINE[:-1])
    parser.restart()
    assert parser.feed(b"x\n[mock-llm] request: \n" + HASH_LINE) == [
        Unreadable("a request dump that is cut"),
        MissLogged(HASH),
    ]


@pytest.mark.parametrize(
    "line",
    [
        '127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/chat/completions HTTP/1.1" 200 -',
        'stub-1  | ::1 - - [20/Nov/2026:10:09:22 +0100] "POST /v1/chat/completions" 200',
        '127.0.0.1 - - [20/Nov/2026 10:09:22] "\x1b[31m\x1b[1mPOST /chat/completions\x1b[0m" 400',
    ],
    ids=["reference", "common log format", "coloured"],
)
def test_access_lines_of_the_chat_route_give_times(line: str) -> None:
    assert parse(line.encode() + b"\n") == [Accessed("2026-11-20T10:09:22")]


def test_access_lines_of_other_routes_or_months_do_not() -> None:
    other = b'127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/embeddings HTTP/1.1" 200 -\n'
    month = b'127.0.0.1 - - [20/Nix/2026 10:09:22] "POST /v1/chat/completions HTTP/1.1" 200 -\n'
    assert parse(other + month) == []


@given(data=st.binary(max_size=300), places=st.lists(st.integers(0, 300), max_size=10))
def test_no_bytes_stop_the_parser(data: bytes, places: list[int]) -> None:
    mixed = data.replace(b"\x01", b"[mock-llm] ").replace(b"\x02", b"unknown fixture hash ")
    slices = cut(mixed, [p for p in places if p < len(mixed)])
    assert parse_slices(slices) == parse(mixed)


ACCESS = '127.0.0.1 - - [20/Nov/2026 10:09:{:02}] "POST /v1/chat/completions HTTP/1.1" 200 -\n'
LINES = st.one_of(
    st.integers(0, 59).map(ACCESS.format),
    st.sampled_from(
        [
            HASH_LINE.decode(),
            log_lines.miss_lines(OTHER_HASH, {"model": "m", "messages": []}),
            log_lines.served_line(HASH),
            log_lines.listening_line("http://127.0.0.1:1", "f"),
            log_lines.load_failed_line(f"f/{HASH}.json", "bad"),
            log_lines.note_line("a note"),
            "[mock-llm] unknown fixture hash c62f\n",
            f'{{"a log in JSON": "[mock-llm] served fixture {HASH}"}}\n',
            "what an application says\n",
            "\n",
        ]
    ),
)


@given(lines=st.lists(LINES, max_size=20), places=st.lists(st.integers(0, 2000), max_size=20))
def test_of_several_access_lines_the_first_after_an_event_is_reported(
    lines: list[str], places: list[int]
) -> None:
    expected, wanted = list[LogEvent](), True
    for line in lines:
        for event in parse(line.encode()):
            if isinstance(event, Accessed):
                if wanted:
                    expected.append(event)
                wanted = False
            else:
                wanted |= not isinstance(event, Unreadable)
                expected.append(event)
    written = "".join(lines).encode()
    slices = cut(written, [p for p in places if p < len(written)])
    assert parse_slices(slices) == expected


def test_after_a_restart_the_next_access_line_is_reported() -> None:
    access = ACCESS.format(22).encode()
    parser = LogParser()
    assert parser.feed(access + access) == [Accessed("2026-11-20T10:09:22")]
    parser.restart()
    assert parser.feed(access + access) == [Accessed("2026-11-20T10:09:22")]


def test_the_suite_of_a_run_begins_and_ends() -> None:
    ends = (log_lines.suite_ended_line(code) for code in (-9, 130))
    lines = log_lines.suite_started_line() + "".join(ends)
    assert parse(lines.encode()) == [SuiteStarted(), SuiteEnded(-9), SuiteEnded(130)]
    shipped = (
        f"suite-1 | {log_lines.suite_ended_line(0).strip()}\r\n[mock-llm] suite started late\n"
    )
    assert parse(shipped.encode()) == [SuiteEnded(0)]
