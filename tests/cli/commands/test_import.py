"""``workbench import``."""

from __future__ import annotations

import base64
import errno
import gzip
import json
import os
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.cli.running import Project
from tests.server.running import RunningServer
from tests.server.upstream_model import KEY
from workbench.core.apis.table import api_of, view
from workbench.core.digest import digest
from workbench.core.fixture.names import variant_name
from workbench.core.fixture.recorded import REPEATS_KEY
from workbench.core.replies.answer import answer_with
from workbench.io.recordings.recording_file import Recording, journals

CASSETTES = Path(__file__).parents[2] / "data" / "cassettes"
URL = "https://api.openai.com/v1/chat/completions"
STREAM = b"".join(
    b"data: " + json.dumps({"choices": [{"index": 0, **choice}]}).encode() + b"\n\n"
    for choice in (
        {"delta": {"role": "assistant", "content": "It is "}},
        {"delta": {"content": "12 °C."}},
        {"delta": {}, "finish_reason": "stop"},
    )
)


def payload(text: str, **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **fields}


def plain(text: str) -> str:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})


def entry(request: Any, status: int, kind: str, text: str, url: str = URL) -> dict[str, Any]:
    body = request if isinstance(request, str) else json.dumps(request)
    return {
        "startedDateTime": "2026-11-20T10:09:22Z",
        "request": {"method": "POST", "url": url, "postData": {"text": body}},
        "response": {"status": status, "content": {"mimeType": kind, "text": text}},
    }


def test_requests_of_one_digest_with_other_tools_become_variants(project: Project) -> None:
    asked = payload("weather?")
    offered = {**asked, "tools": [{"type": "function", "function": {"name": "f"}}]}
    replies = [(asked, "rain"), (offered, "let me look"), (asked, "sun")]
    entries = [entry(asks, 200, "application/json", plain(said)) for asks, said in replies]
    har = project.folder / "a.har"
    har.write_text(json.dumps({"log": {"entries": entries}}))
    rows = project.run("import", har, "--format", "json").rows
    names = [digest(asked), variant_name(digest(asked), view(offered))]
    assert [Path(row["fixture"]).stem for row in rows] == [*names, names[0]]
    fixtures = [project.fixture(name) for name in names]
    assert [fixture["response"]["content"] for fixture in fixtures] == ["sun", "let me look"]
    assert [contents(fixture) for fixture in fixtures] == [["rain"], []]


def test_a_dry_run_lists_what_an_import_does(project: Project) -> None:
    """Of several files with the same requests, too, whatever the folder has before."""
    asked = payload("weather?")
    offered = {**asked, "tools": [{"type": "function", "function": {"name": "f"}}]}
    replies = [(asked, "rain"), (asked, "rain"), (asked, "sun"), (offered, "let me look")]
    for number, (asks, said) in enumerate(replies):
        entries = [entry(asks, 200, "application/json", plain(said))]
        (project.folder / f"{number}.har").write_text(json.dumps({"log": {"entries": entries}}))
    for _ in range(2):
        before = project.files()
        dry = project.run("import", "--dry-run", project.folder, "--format", "json")
        assert project.files() == before
        ran = project.run("import", project.folder, "--format", "json")
        assert (dry.code, dry.rows) == (ran.code, ran.rows)
        assert [row["fixture"] is not None for row in ran.rows] == [True, True, False, True]
    for path in project.fixtures.iterdir():
        path.write_text("broken")
    dry = project.run("import", "--dry-run", project.folder, "--format", "json")
    assert dry.rows == project.run("import", project.folder, "--format", "json").rows


def contents(fixture: dict[str, Any]) -> list[Any]:
    """What a fixture says before its response: texts, or the statuses of errors."""
    responses = fixture.get("first", [])
    return [r["error"]["status"] if "error" in r else r["content"] for r in responses]


LATE = "the reply is an error, {}; it is only in the recording"


