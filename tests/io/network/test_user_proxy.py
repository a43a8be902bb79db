"""The proxy that the environment names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from workbench.core.user_error import UserError
from workbench.io.network.user_proxy import UserProxy


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "", "HTTP_PROXY": "http://other:1"}, None),
        ({"HTTPS_PROXY": "http://proxy:3128"}, ("proxy", 3128, False, "")),
        ({"HTTPS_PROXY": "proxy:3128"}, ("proxy", 3128, False, "")),
        ({"HTTPS_PROXY": "http://a", "https_proxy": "https://b"}, ("b", 443, True, "")),
        ({"ALL_PROXY": "http://[::1]:8/"}, ("::1", 8, False, "")),
        ({"https_proxy": "http://a%40b:c%3Ad@p"}, ("p", 80, False, "YUBiOmM6ZA==")),
    ],
)
def test_it_is_the_one_that_clients_ask(
    environment: Mapping[str, str], expected: tuple[str, int, bool, str] | None
) -> None:
    assert UserProxy.of(environment) == expected


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("socks5://me:secret@a:1080", "is a SOCKS proxy"),
        ("socks5h://a", "is a SOCKS proxy"),
        ("ftp://me:secret@a", "is not the URL of an HTTP proxy"),
        ("http://me:secret@:80", "is not the URL of an HTTP proxy"),
        ("http://me:secret@a:port", "is not the URL of a proxy"),
    ],
)
def test_one_that_cannot_be_asked_is_refused_without_its_password(url: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        UserProxy.of({"ALL_PROXY": url})
    assert message in str(refused.value)
    assert "secret" not in str(refused.value)
