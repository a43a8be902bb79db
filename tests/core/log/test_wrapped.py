"""Log lines that others wrap: container runtimes, journald, structured loggers, reports of tests.
Whatever the wrapping, the misses in it are found again.
"""

from __future__ import annotations

import csv
import io
import json
import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.core.digest import digest
from workbench.core.log.events import (
    Accessed,
    FixtureServed,
    LogEvent,
    MissLogged,
    RequestLogged,
    Unreadable,
)
from workbench.core.log.lines import miss_lines, note_line, served_line
from workbench.core.log.reader import LogParser
from workbench.core.misses.index import MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.io.logs.spool import Spool

TIME: Final = "2026-08-01T10:00:00.123456789Z"
SYSLOG: Final = "Aug  1 10:00:00 host stub[4711]: "
ACCESS: Final = '127.0.0.1 - - [01/Aug/2026 10:00:00] "POST /v1/chat/completions HTTP/1.1" 200 -'


def pieces(line: str, size: int) -> list[str]:
    return [line[at : at + size] for at in range(0, len(line), size)] or [""]


def cri(line: str, size: int, stream: str = "stderr", who: str = "") -> list[str]:
    *first, last = pieces(line, size)
    return [f"{who}{TIME} {stream} P {piece}" for piece in first] + [
        f"{who}{TIME} {stream} F {last}"
    ]


def docker(line: str, size: int, stream: str = "stderr") -> list[str]:
    parts = pieces(line, size)
    parts[-1] += "\n"
    return [json.dumps({"log": part, "stream": stream, "time": TIME}) for part in parts]


def compact(line: str, size: int) -> list[str]:
    """As Docker writes it."""
    parts = pieces(line, size)
    parts[-1] += "\n"
    records = ({"log": part, "stream": "stderr", "time": TIME} for part in parts)
    return [json.dumps(r, separators=(",", ":"), ensure_ascii=False) for r in records]


def fluent_bit(line: str, size: int) -> list[str]:
    parts = pieces(line, size)
    tags = ["P"] * (len(parts) - 1) + ["F"]
    return [
        json.dumps({"time": TIME, "stream": "stderr", "logtag": tag, "log": part})
        for tag, part in zip(tags, parts, strict=True)
    ]


def fluentd(line: str, size: int) -> list[str]:
    parts = pieces(line, size)
    if len(parts) == 1:
        return [json.dumps({"source": "stderr", "log": line, "container_id": "a"})]
    return [
        json.dumps(
            {
                "source": "stderr",
                "log": part,
                "container_id": "a",
                "partial_message": "true",
                "partial_id": "b",
                "partial_ordinal": str(at),
                "partial_last": "true" if at == len(parts) else "false",
            }
        )
        for at, part in enumerate(parts, start=1)
    ]


def journald(line: str, size: int) -> list[str]:
    parts = pieces(line, size)
    return [
        json.dumps(
            {
                "__CURSOR": f"s={at}",
                "__REALTIME_TIMESTAMP": str(at),
                "MESSAGE": part,
                "_PID": "4711",
                "_HOSTNAME": "host",
                **({"_LINE_BREAK": "line-max"} if at < len(parts) else {}),
            }
        )
        for at, part in enumerate(parts, start=1)
    ]


def journal_of_docker(line: str, size: int) -> list[str]:
    parts = pieces(line, size)
    last = len(parts)
    return [
        json.dumps(
            {
                "MESSAGE": part,
                "CONTAINER_ID": "a",
                "_PID": "1",
                "__CURSOR": str(at),
                **({"CONTAINER_PARTIAL_MESSAGE": "true"} if last > 1 and at < last else {}),
                **({"CONTAINER_PARTIAL_LAST": "true"} if last > 1 and at == last else {}),
            }
        )
        for at, part in enumerate(parts, start=1)
    ]