@pytest.mark.parametrize(
    ("replies", "first", "last", "reasons"),
    [
        (["a", "b", "c"], ["a", "b"], "c", ["", "", ""]),
        (["a", "a", "a"], [], "a", ["", "", ""]),
        ([429, 503, "a"], [429, 503], "a", ["", "", ""]),
        ([429, "a", "a"], [429], "a", ["", "", ""]),
        (["a", 503], [], "a", ["", LATE.format(503)]),
        ([401, "a"], [], "a", [LATE.format(401), ""]),
        (["a", 302, "b"], ["a"], "b", ["", "the status of the reply is 302", ""]),
    ],
)
def test_several_replies_to_a_request_become_a_sequence(
    project: Project, replies: list[Any], first: list[Any], last: str, reasons: list[str]
) -> None:
    asked = payload("again?")
    entries = [
        entry(asked, 200, "application/json", plain(reply))
        if isinstance(reply, str)
        else entry(asked, reply, "application/json", '{"error": {"message": "no"}}')
        for reply in replies
    ]
    har = project.folder / "a.har"
    har.write_text(json.dumps({"log": {"entries": entries}}))
    rows = project.run("import", har, "--format", "json").rows
    fixture = project.fixture(digest(asked))
    assert (contents(fixture), fixture["response"]["content"]) == (first, last)
    for row, reason in zip(rows, reasons, strict=True):
        assert row["reason"].startswith(reason)
        assert bool(row["fixture"]) == (not reason)
    assert project.run("validate", project.fixtures, "--strict").code == 0
    # A second time it has them all; a file with another answer has no part in it.
    assert project.run("import", har).code == int(any(reasons))
    other = entry(asked, 200, "application/json", plain("another"))
    har.write_text(json.dumps({"log": {"entries": [other]}}))
    assert project.run("import", har).code == 1
    assert project.fixture(digest(asked)) == fixture


def test_a_cassette_with_a_retry_becomes_a_sequence(project: Project) -> None:
    asked = payload("again?")
    request = {"method": "POST", "uri": URL, "body": json.dumps(asked), "headers": {}}
    limited = {
        "status": {"code": 429, "message": "slow"},
        "headers": {"Content-Type": ["application/json"], "Retry-After": ["2"]},
        "body": {"string": '{"error": {"message": "slow down"}}'},
    }
    answered = {
        "status": {"code": 200, "message": "OK"},
        "headers": {"Content-Type": ["application/json"]},
        "body": {"string": plain("rain")},
    }
    interactions = [{"request": request, "response": each} for each in (limited, answered)]
    cassette = project.folder / "test_weather.yaml"
    cassette.write_text(json.dumps({"version": 1, "interactions": interactions}))
    assert project.run("import", cassette).code == 0
    assert project.fixture(digest(asked))["first"] == [
        {"error": {"status": 429, "message": "slow down", "retry_after": 2}}
    ]


@pytest.mark.parametrize("method", ["converse-stream", "invoke-with-response-stream"])
def test_a_stream_of_bedrock_is_imported_by_the_model_in_its_path(
    project: Project, method: str
) -> None:
    model = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-v1:0"
    payload = {
        "model": model,
        "messages": [{"role": "user", "content": [{"text": "Hi", "type": "text"}]}],
        **({"api": "converse"} if "converse" in method else {"api": "messages"}),
        **({"platform": "bedrock"} if "invoke" in method else {}),
    }
    answer = answer_with(view(payload), {"content": "It is 12 °C."})
    sent = api_of(payload).replies.writer("openai", view(payload)).reply(answer, 0, stream=True)
    url = f"https://bedrock-runtime.us-east-1.amazonaws.com/model/{quote(model, '')}/{method}"
    body = {"messages": payload["messages"], "anthropic_version": "bedrock-2023-05-31"}
    text = base64.b64encode(sent.body).decode()
    captured = entry(body, 200, sent.content_type, text, url)
    captured["response"]["content"]["encoding"] = "base64"
    (project.folder / "a.har").write_text(json.dumps({"log": {"entries": [captured]}}))
    project.run("import", "a.har")
    assert project.fixture(view(payload).digest)["response"]["content"] == "It is 12 °C."


