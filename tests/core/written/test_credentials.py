"""Texts that repeat a credential, in any encoding. Whole replies over a real socket:
``tests/server/test_credentials.py``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.secrets.bodies import SHORTEST
from workbench.core.written.credentials import HIDDEN, MOST, NONE, Credentials, body_shown

SECRET = "Very+Secret/Thing"


@pytest.mark.parametrize("encode", [str.lower, str.upper])
def test_hexadecimal(encode: Callable[[str], str]) -> None:
    assert Credentials([SECRET]).are_in(f"dump: {encode(SECRET.encode().hex())}")


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_other_letters_of_the_same(change: Callable[[str], str]) -> None:
    reply = json.dumps({"error": change(f"key {SECRET} is unknown")}).encode()
    assert Credentials([SECRET]).are_in_body("application/json", reply)
    masked = Credentials([SECRET]).masked(change(f"key {SECRET}"))
    assert SECRET.lower() not in masked.lower()


def test_short_ones_stand_for_a_key_where_none_is_needed() -> None:
    assert not Credentials(["x" * (SHORTEST - 1)]).are_in("x" * SHORTEST)
    assert Credentials(["x" * SHORTEST]).are_in("x" * SHORTEST)


@pytest.mark.parametrize("hidden", ["**REDACTED**", "[Filtered]", "<removed>"])
def test_what_recorders_write_in_place_of_a_key_is_not_one(hidden: str) -> None:
    assert not Credentials([hidden]).are_in(f"content-type: {hidden}")
    assert Credentials([f"{hidden}-1"]).are_in(f"content-type: {hidden}-1")


def test_a_path_is_shown_without_its_credentials() -> None:
    credentials = Credentials([SECRET])
    assert credentials.path_masked("/v1/chat/completions") == "/v1/chat/completions"
    assert credentials.path_masked("/key/Very%2BSecret%2FThing/v1") == "/key/.../v1"
    assert credentials.path_masked(f"/{base64.b64encode(SECRET.encode()).decode()}/v1") == "/..."


@pytest.mark.parametrize("value", ["[" * 100_000, "{", "1}{}"])
def test_a_body_that_cannot_be_read_is_not_shown_if_it_may_have_a_key(value: str) -> None:
    assert body_shown(b'{"api_key": %b' % value.encode(), NONE) == (b"", NONE)
    assert body_shown(b'{"a": %b' % value.encode(), NONE)[0]


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@given(st.binary(max_size=5), st.binary(max_size=5))
def test_base64_of_any_text_around(
    encode: Callable[[bytes], bytes], before: bytes, behind: bytes
) -> None:
    secret = "~~~???>>>~~~???"  # of which base64 has pluses and slashes
    text = encode(before + secret.encode() + behind).decode()
    assert Credentials([secret]).are_in(json.dumps({"a": json.dumps(text)}))
    assert not Credentials([secret]).are_in(encode(secret[:-3].encode()).decode())


@given(st.text(st.characters(max_codepoint=0xFFFF), min_size=SHORTEST), st.integers(1, 6))
def test_any_at_any_depth_of_json(secret: str, depth: int) -> None:
    text = secret
    for _ in range(depth):
        text = json.dumps({"a": text})
    if "%" not in secret:
        assert Credentials([secret]).are_in(text)


def test_more_than_can_be_searched_counts_as_found() -> None:
    many = Credentials(f"credential-{number}" for number in range(MOST + 1))
    assert many.are_in("anything")
    assert many.masked("anything") == HIDDEN
    assert Credentials([SECRET]).are_in("\\u005c" + "u005c" * 50)


def test_masks() -> None:
    credentials = Credentials(["12345678", "12345678-longer"])
    assert credentials.masked("not 12345678-longer.") == "not …."
    assert credentials.masked("not \\u0031\\u0032345678") == HIDDEN
    assert credentials.masked("as it is") == "as it is"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_replies_in_any_encoding_of_json(encoding: str) -> None:
    body = json.dumps({"a": SECRET}).encode(encoding)
    assert Credentials([SECRET]).are_in_body("application/json", body)
    assert not Credentials([SECRET[::-1]]).are_in_body("application/json", body)
    # Neither a key nor a body that is cut is a string of a JSON value.
    for text in (json.dumps({SECRET: 1}), json.dumps({"a": SECRET})[:-1]):
        body = text.encode(encoding)
        assert Credentials([SECRET]).are_in_body("application/json", body)


def test_pieces_of_a_stream_are_put_together_by_their_place() -> None:
    def event(index: int, piece: object) -> str:
        call = {"index": index, "function": {"arguments": piece}}
        return f"data: {json.dumps({'choices': [{'delta': {'tool_calls': [call]}}]})}\n\n"

    pieces = [(0, SECRET[:5]), (1, "other"), (0, SECRET[5:9]), (1, None), (0, SECRET[9:])]
    stream = "".join(event(*piece) for piece in pieces) + "data: no JSON\n\ndata: [DONE]\n\n"
    kind = "text/event-stream"
    assert Credentials([SECRET]).are_in_body(kind, stream.encode())
    mixed = stream.replace('"index": 1', '"index": 0')
    assert not Credentials([SECRET]).are_in_body(kind, mixed.encode())
    # A last event that has no blank line behind it counts, too.
    cut = "".join(event(0, piece) for piece in (SECRET[:5], SECRET[5:])).rstrip()
    assert Credentials([SECRET]).are_in_body(kind, cut.encode())


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_parts_of_a_message_are_put_together(kind: str) -> None:
    def message(*texts: str) -> str:
        parts = [{"text": text} for text in texts]
        return json.dumps({"candidates": [{"content": {"role": "model", "parts": parts}}]})

    whole = message(SECRET[:5], SECRET[5:9], SECRET[9:])
    body = f"data: {whole}\n\n" if kind == "text/event-stream" else whole
    assert Credentials([SECRET]).are_in_body(kind, body.encode())
    other = body.replace(SECRET[5:9], "")
    assert not Credentials([SECRET]).are_in_body(kind, other.encode())
    chunks = f"[{message(SECRET[:5], SECRET[5:9])},{message(SECRET[9:])}]"
    assert Credentials([SECRET]).are_in_body(kind, chunks.encode())
