"""Secrets in text: the real forms are told, what comes close is not, and none of them is shown."""

from __future__ import annotations

import base64
import random
import string
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import TRICKY
from workbench.core.secrets import scan as secrets

ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "-_"


def body(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    """Random characters, the same each time; never a whole secret in this file."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


PEM = "\n".join(body(64, ALNUM + "+/", seed) for seed in range(3))
JWT = ".".join(["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjMifQ", body(43, URL_SAFE)])

REAL = [
    ("an Anthropic API key", f"sk-ant-api03-{body(93, URL_SAFE)}AA"),
    ("an OpenRouter API key", f"sk-or-v1-{body(64, '0123456789abcdef')}"),
    ("an OpenAI API key", f"sk-proj-{body(120, URL_SAFE)}"),
    ("an OpenAI API key", f"sk-svcacct-{body(60, URL_SAFE)}"),
    ("an API key", f"sk-{body(48)}"),
    ("an API key", f"sk-{body(32, '0123456789abcdef')}"),
    ("a Groq API key", f"gsk_{body(52)}"),
    ("an xAI API key", f"xai-{body(80)}"),
    ("a Google API key", f"AIza{body(35, URL_SAFE)}"),
    ("a Hugging Face token", f"hf_{body(34, string.ascii_letters)}"),
    ("an AWS access key id", f"AKIA{body(16, string.ascii_uppercase + '234567')}"),
    ("an AWS access key id", f"ASIA{body(16, string.ascii_uppercase + '234567')}"),
    ("a GitHub token", f"ghp_{body(36)}"),
    ("a GitHub token", f"ghs_{body(36)}"),
    ("a GitHub token", f"github_pat_{body(22)}_{body(59)}"),
    ("a GitLab token", f"glpat-{body(20, URL_SAFE)}"),
    ("a Slack token", f"xoxb-{body(12, string.digits)}-{body(12, string.digits)}-{body(24)}"),
    ("a Stripe key", f"sk_live_{body(24)}"),
    ("a JSON Web Token", JWT),
    ("a bearer token", f"Authorization: Bearer {body(40, ALNUM + '._~+/-')}=="),
    ("a bearer token", f'{{"authorization": "bearer {body(32)}"}}'),
    ("a private key", f"-----BEGIN PRIVATE KEY-----\n{PEM}\n-----END PRIVATE KEY-----"),
    ("a private key", f"-----BEGIN RSA PRIVATE KEY-----\\n{PEM}"),
    ("an API key", f"sk-{'abcd1234' * 6}"),
    ("a private key", f"-----BEGIN OPENSSH PRIVATE KEY-----\r\n{PEM}"),
    ("an OpenRouter API key", "sk-or-a1b2c3d4e5f6-of-our-team"),
    ("a password in a URL", "postgres://app:k7Qz2m@db.example.com/app"),
    ("a password in a URL", "https://build:p%40ss-w0rd@10.0.0.7:8443/x"),
    ("a password in a URL", "redis://:hunter2@cache:6379/0"),
]

NEAR = [
    "",
    "sk-",
    "sk-...",
    "task-1234abcd5678efgh9012ijkl",
    f"desk-{body(48)}",
    f"my_sk-{body(48)}",
    f"sk-{body(19)}",
    f"sk-{'x' * 48}",
    f"sk-{'abcd123' * 6}",
    "sk-learn-pipeline-version-2-of-the-model",
    "sk-internationalization",
    "sk-proj-your-project-key-goes-here-2026",
    "sk-ant-api03-the-key-of-your-account-goes-here",
    "sk-or-a1b2c3d4e5f-of-our-team",
    "sk-1234567890abcdef1234567890abcdef",
    f"sk-{body(32)}-not-a-key",
    "AKIAIOSFODNN7EXAMPLE",
    f"AKIA{'X' * 16}",
    f"AKIA{body(15, string.ascii_uppercase)}",
    f"AKIA{body(17, string.ascii_uppercase)}",
    "ASIAANDPACIFICREGION",
    f"AIza{body(34, URL_SAFE)}",
    f"AIza{body(36, ALNUM)}",
    "hf_transfer",
    "hf_hub_download_with_a_long_name_of_words",
    f"hf_{body(29, string.ascii_letters)}",
    f"ghp_{'x' * 36}",
    f"ghp_{body(35)}",
    "ghp_the_token_you_made_in_the_settings_page",
    f"xghp_{body(36)}",
    "xoxb-the-token-of-your-slack-app",
    "glpat-the-token-of-your-project",
    "Bearer token",
    "Bearer <your-token-goes-here-and-so-on>",
    "Bearer authentication-is-required-for-this",
    "the bearer of this letter, authenticated2024, may pass",
    "Forbearer 1f4b8a7c9d2e3f4a5b6c7d8e9f",
    "-----BEGIN PRIVATE KEY-----",
    "begins with -----BEGIN RSA PRIVATE KEY----- and then the key",
    f"-----BEGIN PUBLIC KEY-----\n{PEM}",
    f"-----BEGIN CERTIFICATE-----\n{PEM}",
    "eyJhbGciOiJIUzI1NiJ9",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ",
    "https://example.com:8080/a@b",
    "https://user@example.com",
    "postgres://user:password@host/db",
    "postgres://postgres:postgres@localhost/db",
    "postgres://user:$DB_PASSWORD@host/db",
    "postgres://user:${DB_PASSWORD}@host/db",
    "postgres://user:{password}@host/db",
    "postgres://user:<password>@host/db",
    "postgres://user:****@host/db",
    "see http://a.example/x?y=a:b@c",
    "git@github.com:owner/repo.git",
    "mailto:someone@example.com",
    "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8",
    "call_c62fad60",
    "chatcmpl-e2e-c62fad60235a",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "123e4567-e89b-12d3-a456-426614174000",
]


@each_case("kind, text", REAL)
def test_a_secret_is_told_wherever_it_stands(kind: str, text: str) -> None:
    for around in ("{}", "use {} here", '"{}"', "KEY={}\n", "é({})", "a\n{},"):
        whole = around.format(text)
        (found,) = secrets.find(whole)
        assert (found.kind, around) == (kind, around)
        assert whole[found.start : found.end] in text
        assert secrets.may_stand_in(whole)


def test_what_comes_close_is_none() -> None:
    assert {text: found for text in NEAR if (found := secrets.find(text))} == {}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"sk-{'a1B2c3D4' * 5}z9f3a", "sk-…f3a"),
        (f"sk-ant-{'a1B2c3D4' * 5}Xyz", "sk-ant-…Xyz"),
        (f"Bearer {'a1B2c3D4' * 5}Xyz", "Bearer …Xyz"),
        (JWT, f"eyJ…{JWT[-3:]}"),
        ("postgres://app:k7Qz2m@db.example.com/app", "…@db.example.com"),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{PEM}", "-----BEGIN RSA PRIVATE KEY-----"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert [found.shown for found in secrets.find(text)] == [shown]


@each_case("text", [text for _, text in REAL])
def test_no_more_than_three_characters_of_a_secret_are_shown(text: str) -> None:
    (found,) = secrets.find(text)
    hidden = text[found.start : found.end]
    assert len(found.shown) < len(hidden)
    # Of what is random nothing longer than its end is in it.
    pieces = {hidden[at : at + 4] for at in range(len(hidden) - 15, len(hidden) - 3)}
    if found.kind not in ("a private key", "a password in a URL"):
        assert not [piece for piece in pieces if piece in found.shown]
    assert "k7Qz2m" not in found.shown
    assert "hunter2" not in found.shown


def test_several_secrets_in_one_text() -> None:
    parts = [text for _, text in REAL]
    whole = "\n".join(parts)
    found = secrets.find(whole)
    assert [f.kind for f in found] == [kind for kind, _ in REAL]
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_key_that_is_sent_as_a_bearer_token_is_told_once() -> None:
    (found,) = secrets.find(f"Authorization: Bearer sk-{body(48)}")
    assert found.kind == "an API key"


@given(st.text() | st.text(alphabet=TRICKY + "sk-ant_eyJ.ghp:/@= Bearer"), st.sampled_from(REAL))
def test_any_text_can_be_searched(text: str, real: tuple[str, str]) -> None:
    for found in secrets.find(text):
        assert 0 <= found.start < found.end <= len(text)
    assert real[0] in [f.kind for f in secrets.find(f"{text} \n {real[1]}")]


def test_other_random_keys_of_each_kind_are_told() -> None:
    keys = [key for seed in range(20) for key in random_keys(seed)]
    assert [key for key in keys if len(secrets.find(key)) != 1] == []


def random_keys(seed: int) -> list[str]:
    return [
        f"sk-ant-api03-{body(93, URL_SAFE, seed)}AA",
        f"sk-proj-{body(156, URL_SAFE, seed)}",
        f"sk-{body(48, seed=seed)}",
        f"AIza{body(35, URL_SAFE, seed)}",
        f"ghp_{body(36, seed=seed)}",
        f"AKIA{body(16, string.ascii_uppercase + '234567', seed)}",
        f"hf_{body(34, string.ascii_letters, seed)}",
    ]


def test_random_data_is_no_secret() -> None:
    """Pictures in requests are megabytes of it."""
    data = random.Random(1).randbytes(3_000_000)
    assert secrets.find("data:image/png;base64," + base64.b64encode(data).decode()) == []
    assert secrets.find(data.hex()) == []


HOSTILE = [
    "sk-",
    "sk-a1",
    "eyJ",
    "eyJaaaaaaaa.",
    "eyJaaaaaaaa.eyJaaaaaaaa.",
    "://",
    "://:",
    "://a:b",
    "://a:b@",
    "Bearer ",
    "Bearer a1",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "AKIA",
    "a",
    "a1",
    " ",
    "xoxb-1",
    f"sk-{body(48)} ",
    f"{JWT} ",
    "postgres://app:k7Qz2m@db.example.com/app ",
]


@each_case("part", HOSTILE)
def test_the_time_grows_with_the_text_and_no_faster(part: str) -> None:
    def seconds(length: int) -> float:
        text = part * (length // len(part))
        begun = time.process_time()
        found = secrets.find(text)
        assert len(found) <= secrets.MOST_FOUND
        return time.process_time() - begun

    # Twenty times the text; a search that starts anew from each place takes 400 times as long.
    assert seconds(1_000_000) < 100 * max(seconds(50_000), 0.001)


def test_all_of_a_private_key_is_masked() -> None:
    lines = [body(64), body(64), f"{body(10)}=="]
    for end in ("\n", "\\n", "\r\n"):
        key = end.join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
        shown = secrets.without_secrets(f"before {key} after")
        assert shown == f"before [a private key]{end}-----END RSA PRIVATE KEY----- after"
    (secret,) = secrets.find(key)
    assert secret.shown == "-----BEGIN RSA PRIVATE KEY-----"
