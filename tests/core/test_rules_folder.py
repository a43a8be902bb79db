"""The rules about fixtures together, and the usage that logs tell."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.core.rule_cases import DIGEST, OTHER, request
from tests.reference import LOG
from workbench.core.digest import digest
from workbench.core.findings import Finding
from workbench.core.log import LogParser
from workbench.core.log_lines import listening_line, load_failed_line, miss_lines, served_line
from workbench.core.rules import Context, Folder, check_folder, examine
from workbench.core.usage import Usage

THIRD = "0c9f0ba7ddba538847feef88cb346534904bcdfb7ec9d80fab72f5b4cd750f77"
STARTED = listening_line("http://127.0.0.1:1", "fixtures")


def access(time: str = "10:14:02", day: str = "20") -> str:
    return f'127.0.0.1 - - [{day}/Nov/2026 {time}] "POST /v1/chat/completions HTTP/1.1" 200 -\n'


def usage(*logs: str) -> Usage:
    def events(log: str) -> list[Any]:
        parser = LogParser()
        return [*parser.feed(log.encode()), *parser.close()]

    return Usage.of(events(log) for log in logs)


def fixture(asked: object = None, *allowed: str) -> bytes:
    document: dict[str, Any] = {"response": {"content": "x"}, "workbench": {"allow": allowed}}
    if asked is not None:
        document["request"] = asked
    return json.dumps(document).encode()


def found(
    files: Mapping[str, bytes], used: Usage | None = None, rule: str = ""
) -> dict[str, Finding]:
    outlines = {
        f"{name}.json": examine(data, Context(f"{name}.json")).outline
        for name, data in files.items()
    }
    findings = list(check_folder(Folder(outlines, used)))
    told = {name.removesuffix(".json"): f for name, f in findings if rule in ("", f.rule)}
    assert len(told) == len([f for _, f in findings if rule in ("", f.rule)])
    return told


# What logs tell.


def test_usage_of_several_logs() -> None:
    first = STARTED + served_line(DIGEST) + access() + served_line(DIGEST) + access("10:15:00")
    second = access("09:00:00", "21") + miss_lines(OTHER, {"model": "x"}) + STARTED + STARTED
    assert usage(first, second) == Usage(
        asked=frozenset({DIGEST, OTHER}),
        tells_hits=True,
        since="2026-11-20T10:14:02",
        runs=3,
        requests=3,
    )


def test_usage_of_nothing() -> None:
    assert usage() == Usage(frozenset(), False, None, 0, 0)
    assert usage("") == Usage(frozenset(), False, None, 1, 0)


def test_the_log_of_the_reference_names_no_hits() -> None:
    told = usage(LOG.read_text("utf-8", errors="replace"))
    assert not told.tells_hits
    assert len(told.asked) > 10


# unused-fixture.


def test_a_fixture_that_nobody_asked_for() -> None:
    told = usage(STARTED + served_line(DIGEST) + access())
    finding = found({DIGEST: fixture(), OTHER: fixture()}, told)[OTHER]
    assert (finding.rule, finding.severity) == ("unused-fixture", "info")
    assert finding.message == "not asked for since 2026-11-20T10:14:02 (1 run, 1 request)"
    assert found({DIGEST: fixture()}, told) == {}


def test_what_was_missed_was_asked_for() -> None:
    """Its fixture was written since, or is broken."""
    broken = load_failed_line(f"fixtures/{THIRD}.json", "no") + miss_lines(THIRD, {})
    told = usage(served_line(DIGEST) + miss_lines(OTHER, {"model": "x"}) + broken)
    assert found({DIGEST: fixture(), OTHER: fixture(), THIRD: b"{"}, told) == {}


def test_a_log_without_times_has_looked_since_it_began() -> None:
    told = usage(served_line(DIGEST), served_line(DIGEST))
    finding = found({OTHER: fixture()}, told)[OTHER]
    assert finding.message == "not asked for since the log began (2 runs, 2 requests)"


def test_a_broken_fixture_may_be_unused_too() -> None:
    assert list(found({OTHER: b"{"}, usage(served_line(DIGEST)))) == [OTHER]


def test_where_no_log_names_hits_nothing_is_unused() -> None:
    told = usage(STARTED + miss_lines(OTHER, {"model": "x"}) + access())
    assert found({DIGEST: fixture()}, told) == {}
    assert found({DIGEST: fixture()}, usage()) == {}
    assert found({DIGEST: fixture()}, None) == {}


def test_what_no_request_can_ask_for_is_not_called_unused() -> None:
    assert found({"notes": fixture()}, usage(served_line(DIGEST))) == {}


def test_a_fixture_may_be_allowed_to_be_unused() -> None:
    files = {OTHER: fixture(None, "unused-fixture"), THIRD: fixture(None, "secret")}
    assert list(found(files, usage(served_line(DIGEST)))) == [THIRD]


# duplicate-request.


def test_two_fixtures_of_one_request() -> None:
    asked = request("get_weather")
    own = digest(asked)
    # What the digest leaves out makes no other request.
    files = {own: fixture(asked), OTHER: fixture({**asked, "temperature": 1}), THIRD: fixture()}
    told = found(files)
    assert {name: f.message for name, f in told.items()} == {
        own: f"its request is also that of {OTHER[:12]}…",
        OTHER: f"its request is also that of {own[:12]}…",
    }
    assert {(f.rule, f.severity, f.line) for f in told.values()} == {
        ("duplicate-request", "info", 1)
    }


def asks(text: str, model: str = "gpt-4o") -> bytes:
    return fixture({"model": model, "messages": [{"role": "system", "content": text}]})


def test_two_fixtures_of_one_request_on_two_days() -> None:
    told = found(
        {
            DIGEST: asks("Today is Thursday, November 19, 2026."),
            OTHER: asks("Today is Friday, November 20, 2026."),
            THIRD: asks("Today is a fine day."),
        }
    )
    assert {name: f.message for name, f in told.items()} == {
        DIGEST: f"on another day its request is that of {OTHER[:12]}…",
        OTHER: f"on another day its request is that of {DIGEST[:12]}…",
    }
    # What differs in anything else is another request.
    assert found({DIGEST: asks("at 17:02:01"), OTHER: asks("at 17:02:02", "other")}) == {}
    assert found({DIGEST: asks("at 17:02:01"), OTHER: asks("At 17:02:02")}) == {}


def test_copies_and_other_days_together() -> None:
    first, second = asks("at 17:02:01"), asks("at 17:02:02")
    outlines = {
        f"{name}.json": examine(data, Context()).outline
        for name, data in {DIGEST: first, OTHER: first, THIRD: second}.items()
    }
    told = [(name[:4], f.message) for name, f in check_folder(Folder(outlines))]
    assert told == [
        (DIGEST[:4], f"its request is also that of {OTHER[:12]}…"),
        (OTHER[:4], f"its request is also that of {DIGEST[:12]}…"),
        (DIGEST[:4], f"on another day its request is that of {THIRD[:12]}…"),
        (OTHER[:4], f"on another day its request is that of {THIRD[:12]}…"),
        (THIRD[:4], f"on another day its request is that of {DIGEST[:12]}… and 1 more"),
    ]


def test_three_fixtures_of_one_request_name_one_and_count_the_rest() -> None:
    files = {name: fixture(request()) for name in (DIGEST, OTHER, "copy\x1b of")}
    told = found(files)
    assert told[DIGEST].message == f"its request is also that of {OTHER[:12]}… and 1 more"
    assert told["copy\x1b of"].message == f"its request is also that of {DIGEST[:12]}… and 1 more"
    assert found({DIGEST: fixture(request()), "copy of": fixture(request())})[DIGEST].message == (
        'its request is also that of "copy of.json"'
    )


def test_requests_that_differ_are_no_duplicates() -> None:
    assert found({DIGEST: fixture(request()), OTHER: fixture({**request(), "model": "x"})}) == {}
    assert found({DIGEST: fixture(), OTHER: fixture()}) == {}
    assert found({DIGEST: fixture([]), OTHER: fixture("x"), THIRD: b"[]"}) == {}
    # These have no digest.
    odd = {"model": "\ud800"}
    assert found({DIGEST: fixture(odd), OTHER: fixture(odd)}) == {}


def test_a_fixture_may_be_allowed_to_be_a_duplicate() -> None:
    files = {DIGEST: fixture(request(), "duplicate-request"), OTHER: fixture(request())}
    assert list(found(files)) == [OTHER]