def test_a_response_is_imported_with_the_conversation_that_it_continues(project: Project) -> None:
    def said(id: str, text: str) -> str:
        part = {"type": "output_text", "text": text}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
        return json.dumps({"id": id, "status": "completed", "output": [item]})

    def asked(text: str, **fields: Any) -> dict[str, Any]:
        return {"model": "gpt-5", "input": text, **fields}

    exchanges = [
        (asked("One"), said("resp_1", "First.")),
        (asked("One"), said("resp_2", "Another.")),
        (asked("Two", previous_response_id="resp_1"), said("resp_3", "Second.")),
        (asked("Lost", previous_response_id="resp_0"), said("resp_4", "Lost.")),
        (asked("Search", tools=[{"type": "web_search"}]), said("resp_5", "Found.")),
    ]
    url = "https://api.openai.com/v1/responses"
    entries = [entry(asks, 200, "application/json", reply, url) for asks, reply in exchanges]
    har = project.folder / "a.har"
    har.write_text(json.dumps({"log": {"entries": entries}}))
    first, _, second, lost, search = project.run("import", har, "--format", "json").rows
    answers = [("user", "One"), ("assistant", "First."), ("user", "Two")]
    whole = asked("", input=[{"role": role, "content": text} for role, text in answers])
    assert second["digest"] == view({"api": "responses", **whole}).digest
    assert first["fixture"]
    assert second["fixture"]
    assert (lost["fixture"], lost["reason"]) == (
        None,
        "Previous response with id 'resp_0' not found.",
    )
    assert search["fixture"] is None
    assert search["reason"] == "this server does not support the built-in tool web_search"


def test_a_har_file_becomes_fixtures_and_a_run(project: Project, tmp_path: Path) -> None:
    asked, streamed = payload("weather?"), payload("streamed?", stream=True)
    har = tmp_path / "traffic.har"
    entries = [
        entry(asked, 200, "application/json", plain("rain")),
        entry(streamed, 200, "text/event-stream", STREAM.decode()),
        entry(asked, 200, "application/json", plain("sun")),
        entry(payload("limit?"), 429, "application/json", "{}"),
        entry("{", 200, "application/json", plain("x")),
        entry(payload("key?"), 200, "application/json", plain(KEY)),
        entry({}, 200, "text/html", "", "https://example.org/"),
        {},
        entry(payload("NaN?", seed=float("nan")), 200, "application/json", plain("x")),
    ]
    har.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    dry = project.run("import", str(har), "--dry-run", "--format", "json")
    assert not project.fixtures.exists()
    ran = project.run("import", str(har), "--format", "json")
    assert ran.code == dry.code == 1
    assert dry.rows[-1] == ran.rows[-1]
    assert [row["digest"] for row in ran.rows[:2]] == [digest(asked), digest(streamed)]
    # Python 3.12 and later name the number, too.
    assert [row["reason"].removesuffix(": nan") for row in ran.rows] == [
        "",
        "",
        "",
        "an error, 429",
        "the body is not JSON: line 1, column 2: Expecting property name enclosed in double quotes",
        "the reply contains an OpenAI API key, sk-proj-…0fG",
        "not a request of an API that fixtures answer",
        "request is missing",
        "not a JSON value: Out of range float values are not JSON compliant",
    ]
    fixture = json.loads(Path(ran.rows[1]["fixture"]).read_text())
    assert fixture["response"] == {"content": "It is 12 °C.", "finish_reason": "stop"}
    assert fixture["workbench"] == {"source": "imported"}
    (journal,) = journals(project.folder / ".workbench" / "runs")
    run = Recording(journal)
    assert (run.header.name, run.header.started) == ("traffic", "2026-11-20T10:09:22Z")
    assert [exchange.position for exchange in run.exchanges()] == [1, 2, 3, 4, 5]
    assert project.run("validate", str(project.fixtures), "--strict").code == 0
    with RunningServer(tmp_path, fixtures=project.fixtures) as server:
        for text in (b"rain", b"sun", b"sun"):
            assert b'"content":"%s"' % text in server.chat(asked).body


