"""Tests that ask another machine without a proxy, under ``workbench run --offline``."""

from __future__ import annotations

import pytest

from workbench.io.network.offline import read_refused

pytest_plugins = ["pytester"]

# A conftest.py that has what suites have: servers on this machine, and questions before any test.
CONFTEST = """
import socket
import pytest

database = socket.create_server(("127.0.0.1", 0))
socket.create_connection(database.getsockname()).close()
with pytest.raises(OSError, match="--offline"):
    socket.create_connection(("conftest.example", 80))
"""
# Each way asks a place without a proxy.
TESTS = """
import asyncio, http.client, socket, urllib.request
import httpx, pytest, requests, urllib3
from conftest import database

OTHER = ("192.0.2.1", 5432)
URL = "https://api.example/"

def opener():
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(URL)

def session():
    with requests.Session() as asking:
        asking.trust_env = False
        asking.get(URL)

def send(*address, how="sendto"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        if how == "sendto":
            asking.sendto(b"x", address)
        else:
            asking.sendmsg([b"x"], [], 0, address)

def connect_ex():
    with socket.socket() as asking:
        asking.connect_ex(OTHER)

WAYS = {
    "http.client": lambda: http.client.HTTPSConnection("api.example").request("GET", "/"),
    "urllib.request": opener,
    "urllib3": lambda: urllib3.PoolManager().request("GET", URL, retries=False),
    "requests": session,
    "httpx": lambda: httpx.get(URL, trust_env=False),
    "asyncio": lambda: asyncio.run(asyncio.open_connection("api.example", 443)),
    "an address": lambda: socket.create_connection(OTHER),
    "connect_ex": connect_ex,
    "sendto": lambda: send(*OTHER),
    "sendmsg": lambda: send(*OTHER, how="sendmsg"),
    "a look-up": lambda: socket.gethostbyname("api.example"),
    "a look-up of bytes": lambda: socket.getaddrinfo(b"api.example", "https"),
}

@pytest.mark.parametrize("name", WAYS)
def test_other_machines_are_refused(name):
    with pytest.raises(Exception) as caught:
        WAYS[name]()
    message = "workbench run --offline refuses connections to "
    assert message + "api.example" in str(caught.value) or message + "192.0.2.1:5432" in str(
        caught.value
    )

def test_this_machine_is_asked(tmp_path, monkeypatch):
    for host in ("127.0.0.1", "localhost"):
        socket.getaddrinfo(host, 80)
        socket.gethostbyname(host)
    socket.getaddrinfo(None, 80)
    assert socket.getaddrinfo("192.0.2.1", 80)  # no look-up
    socket.create_connection(database.getsockname()).close()
    asyncio.run(asyncio.open_connection(*database.getsockname()))
    send(*database.getsockname())
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("s")
        server.listen()
        client.connect("s")
    one, other = socket.socketpair()
    one.sendmsg([b"x"])
    one.close(), other.close()
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project that has this plugin; each run is a process, since what refuses stays in it."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    return pytester


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")], ids=["", "xdist"])
def test_other_machines_are_refused_and_this_one_is_asked(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    refused = project.path / "refused"
    monkeypatch.setenv("WORKBENCH_OFFLINE", str(refused))
    result = project.runpytest_subprocess("-p", "workbench.testing.plugin", *workers)
    result.assert_outcomes(passed=13)
    places = read_refused(refused)
    processes = 2 if workers else 1
    assert places == {"conftest.example": processes, "api.example": 8, "192.0.2.1:5432": 4}


def test_a_plugin_that_a_conftest_loads_refuses_them_too(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_OFFLINE", str(project.path / "refused"))
    loading = 'pytest_plugins = ["workbench.testing.plugin"]\nimport socket\n'
    project.makeconftest(loading + "database = socket.create_server(('127.0.0.1', 0))\n")
    project.runpytest_subprocess().assert_outcomes(passed=13)


def test_without_the_option_nothing_is_loaded(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("WORKBENCH_OFFLINE", raising=False)
    pytester.makepyfile(
        "import sys\ndef test_it(): assert 'workbench.testing.plugin.offline' not in sys.modules"
    )
    pytester.runpytest_subprocess("-p", "workbench.testing.plugin").assert_outcomes(passed=1)
