"""Clients in Python find a server on this machine past the proxies of their environment."""

from __future__ import annotations

from urllib.request import getproxies, proxy_bypass

import pytest

from workbench.io.processes.client_environment import has_proxies, past_proxies


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ("127.0.0.1,localhost", "127.0.0.1,localhost")),
        ({"NO_PROXY": "a, b"}, ("a,b,127.0.0.1,localhost", "a,b,127.0.0.1,localhost")),
        ({"no_proxy": "a"}, ("a,127.0.0.1,localhost", "a,127.0.0.1,localhost")),
        (
            {"NO_PROXY": "a", "no_proxy": "localhost,b"},
            ("a,127.0.0.1,localhost", "localhost,b,127.0.0.1"),
        ),
        ({"NO_PROXY": "*"}, ("*", "*")),
    ],
)
def test_hosts_are_added_to_those_that_are_excepted(
    given: dict[str, str], expected: tuple[str, str]
) -> None:
    assert tuple(past_proxies(given).values()) == expected


@pytest.mark.parametrize("excepted", ["", "intranet.example", "*"])
def test_python_reads_them(monkeypatch: pytest.MonkeyPatch, excepted: str) -> None:
    given = {"HTTP_PROXY": "http://proxy.example:1", "NO_PROXY": excepted}
    assert has_proxies(given)
    for name, value in {**given, **past_proxies(given)}.items():
        monkeypatch.setenv(name, value)
    assert getproxies()["http"] == given["HTTP_PROXY"]
    hosts = ["127.0.0.1:80", "localhost", *([excepted] if excepted else [])]
    assert all(map(proxy_bypass, hosts))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, False),
        ({"HTTPS_PROXY": "http://p:1"}, False),
        ({"http_proxy": ""}, False),
        ({"all_proxy": "socks5://p:1"}, True),
        ({"Http_Proxy": "http://p:1"}, True),
    ],
)
def test_whether_there_is_a_proxy(given: dict[str, str], expected: bool) -> None:
    assert has_proxies(given) is expected