@pytest.mark.parametrize("packed", [False, True])
def test_the_bodies_of_a_har_file_may_be_in_files_of_their_own(
    project: Project, tmp_path: Path, packed: bool
) -> None:
    asked = payload("Grüße?")
    files = {
        "a.json": json.dumps(asked).encode(),
        "b.json": plain("Grüße").encode(),
        "x.har": json.dumps({"log": {"entries": [named("b.json"), named("none.json")]}}).encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    har = tmp_path / "x.har"
    if packed:
        har = tmp_path / "x.zip"
        with zipfile.ZipFile(har, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    first, second = project.run("import", har, "--format", "json").rows
    assert (first["digest"], first["reason"]) == (digest(asked), "")
    assert project.fixture(digest(asked))["response"]["content"] == "Grüße"
    assert second["reason"].startswith("none.json ")


def named(name: str) -> dict[str, Any]:
    """An entry as Playwright writes it, with a body in the file ``name``."""
    content = {"size": 1, "mimeType": "application/json", "_sha1": name, "_file": name}
    return {
        "request": {"method": "post", "url": URL, "postData": {"_file": "a.json"}},
        "response": {"status": 200, "content": content},
    }


def test_a_request_that_needs_no_fixture_is_told_from_one_that_gets_none(project: Project) -> None:
    base = URL.removesuffix("/chat/completions")
    entries = [
        entry({"model": "m", "input": "hi"}, 200, "application/json", "{}", f"{base}/{path}")
        for path in ("embeddings", "moderations", "messages/count_tokens", "images/generations")
    ]
    har = project.folder / "a.har"
    har.write_text(json.dumps({"log": {"entries": entries}}))
    ran = project.run("import", har, "--format", "json")
    needless = "needs no fixture: the server answers it by itself"
    other = "not a request of an API that fixtures answer"
    assert (ran.code, [row["reason"] for row in ran.rows]) == (0, [needless] * 3 + [other])


def test_what_a_reply_has_and_a_fixture_has_not_is_told(project: Project) -> None:
    def streamed(*chunks: dict[str, Any]) -> str:
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)

    said = {"choices": [{"delta": {"content": "a"}, "logprobs": {"content": [1]}}]}
    error = {"error": {"message": "Overloaded."}}
    bodies = {
        "rest": streamed(said, {"choices": [{"finish_reason": "stop"}], "citations": ["x"]}),
        "error": streamed(said, error),
        "cut": streamed(said),
        "audio": plain("").replace('"content": ""', '"audio": {"id": "x"}'),
    }
    entries = [entry(payload(text), 200, "", body) for text, body in bodies.items()]
    har = project.folder / "a.har"
    har.write_text(json.dumps({"log": {"entries": entries}}))
    rows = project.run("import", har, "--format", "json").rows
    assert [bool(row["fixture"]) for row in rows] == [True, False, False, False]
    assert [row["reason"] for row in rows] == [
        "without logprobs, citations of the reply, which a fixture cannot contain",
        "frame 1 is an error: Overloaded.",
        "the stream broke off: no frame has a finish_reason",
        "the reply is audio, which a fixture cannot contain",
    ]


SECRET = "very-secret-thing"
CREDENTIALS: list[dict[str, Any]] = [
    {"headers": [{"name": "X-Api-Key", "value": SECRET}]},
    {"headers": [{"name": "authorization", "value": f"Bearer {SECRET}"}, {"name": 1}, "odd"]},
    {"cookies": [{"name": "sid", "value": SECRET}]},
    {"url": f"{URL}?key={SECRET}"},
    {"url": URL.replace("//", f"//me:{SECRET.replace('-', '%2D')}@")},
]


@pytest.mark.parametrize("given", CREDENTIALS)
def test_a_har_entry_that_repeats_a_credential_is_not_written_down(
    project: Project, given: dict[str, Any]
) -> None:
    entries = [
        entry(payload("hi"), 200, "application/json", plain(f"it is {SECRET}")),
        entry(payload(f"is {SECRET} right?"), 200, "application/json", plain("yes")),
        entry(payload("hello"), 401, "application/json", json.dumps({"error": SECRET})),
        entry(payload("weather?"), 200, "application/json", plain("rain")),
    ]
    for each in entries:
        each["request"] |= given
    har = project.folder / "a.har"
    har.write_text(json.dumps({"log": {"entries": entries}}))
    ran = project.run("import", har, "--format", "json")
    told = [REPEATS_KEY, "the request contains its own key", REPEATS_KEY]
    assert [row["reason"] for row in ran.rows] == [*told, ""]
    assert_not_kept(project)


@pytest.mark.parametrize("value", [SECRET, [SECRET], ["Bearer", f"Bearer {SECRET}"]])
def test_a_cassette_that_repeats_a_credential_is_not_written_down(
    project: Project, value: object
) -> None:
    request = {"method": "POST", "uri": URL, "headers": {"x-api-key": value}}
    request["body"] = json.dumps(payload("hi"))
    response = {"status": {"code": 200}, "body": {"string": plain(SECRET).replace("v", "\\u0076")}}
    cassette = project.folder / "a.json"
    cassette.write_text(json.dumps({"interactions": [{"request": request, "response": response}]}))
    ran = project.run("import", cassette, "--format", "json")
    assert [row["reason"] for row in ran.rows] == [REPEATS_KEY]
    assert_not_kept(project)


def test_a_cassette_whose_headers_are_all_hidden_is_imported(project: Project) -> None:
    """As LangChain writes them: the key and the content type of the reply have the same value."""
    hidden = ["**REDACTED**"]
    request = {"method": "POST", "uri": URL, "headers": {"authorization": hidden}}
    request["body"] = json.dumps(payload("hi"))
    headers = {"Content-Type": hidden}
    response = {"status": {"code": 200}, "headers": headers, "body": {"string": plain("yes")}}
    cassette = project.folder / "a.json"
    cassette.write_text(json.dumps({"interactions": [{"request": request, "response": response}]}))
    ran = project.run("import", cassette, "--format", "json")
    assert [row["reason"] for row in ran.rows] == [""]
    assert project.files() == [f"{digest(payload('hi'))}.json"]


def assert_not_kept(project: Project) -> None:
    state = project.folder / ".workbench"
    files = [*project.fixtures.glob("*"), *(path for path in state.rglob("*") if path.is_file())]
    assert not [path for path in files if b"secret-thing" in path.read_bytes()]


def test_a_file_that_cannot_be_read_does_not_keep_the_others_out(project: Project) -> None:
    har = project.folder / "a.har"
    entries = [entry(payload("weather?"), 200, "application/json", plain("rain"))]
    har.write_text(json.dumps({"log": {"entries": entries}}))
    (project.folder / "metadata.json").write_text("{}")
    ran = project.run("import", "none.har", "metadata.json", har)
    missing, other = ran.err.splitlines()
    assert (ran.code, missing) == (
        2,
        "workbench import: error: none.har: no such file or directory",
    )
    assert other.startswith("workbench import: error: metadata.json: neither a HAR file")
    assert ran.out.startswith(f"imported  {digest(payload('weather?'))}  ")
    assert project.files() == [f"{digest(payload('weather?'))}.json"]


def test_a_cassette_is_read_safely(project: Project, tmp_path: Path) -> None:
    packed = base64.b64encode(gzip.compress(plain("rain").encode())).decode()
    cassette = tmp_path / "weather.yaml"
    cassette.write_text(
        "interactions:\n"
        "- request:\n"
        f"    body: '{json.dumps(payload('weather?'))}'\n"
        "    headers: {}\n"
        "    method: POST\n"
        f"    uri: {URL}\n"
        "  response:\n"
        "    body:\n"
        f"      string: !!binary {packed}\n"
        "    headers:\n"
        "      Content-Encoding: [gzip]\n"
        "      Content-Type: [application/json]\n"
        "    status: {code: 200, message: OK}\n"
        "version: 1\n"
    )
    ran = project.run("import", str(cassette))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"imported  {digest(payload('weather?'))}  {ran.out.split()[-1]}\n"
    cassette.write_text("interactions: !!python/object/apply:os.system ['touch owned']\n")
    ran = project.run("import", str(cassette))
    assert ran.code == 2
    assert "could not determine a constructor for the tag" in ran.err
    assert not (project.folder / "owned").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1]", "nor a cassette (interactions or http_interactions), nor fixtures of aimock"),
        ('{"log": }', "line 1, column 9: Expecting value"),
        ("{" * 5 + '"a":' * 5, "line 1, column 2"),
        ("[" * 100_000, "nested too deeply"),
        ("a: [", "neither JSON nor YAML"),
        ("a: 1\n\tb: 2\n", "file: line 2, column 1: neither JSON nor YAML: found a tab"),
        (" \n", "file: the file is empty"),
        ('{"log": {"entries": 1}}', "log.entries is a number, not a list"),
    ],
)
def test_files_of_another_kind(project: Project, tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    ran = project.run("import", str(path))
    assert ran.code == 2
    assert reason in ran.err
    assert "Traceback" not in ran.err


def test_a_file_without_entries_is_no_silence(project: Project, tmp_path: Path) -> None:
    (tmp_path / "cassette.yaml").write_text("interactions: []\n")
    ran = project.run("import", str(tmp_path / "cassette.yaml"), "--format", "json")
    assert (ran.code, ran.out, ran.err) == (
        0,
        "[]\n",
        "workbench import: note: nothing to import: no entries\n",
    )


def test_a_project_may_keep_requests_out_of_fixtures(project: Project, tmp_path: Path) -> None:
    project.settings("store_request = false")
    har = tmp_path / "traffic.har"
    asked = payload("weather?")
    entries = [entry(asked, 200, "application/json", plain("rain"))]
    har.write_text(json.dumps({"log": {"entries": entries}}))
    assert project.run("import", har).code == 0
    assert "request" not in project.fixture(digest(asked))


def test_a_request_that_is_too_large_is_imported_without_its_messages(
    project: Project, tmp_path: Path
) -> None:
    project.settings("store_request_kib = 2")
    har = tmp_path / "traffic.har"
    asked = payload("weather? " * 500)
    entries = [entry(asked, 200, "application/json", plain("rain"))]
    har.write_text(json.dumps({"log": {"entries": entries}}))
    ran = project.run("import", har)
    assert "(without the messages of its request, which has more than 2 KiB" in ran.out
    assert "messages" not in project.fixture(digest(asked))["request"]


def test_an_error_that_was_answered_later_is_in_the_run_alone(
    project: Project, tmp_path: Path
) -> None:
    limited = {"error": {"message": "Slow down", "type": "requests", "code": "rate_limit_exceeded"}}
    asked, failed = payload("weather?"), payload("never?")
    error = entry(asked, 429, "application/json", json.dumps(limited))
    error["response"]["headers"] = [{"name": "Retry-After", "value": "20"}]
    other = {**error, "request": entry(failed, 0, "", "")["request"]}
    first, second = tmp_path / "a.har", tmp_path / "b.har"
    first.write_text(json.dumps({"log": {"entries": [error, other, other]}}))
    success = entry(asked, 200, "application/json", plain("rain"))
    gateway = entry(payload("html?"), 502, "text/html", "<h1>Bad Gateway</h1>")
    odd = entry(payload("odd?"), 204, "", "")
    second.write_text(json.dumps({"log": {"entries": [success, gateway, odd]}}))
    for dry in (["--dry-run"], []):
        rows = project.run("import", str(first), str(second), *dry, "--format", "json").rows
        assert [(row["fixture"] is not None, row["reason"]) for row in rows] == [
            (False, "the reply is an error, 429; it is only in the recording"),
            (True, "an error, 429"),
            (False, "the reply is an error, 429; it is only in the recording"),
            (True, ""),
            (True, "an error, 502"),
            (False, "the status of the reply is 204; it is only in the recording"),
        ]
    assert project.fixture(digest(failed))["response"] == {
        "error": {
            "status": 429,
            "message": "Slow down",
            "type": "requests",
            "code": "rate_limit_exceeded",
            "retry_after": 20,
        }
    }
    assert project.fixture(digest(asked))["response"]["content"] == "rain"
    assert project.fixture(digest(payload("html?")))["response"] == {
        "error": {"status": 502, "message": "<h1>Bad Gateway</h1>"}
    }
    assert project.run("validate", str(project.fixtures), "--strict").code == 0


@pytest.mark.parametrize("name", ["parsed_body.yaml", "cassetter.yaml", "cassetter.toml"])
def test_cassettes_with_json_as_it_is(project: Project, name: str) -> None:
    """As pydantic-ai's serializer of vcrpy and Cassetter write them."""
    ran = project.run("import", str(CASSETTES / name), "--format", "json")
    assert [(row["reason"], row["fixture"] is not None) for row in ran.rows] == [
        ("", True),
        ("an error, 429", True),
    ]
    weather, limit = (project.fixture(row["digest"]) for row in ran.rows)
    messages = [{"role": "user", "content": "Weather in Zürich?"}]
    assert weather["request"] == {"model": "gpt-4o", "messages": messages, "stream": False}
    assert ran.rows[0]["digest"] == digest(weather["request"])
    assert weather["response"]["content"] == "12 °C"
    error = {"status": 429, "message": "Slow down", "type": "requests", "retry_after": 20}
    assert limit["response"] == {"error": error}


def test_cassettes_of_ruby(project: Project) -> None:
    """VCR names what vcrpy does otherwise, and writes bodies with characters beyond ASCII as
    ``!binary``, or all of them in base64.
    """
    ran = project.run("import", str(CASSETTES / "vcr.yml"), "--format", "json")
    assert [row["reason"] for row in ran.rows] == ["", "", "an error, 429"]
    weather, packed, limit = (project.fixture(row["digest"]) for row in ran.rows)
    messages = [{"role": "user", "content": "Weather in Zürich?"}]
    assert weather["request"] == {"model": "gpt-4o", "messages": messages}
    answers = [fixture["response"]["content"] for fixture in (weather, packed)]
    assert answers == ["12 °C", "12 °C"]
    assert limit["response"]["error"]["retry_after"] == 20
    [recording] = journals(project.folder / ".workbench" / "runs")
    assert Recording(recording).header.started == "2026-11-05T10:09:22+00:00"


def test_a_folder_stands_for_the_files_below_it(project: Project) -> None:
    folder = Path("cassettes")
    (folder / "a" / "b").mkdir(parents=True)
    names = ["cassetter.toml", "cassetter.yaml", "parsed_body.yaml"]
    for name in names:
        (folder / "a" / name).write_bytes((CASSETTES / name).read_bytes())
    packed = folder / "a" / "b" / "cassetter.toml.gz"
    packed.write_bytes(gzip.compress((CASSETTES / "cassetter.toml").read_bytes()))
    named = [*(folder / "a" / name for name in names), packed]
    expected = project.run("import", *named, "--dry-run", "--format", "json")
    (folder / "README.md").touch()
    (folder / "package.json").write_text("{}")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "broken.json").write_text("{")
    (folder / "a" / "loop").symlink_to(project.folder)
    done = project.run("import", folder, "--dry-run", "--format", "json")
    assert (done.code, done.rows) == (expected.code, expected.rows)
    assert done.err.startswith("workbench import: note: skipped 3 other files: ")
    assert all(name in done.err for name in ("README.md", "a/loop", "package.json"))


def test_what_cannot_be_read_in_a_folder_is_an_error(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, locked = project.folder / "cassettes", project.folder / "cassettes" / "locked"
    locked.mkdir(parents=True)
    (folder / "a.yaml").write_bytes((CASSETTES / "cassetter.yaml").read_bytes())
    (folder / "broken.yaml").write_text("a: [")
    os.mkfifo(folder / "pipe.json")
    scan = os.scandir

    def refusing(path: Any) -> Any:  # as for other users than root
        if Path(path) == locked:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    done = project.run("import", folder)
    assert done.code == 2
    assert "imported  " in done.out
    problems = ["broken.yaml: line 2", "pipe.json: it is a named pipe", "locked: permission denied"]
    assert all(problem in done.err for problem in problems)


def test_a_folder_without_files_to_import_is_an_error(project: Project) -> None:
    (project.folder / "empty").mkdir()
    done = project.run("import", "empty")
    assert (done.code, done.out) == (2, "")
    assert "error: empty has no file to import: names end in .har, .zip, .json" in done.err