IN_PIECES: dict[str, Callable[[str, int], list[str]]] = {
    "CRI": cri,
    "CRI, other stream": lambda line, size: cri(line, size, "stdout"),
    "CRI with names": lambda line, size: cri(line, size, who="pod-a  | "),
    "CRI in colours": lambda line, size: [
        f"\x1b[36mpod-a\x1b[0m {piece}\x1b[0m" for piece in cri(line, size)
    ],
    "CRI with tags": lambda line, size: [
        piece.replace("stderr P ", "stderr P:a:b ", 1).replace("stderr F ", "stderr F:a ", 1)
        for piece in cri(line, size)
    ],
    "CRI and CRLF": lambda line, size: [f"{piece}\r" for piece in cri(line, size)],
    "Docker": docker,
    "Docker, compact": compact,
    "Docker after a name": lambda line, size: [f"web-1  | {piece}" for piece in docker(line, size)],
    "fluent-bit": fluent_bit,
    "fluentd": fluentd,
    "journald": journald,
    "journald of Docker": journal_of_docker,
}

QUOTES: Final = {'"': "&quot;"}
WHOLE: dict[str, Callable[[str], str]] = {
    "timestamps": lambda line: f"{TIME} {line}",
    "GitHub": lambda line: f"﻿2026-08-01T10:00:00.1234567Z {line}",
    "structlog": lambda line: json.dumps({"event": line, "level": "info", "logger": "mock"}),
    "structlog on a console": lambda line: f"2026-08-01 10:00:00 [info     ] {line} logger=mock",
    "more values": lambda line: f"2026-08-01 [info     ] {line} a=1 b=\"x y\" c='z' d={{}}",
    "zap": lambda line: f'{TIME}\tINFO\tstub/main.go:12\t{line}\t{{"port": 1}}',
    "pino": lambda line: json.dumps({"level": 30, "time": 1, "pid": 1, "msg": line}),
    "bunyan": lambda line: json.dumps({"name": "a", "v": 0, "msg": line, "hostname": "h"}),
    "loguru": lambda line: json.dumps(
        {"text": f"2026 | INFO | {line}\n", "record": {"message": line}}
    ),
    "Google Cloud": lambda line: json.dumps(
        {"insertId": "a", "jsonPayload": {"message": line}, "severity": "INFO"}
    ),
    "Google Cloud, text": lambda line: json.dumps({"textPayload": line, "insertId": "a"}),
    "a list of records": lambda line: json.dumps([{"textPayload": line}]),
    "a record in a list": lambda line: json.dumps({"textPayload": line}) + ",",
    "a member": lambda line: f'    "textPayload": {json.dumps(line)},',
    "ECS": lambda line: json.dumps({"@timestamp": TIME, "log.level": "INFO", "message": line}),
    "Serilog": lambda line: json.dumps({"@t": TIME, "@m": line, "@l": "Debug"}),
    "OpenTelemetry": lambda line: json.dumps({"timeUnixNano": "1", "body": {"stringValue": line}}),
    "go test": lambda line: json.dumps({"Action": "output", "Output": f"{line}\n"}),
    "logfmt": lambda line: f"time={TIME} level=info msg={json.dumps(line)} logger=mock",
    "logrus": lambda line: f'time="{TIME}" level=info msg={json.dumps(line)} from="a b"',
    "in quotes": json.dumps,
    "in quotes that nobody escaped": lambda line: f"'{line}'",
    "bytes": lambda line: json.dumps(
        {"MESSAGE": list(f"\x1b[31m{line}\x1b[0m".encode()), "_PID": "1"}
    ),
    "JSON in JSON": lambda line: docker(
        json.dumps({"event": f"\x1b[1m{line}\x1b[0m", "level": "info"}), 10**9
    )[0],
    "JSON in CRI": lambda line: cri(json.dumps({"msg": line}), 10**9)[0],
    "JUnit": lambda line: f"<system-err><![CDATA[{line}]]></system-err>",
    "JUnit, escaped": lambda line: f"<system-err>{escape(line)}</system-err>",
    "JUnit, quotes too": lambda line: f"<system-out>{escape(line, QUOTES)}</system-out>",
    "an attribute": lambda line: f'<failure a="1" message="{escape(line, QUOTES)}"/>',
    "pytest": lambda line: f"WARNING  mock:server.py:12 {line}",
    "escaped once more": lambda line: "stub: '" + line.replace("\\", "\\\\") + "'",
}

TEXT = st.lists(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from("\"\\{}[]<>&';:=\n\u2028\x1b…")
    | st.sampled_from(["[mock-llm] ", "&quot;", "\\n", "}]", " P ", " F "]),
    max_size=40,
).map("".join)
PAYLOAD = st.fixed_dictionaries(
    {
        "model": st.just("m"),
        "messages": st.lists(
            st.fixed_dictionaries({"role": st.just("user"), "content": TEXT}),
            min_size=1,
            max_size=3,
        ),
    }
)


def misses(data: bytes, places: list[int] | None = None) -> dict[str, dict[str, Any]]:
    """The misses that a log has, with their requests."""
    spool = Spool()
    intake, index = LogIntake(spool), MissIndex(spool)
    parser, bounds = LogParser(), sorted({0, *(places or []), len(data)})
    for begin, end in pairwise(bounds):
        index.apply(intake.read(parser.feed(data[begin:end])))
    index.apply(intake.read(parser.close()))
    found = {one: index.payload(one) or {} for one in index.misses}
    spool.close()
    return found


def lines_of(payloads: list[dict[str, Any]]) -> list[str]:
    """The lines of misses, with others between them."""
    found = ["stub starts", note_line("a note").strip()]
    for payload in payloads:
        found += miss_lines(digest(payload), payload).strip("\n").split("\n")
        found += [ACCESS, "and an application's own"]
    return found


def written(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("name", IN_PIECES)
@given(
    payloads=st.lists(PAYLOAD, min_size=1, max_size=3),
    size=st.integers(1, 300),
    places=st.lists(st.integers(0, 3000), max_size=5),
)
def test_misses_in_pieces_are_found(
    name: str, payloads: list[dict[str, Any]], size: int, places: list[int]
) -> None:
    wrap = IN_PIECES[name]
    data = written([piece for line in lines_of(payloads) for piece in wrap(line, size)])
    found = misses(data, [place for place in places if place < len(data)])
    assert found == {digest(payload): payload for payload in payloads}


@pytest.mark.parametrize("name", WHOLE)
@given(
    payloads=st.lists(PAYLOAD, min_size=1, max_size=3),
    places=st.lists(st.integers(0, 3000), max_size=5),
)
def test_misses_in_other_lines_are_found(
    name: str, payloads: list[dict[str, Any]], places: list[int]
) -> None:
    data = written(list(map(WHOLE[name], lines_of(payloads))))
    found = misses(data, [place for place in places if place < len(data)])
    assert found == {digest(payload): payload for payload in payloads}


ASKED: Final[dict[str, Any]] = {
    "model": "m",
    "messages": [{"role": "user", "content": "one " * 60}],
}
OTHER: Final[dict[str, Any]] = {
    "model": "m",
    "messages": [{"role": "user", "content": "two " * 60}],
}
BOTH: Final = {digest(ASKED): ASKED, digest(OTHER): OTHER}


def events(data: bytes) -> list[LogEvent]:
    parser = LogParser()
    return parser.feed(data) + parser.close()


def miss(payload: dict[str, Any]) -> list[str]:
    return miss_lines(digest(payload), payload).strip("\n").split("\n")


@each_case(
    "one, other",
    [
        (
            lambda line: cri(line, 40, who="pod-1 | "),
            lambda line: cri(line, 40, who="pod-2 | "),
        ),
        (lambda line: cri(line, 40, "stdout"), lambda line: cri(line, 40, "stderr")),
        (lambda line: docker(line, 40, "stdout"), lambda line: docker(line, 40, "stderr")),
        (
            lambda line: [piece.replace('"a"', '"c1"') for piece in fluentd(line, 40)],
            lambda line: [piece.replace('"a"', '"c2"') for piece in fluentd(line, 40)],
        ),
        (
            lambda line: [piece.replace("4711", "1") for piece in journald(line, 40)],
            lambda line: [piece.replace("4711", "2") for piece in journald(line, 40)],
        ),
        (
            lambda line: [f"Aug  1 10:00:00 h a[1]: {piece}" for piece in pieces(line, 40)],
            lambda line: [f"Aug  1 10:00:00 h a[2]: {piece}" for piece in pieces(line, 40)],
        ),
    ],
)
def test_the_pieces_of_two_writers_are_not_mixed(
    one: Callable[[str], list[str]], other: Callable[[str], list[str]]
) -> None:
    hashes = [miss(ASKED)[0], miss(OTHER)[0]]
    left, right = one(miss(ASKED)[1]), other(miss(OTHER)[1])
    data = written([*hashes, *(piece for pair in zip(left, right, strict=True) for piece in pair)])
    assert misses(data) == BOTH


def test_a_line_whose_end_was_lost_takes_no_other_along() -> None:
    lost = cri(miss(ASKED)[1], 40)[:2]
    hashes = [miss(ASKED)[0], miss(OTHER)[0]]
    whole = [piece for line in (*hashes, miss(OTHER)[1]) for piece in cri(line, 40)]
    assert misses(written(lost + whole)) == {digest(ASKED): {}, digest(OTHER): OTHER}


def test_docker_lines_without_line_ends_are_whole() -> None:
    lines = [*miss(ASKED), ACCESS, "own", *miss(OTHER)]
    records = [json.dumps({"log": line, "stream": "stderr", "time": TIME}) for line in lines]
    parser = LogParser()
    found = parser.feed(written(records))  # not closed: a log that is followed
    assert [type(e) for e in found if not isinstance(e, Accessed)] == [
        *(MissLogged, RequestLogged, MissLogged, RequestLogged)
    ]


def test_hits_and_times_are_read_too() -> None:
    lines = [served_line(digest(ASKED)).strip(), ACCESS]
    expected: list[LogEvent] = [FixtureServed(digest(ASKED)), Accessed("2026-08-01T10:00:00")]
    for wrap in (cri, docker, compact, fluent_bit):
        assert events(written([piece for line in lines for piece in wrap(line, 9)])) == expected
        assert events(written([piece for line in lines for piece in wrap(line, 999)])) == expected


LINES: Final = [*miss(ASKED), *miss(OTHER)]
EXPORTS: dict[str, Any] = {
    "CloudWatch": {"events": [{"timestamp": 1, "message": line} for line in LINES]},
    "CloudWatch Insights": {
        "results": [[{"field": "@t", "value": "1"}, {"field": "@m", "value": x}] for x in LINES]
    },
    "Loki": {
        "data": {"result": [{"stream": {"a": "b"}, "values": [["1", x] for x in LINES]}]},
    },
    "Elasticsearch": {
        "hits": {
            "hits": [
                {
                    "_source": {"message": line, "input": {"type": "log"}},
                    "fields": {"message": [line]},
                }
                for line in LINES
            ]
        }
    },
    "Graylog": {"messages": [{"index": "a", "message": {"full_message": x}} for x in LINES]},
    "OpenTelemetry": {
        "resourceLogs": [
            {"scopeLogs": [{"logRecords": [{"body": {"stringValue": line}}]}]} for line in LINES
        ]
    },
    "Azure": {"tables": [{"rows": [["1", line] for line in LINES]}]},
    "objects": {"a": {"b": {"message": "\n".join(LINES)}}},
    "any key": [{"what": line, "level": "info"} for line in LINES],
    "GELF": [{"full_message": line, "short_message": f"{line[:80]}..."} for line in LINES],
    "formatted once more": [{"text": f"INFO {x}\n", "record": {"message": x}} for x in LINES],
    "merged": [{"log": json.dumps({"event": line}), "event": line} for line in LINES],
    "two texts": {"stdout": "\n".join(LINES[:2]), "stderr": "\n".join(LINES[2:])},
    "bytes": [{"MESSAGE": list(line.encode()), "_PID": "1"} for line in LINES],
}


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("name", EXPORTS)
def test_misses_in_exports_are_found_once(name: str, indent: int | str | None) -> None:
    export = EXPORTS[name]
    documents = export if isinstance(export, list) else [export]
    data = written([json.dumps(document, indent=indent) for document in documents])
    assert misses(data, [1, 30, 500]) == BOTH
    hashes = [event for event in events(data) if isinstance(event, MissLogged)]
    assert sorted(event.digest for event in hashes) == sorted(BOTH)
    assert not any(isinstance(event, Unreadable) for event in events(data))


def test_a_list_on_many_lines_is_read_also_without_a_last_line_end() -> None:
    data = json.dumps([{"event": line} for line in LINES], indent=4).encode()
    assert misses(data, [10]) == BOTH


@pytest.mark.parametrize("document", [b"{\n", b'{\n  "a": [\n', b'{\n  "a": 1\n}\n', b"[\n]\n"])
def test_lines_after_a_document_or_a_piece_of_one_are_read(document: bytes) -> None:
    assert misses(document + written(LINES), [2, 4, 9]) == BOTH


def test_a_list_with_a_line_for_each_record_is_read() -> None:
    records = ",\n".join(json.dumps({"event": line}) for line in LINES)
    for text in (f"[{records}]", f"[\n{records}\n]", f"[{records}]\n"):
        assert misses(text.encode()) == BOTH


def test_a_document_that_is_cut_is_read_as_far_as_it_goes() -> None:
    whole = json.dumps(EXPORTS["CloudWatch"], indent=2)
    assert misses(whole[: whole.rindex(LINES[2][:30])].encode()) == {digest(ASKED): ASKED}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("cells", [LINES, ["\n".join(LINES[:2]), "\n".join(LINES[2:])]])
def test_misses_in_csv_are_found(separator: str, quoting: Any, cells: list[str]) -> None:
    table = io.StringIO()
    rows = csv.writer(table, delimiter=separator, quoting=quoting)
    rows.writerows([["time", "message", "host"], *([TIME, cell, "h"] for cell in cells)])
    assert misses(table.getvalue().encode()) == BOTH


QUOTED: Final = miss(ASKED)[0]


@each_case(
    "value",
    [
        {"model": "m", "messages": [{"role": "user", "content": QUOTED}]},
        {"body": {"messages": [{"role": "user", "content": [{"type": "text", "text": QUOTED}]}]}},
        {"model": "m", "input": QUOTED},
        {"input": [{"type": "function_call_output", "output": QUOTED}]},
        {"contents": [{"parts": [{"text": QUOTED}]}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": QUOTED}]}}]},
        {"choices": [{"delta": {"content": QUOTED}}]},
        {"type": "message", "content": [{"type": "text", "text": QUOTED}]},
        {"prompt": QUOTED, "completion": QUOTED},
        {"request": {"body": json.dumps({"messages": [{"role": "user", "content": QUOTED}]})}},
        {"entries": [{"postData": {"text": json.dumps({"model": "m", "input": [QUOTED]})}}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_conversation_that_quotes_a_log_is_not_one(value: Any, indent: int | None) -> None:
    assert events(f"{json.dumps(value, indent=indent)}\n".encode()) == []


def test_a_logger_may_add_the_request_to_its_line() -> None:
    lines = [{"event": line, "messages": [{"role": "user", "content": QUOTED}]} for line in LINES]
    assert misses(written(list(map(json.dumps, lines)))) == BOTH


@pytest.mark.parametrize("key", ["messages", "input", "choices"])
def test_requests_that_quote_a_log_are_not_one(key: str) -> None:
    quoted = json.dumps({key: [{"text": miss(ASKED)[0]}], "message": {"text": miss(ASKED)[0]}})
    assert events(f"{quoted}\n".encode()) == []


def test_a_request_that_is_cut_is_said_to_be_also_in_pieces() -> None:
    cut = cri(miss(ASKED)[1], 40)[:-1]
    assert events(written(cut)) == [Unreadable("a request dump that is cut")]
    assert events(written([f"{SYSLOG}{miss(ASKED)[1][:90]}"])) == [
        Unreadable("a request dump that is cut")
    ]


def test_docker_logs_with_times_before_each_piece() -> None:
    line = miss(ASKED)[1]
    written_so = f"{TIME} " + f"{TIME} ".join(pieces(line, 100))
    assert misses(written([f"{TIME} {miss(ASKED)[0]}", written_so])) == {digest(ASKED): ASKED}


@given(
    data=st.lists(
        st.sampled_from(
            [
                *(b"{\n", b"[\n", b"[{\n", b"}\n", b"]\n", b"\r\n", b"  1", b",\n", b"{", b"\t"),
                served_line(digest(ASKED)).encode(),
                json.dumps({"message": served_line(digest(OTHER))}).encode()[:-1],
            ]
        ),
        max_size=12,
    ).map(b"".join),
    places=st.lists(st.integers(0, 300), max_size=5),
)
@example(data=b'{"message": "' + served_line("a" * 64).encode()[:-1] + b'"\n}\n', places=[1])
def test_it_makes_no_difference_where_documents_are_cut(data: bytes, places: list[int]) -> None:
    parser, found = LogParser(), list[LogEvent]()
    for begin, end in pairwise(sorted({0, *(p for p in places if p < len(data)), len(data)})):
        found += parser.feed(data[begin:end])
    assert found + parser.close() == events(data)


@given(
    data=st.lists(
        st.binary(max_size=20)
        | st.sampled_from(
            [
                *(b"\n", b'"', b"\\", b"{", b"}", b"[", b"]", b"<", b"\x1b[31m"),
                *(b"[mock-llm] ", b"request: {", b"unknown fixture hash ", b'{"log":"'),
                *(f"{TIME} stderr P ".encode(), f"{TIME} stdout F ".encode(), SYSLOG.encode()),
                *(b'{"MESSAGE":[91,109', b'","stream":"stderr"}\n', b'{"logtag":"P","log":"'),
            ]
        ),
        max_size=60,
    ).map(b"".join),
    places=st.lists(st.integers(0, 1000), max_size=5),
)
def test_no_bytes_stop_the_reader(data: bytes, places: list[int]) -> None:
    misses(data, [place for place in places if place < len(data)])


@each_case(
    "line",
    [
        b'[mock-llm] request: {"a": ' + b'"\\"' * 400_000,
        b"[mock-llm] request: " + b"{" * 400_000,
        b'{"log":"[mock-llm] request: ' + b'\\"' * 400_000,
        b'msg="' + b'\\"' * 400_000 + b"[mock-llm] request: {",
        b"<a " + b'x="' * 300_000 + b"[mock-llm] request: {",
        b"[" * 400_000 + b"[mock-llm] request: {",
        b"[mock-llm] unknown fixture hash " + b"a" * 64 + b" a=b" * 200_000 + b'"',
        f"{TIME} stderr P [mock-llm] request: ".encode() + b'{"' * 300_000,
        b"{" * 400_000 + b"[mock-llm] request: {",
        b"{\n" + b" 1,\n" * 400_000 + b"[mock-llm] request: {",
        b',""",' * 200_000 + b"[mock-llm] request: {",
        b'{"a":' * 900 + b'"[mock-llm] request: {"' + b"}" * 900,
        json.dumps({str(n): f"[mock-llm] a {n} b" for n in range(50_000)}).encode(),
        b"\n".join([f"{TIME} stderr P ".encode() + b"[mock-llm] request: {"] * 10_000),
        b"\n".join([f"{TIME} stderr P a".encode()] * 20_000),
        b"\n".join([b'{"log":"[mock-llm] request: {","stream":"stderr"}'] * 10_000),
        b"\n".join(f"p{n} {TIME} stderr P [mock-llm]".encode() for n in range(10_000)),
        b"\n".join([f"{SYSLOG}[mock-llm] request: {{".encode()] * 10_000),
    ],
)
def test_no_line_takes_long(line: bytes) -> None:
    begun = time.process_time()
    misses(line + b"\n" + written(miss(ASKED)))
    assert time.process_time() - begun < 4


def test_pieces_that_have_no_end_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.core.log.unfinished.MAX_WAITING", 100_000)
    parser = LogParser()
    tracemalloc.start()
    head = f"{TIME} stderr P "
    parser.feed(f'{head}[mock-llm] request: {{"a": "\n'.encode())
    for _ in range(2_000):
        parser.feed(f"{head}{'b' * 1000}\n".encode())
    assert tracemalloc.get_traced_memory()[0] < 400_000
    tracemalloc.stop()


def test_a_piece_that_ends_like_an_escaped_line_end_is_one() -> None:
    payload = {"model": "m", "messages": [{"role": "user", "content": "a\\nb"}]}
    line = miss(payload)[1]
    for size in range(line.index("\\n"), line.index("\\n") + 5):
        data = written([*compact(miss(payload)[0], 999), *compact(line, size)])
        assert misses(data) == {digest(payload): payload}
