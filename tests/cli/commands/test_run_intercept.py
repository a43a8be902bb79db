"""``workbench run --intercept`` and ``--offline``: real clients against a real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from tests.forked import run_forked
from tests.io.network.proxied import OwnProxy, serving, tls_of
from workbench.core.apis.table import APIS
from workbench.core.digest import digest

HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}]}
# Each as its documentation begins, with the error that it makes of a request without a fixture.
CLIENTS = {
    "openai": """
import openai
try:
    openai.OpenAI().responses.create(model="gpt-4o", input="hello")
except openai.NotFoundError as error:
    print(error)
""",
    "anthropic": """
import anthropic
try:
    messages = [{"role": "user", "content": "hello"}]
    anthropic.Anthropic().messages.create(model="claude", max_tokens=9, messages=messages)
except anthropic.NotFoundError as error:
    print(error)
""",
    "gemini": """
from google import genai
client = genai.Client()
try:
    client.models.generate_content(model="gemini-3", contents="hello")
except genai.errors.ClientError as error:
    print(error)
""",
    "groq": """
import json, urllib.request
url = "https://api.groq.com/openai/v1/chat/completions"
body = json.dumps({"model": "llama", "messages": [{"role": "user", "content": "hello"}]})
request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    print(error.read().decode())
""",
}
# Names an environment, without what the tests run in has of it.
_NAMES = re.compile(r"(?i).*(proxy|cert|bundle|base_url|api_base|endpoint).*")


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "fixtures").mkdir()
    for name in os.environ:
        if _NAMES.fullmatch(name) and not name.startswith(("SSL_CERT", "PIP_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WORKBENCH_PORT", "0")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return run_forked("run", *words, folder=folder, environment=os.environ)


def python(script: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", script)


def test_a_fixture_answers(tmp_path: Path) -> None:
    fixture = {"response": {"content": "from a file"}}
    (tmp_path / "fixtures" / f"{digest(HELLO)}.json").write_text(json.dumps(fixture))
    script = f"import openai; print(openai.OpenAI().chat.completions.create(**{HELLO!r}))"
    ended = run(tmp_path, "--intercept", "--offline", *python(script))
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"from a file" in ended.stdout


def test_the_setting_adds_hosts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.workbench]\nintercept = true\nintercept-hosts = ["llm.example.com"]\n'
    )
    script = CLIENTS["groq"].replace("api.groq.com", "llm.example.com")
    assert b"no fixture for this request" in run(tmp_path, *python(script)).stdout
    ended = run(
        tmp_path, "--no-intercept", *python("import os; print('HTTPS_PROXY' in os.environ)")
    )
    assert ended.stdout == b"False\n"


ENVIRONMENT = "import json, os; print(json.dumps(dict(os.environ)))"


def test_what_the_suite_finds_in_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.pem"
    trustme.CA().cert_pem.write_to_path(own)
    for name, value in {
        "OPENAI_BASE_URL": "https://gateway.example/v1",
        "OPENAI_API_KEY": "own",
        "REQUESTS_CA_BUNDLE": str(own),
        "NODE_EXTRA_CA_CERTS": str(own),
        "NODE_OPTIONS": "--no-warnings",
        "BUN_OPTIONS": "--smol",
        "GEMINI_API_KEY": "mine",
        "NO_PROXY": "example.com",
    }.items():
        monkeypatch.setenv(name, value)
    script = f"""
{ENVIRONMENT}
files = {{k: open(v).read() for k, v in os.environ.items() if v.endswith(".pem")}}
print(json.dumps(files))
print([os.stat(os.path.dirname(os.environ["SSL_CERT_FILE"])).st_mode & 0o777])
"""
    ended = run(tmp_path, "--intercept", *python(script))
    first, second, mode = ended.stdout.decode().splitlines()
    environment, files = json.loads(first), json.loads(second)
    assert mode == "[448]"  # for the user alone
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", environment["HTTPS_PROXY"])
    assert environment["https_proxy"] == environment["HTTPS_PROXY"]
    assert "HTTP_PROXY" not in environment
    assert environment["NO_PROXY"] == "example.com,127.0.0.1,localhost"
    assert environment.keys().isdisjoint({"OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"})
    assert (environment["OPENAI_API_KEY"], environment["ANTHROPIC_API_KEY"]) == ("own", "workbench")
    assert environment["AZURE_OPENAI_ENDPOINT"] == "https://workbench.openai.azure.com"
    # A client that finds several of one API takes any, and needs the user's own to record.
    assert environment["GOOGLE_GENERATIVE_AI_API_KEY"] == environment["GOOGLE_API_KEY"] == "mine"
    options = environment["NODE_OPTIONS"].split(" ", 2)
    assert options[:2] == ["--no-warnings", "--require"]
    assert Path(json.loads(options[2])).name == "hook.cjs"
    assert environment["BUN_OPTIONS"] == f'--smol "--preload={json.loads(options[2])}"'
    certificates = {name: text.count("BEGIN CERTIFICATE") for name, text in files.items()}
    assert certificates["NODE_EXTRA_CA_CERTS"] == certificates["REQUESTS_CA_BUNDLE"] == 2
    assert certificates["WORKBENCH_CERTIFICATE"] == 1
    others = {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "DENO_CERT"}
    assert all(certificates[name] > 20 for name in {*others, "CODEX_CA_CERTIFICATE"})
    assert not any("PRIVATE" in text for text in files.values())
    # tox passes it all on, and nothing is left.
    assert "HTTPS_PROXY" in environment["TOX_OVERRIDE"]
    assert not Path(environment["SSL_CERT_FILE"]).exists()
    assert not list(tmp_path.glob("workbench-*"))


def test_a_suite_that_sends_nothing_is_told_what_is_not_intercepted(tmp_path: Path) -> None:
    ended = run(tmp_path, "--intercept", "false")
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        b"workbench run: warning: the suite sent no requests\n  Your tests got"
    )
    assert b"workbench manual interception" in ended.stderr
    assert b"workbench run --intercept" in run(tmp_path, "false").stderr


ASK_OTHER = """
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
print(urllib.request.urlopen("https://pypi.example/x", context=context).status)
"""


def test_other_hosts_are_listed_and_credentials_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    with serving(tls_of(authority, "pypi.example")) as other, OwnProxy(other, "me:s3cret") as own:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:s3cret@127.0.0.1:{own.port}")
        script = f"{CLIENTS['openai']}\n{ASK_OTHER}"
        ended = run(tmp_path, "--intercept", *python(script), str(tmp_path / "ca.pem"))
    assert b"no fixture for this request" in ended.stdout
    assert ended.stdout.endswith(b"\n200\n")
    assert b"workbench run: note: the suite also connected to pypi.example\n" in ended.stderr
    assert [head.split()[1] for head in own.heads] == ["pypi.example:443"]
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"s3cret" in text for text in (*texts, ended.stdout, ended.stderr))


def test_a_proxy_that_cannot_be_asked_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://me:s3cret@127.0.0.1:1")
    ended = run(tmp_path, "--intercept", "true")
    assert ended.returncode == 2
    assert b"ALL_PROXY is a SOCKS proxy" in ended.stderr
    assert b"s3cret" not in ended.stderr


def test_hosts_that_are_asked_past_the_proxy_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "example.com,.groq.com")
    ended = run(tmp_path, "--intercept", "true")
    assert ended.stderr.startswith(b"workbench run: warning: NO_PROXY excludes api.groq.com from")
    # Without other machines, nothing is asked past it.
    ended = run(tmp_path, "--intercept", "--offline", *python(ENVIRONMENT))
    assert b"past the proxy" not in ended.stderr
    environment = json.loads(ended.stdout)
    assert environment["no_proxy"] == "127.0.0.1,localhost"


def test_who_does_not_trust_the_certificate_is_said(tmp_path: Path) -> None:
    script = """
import certifi, ssl, urllib.request
context = ssl.create_default_context(cafile=certifi.where())
try:
    urllib.request.urlopen("https://api.openai.com/v1/models", context=context)
except OSError as error:
    print(error)
"""
    ended = run(tmp_path, "--intercept", *python(script))
    assert b"certificate verify failed" in ended.stdout
    assert b"did not trust the certificate for api.openai.com" in ended.stderr


LEAVE = """
import os, socket, ssl
context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])

def over_tls(host):
    proxy = socket.create_connection(("127.0.0.1", os.environ["HTTPS_PROXY"].rpartition(":")[2]))
    proxy.sendall(f"CONNECT {host}:443 HTTP/1.1\\r\\n\\r\\n".encode())
    assert b" 200 " in proxy.recv(999)
    return context.wrap_socket(proxy, server_hostname=host)

over_tls("api.openai.com").close()
over_tls("api.anthropic.com").close()
with over_tls("api.anthropic.com") as asking:
    asking.sendall(b"GET /v1/models HTTP/1.0\\r\\nHost: api.anthropic.com\\r\\n\\r\\n")
    assert b" 200 " in asking.recv(999)
"""


def test_who_leaves_without_any_request_is_said(tmp_path: Path) -> None:
    ended = run(tmp_path, "--intercept", *python(LEAVE))
    assert ended.returncode == 0, ended.stderr
    assert b"closed its connection to api.openai.com without a request" in ended.stderr


def test_what_no_api_has_a_path_for_is_one_line(tmp_path: Path) -> None:
    script = """
import urllib.request
for path in ("v1/traces", "v1/traces", "api/flags"):
    try:
        urllib.request.urlopen("https://api.anthropic.com/" + path, data=b"{}")
    except urllib.error.HTTPError as error:
        print(error.code)
"""
    ended = run(tmp_path, "--intercept", *python(script))
    assert (ended.returncode, ended.stdout) == (0, b"404\n404\n404\n")
    assert ended.stderr.decode() == (
        "workbench run: warning: 3 requests to unknown paths got HTTP 404: POST "
        "https://api.anthropic.com/v1/traces and 1 more; check the base URL of the client\n"
    )


TESTS = """
import json, urllib.request
import pytest

@pytest.mark.parametrize("model", ["one", "two"])
def test_asks(model):
    url = "https://api.groq.com/openai/v1/chat/completions"
    body = json.dumps({"model": model, "messages": []}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request)
"""


@pytest.mark.parametrize("own_proxy", ["", "http://me:s3cret@127.0.0.1:1"])
def test_a_request_has_its_host_and_its_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_proxy: str
) -> None:
    """With a password of the proxy, too, which it has where the user's has one."""
    (tmp_path / "test_agent.py").write_text(TESTS)
    monkeypatch.setenv("HTTPS_PROXY", own_proxy)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of this test itself
    plugins = ("-p", "xdist", "-p", "workbench.testing.plugin", "-n", "2", "-q")
    ended = run(tmp_path, "--intercept", "--", sys.executable, "-m", "pytest", *plugins)
    for model in ("one", "two"):
        asked = f"  sent to api.groq.com  asked by test_agent.py::test_asks[{model}]\n"
        assert asked.encode() in ended.stderr


# Without other machines


@pytest.mark.parametrize("words", [["--offline"], ["--offline", "--intercept"]])
def test_offline_refuses_other_hosts(tmp_path: Path, words: list[str]) -> None:
    script = """
import urllib.request
for url in ("https://pypi.org/simple", "http://pypi.org/simple"):
    try:
        urllib.request.urlopen(url)
    except OSError as error:
        print(error)
"""
    ended = run(tmp_path, *words, *python(script))
    assert ended.stdout.count(b"403") == 2
    assert b"workbench run: warning: --offline refused connections to pypi.org\n" in ended.stderr


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_offline_refuses_what_node_asks_without_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'fetch("http://pypi.org/").catch((error) => console.log(error.cause.message))'
    ended = run(tmp_path, "--offline", "--", "node", "-e", script)
    assert ended.stdout == b"workbench run --offline refuses connections to pypi.org\n"
    assert b"workbench run: warning: --offline refused connections to pypi.org\n" in ended.stderr
    # One that is not offline forgets of another that was.
    monkeypatch.setenv("WORKBENCH_OFFLINE", str(tmp_path / "refused"))
    assert b"WORKBENCH_OFFLINE" not in run(tmp_path, *python(ENVIRONMENT)).stdout


NO_PROXY_TEST = """
import http.client
import pytest

def test_asks():
    with pytest.raises(OSError, match="workbench run --offline refuses connections to pypi.org"):
        http.client.HTTPSConnection("pypi.org").request("GET", "/")
"""


def test_offline_refuses_what_a_test_asks_without_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_it.py").write_text(NO_PROXY_TEST)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    command = (sys.executable, "-m", "pytest", "-p", "workbench.testing.plugin", "-q")
    ended = run(tmp_path, "--offline", "--", *command)
    assert ended.stdout.startswith(b".")
    assert b"workbench run: warning: --offline refused connections to pypi.org\n" in ended.stderr


def test_offline_alone_leaves_the_base_urls(tmp_path: Path) -> None:
    ended = run(tmp_path, "--offline", *python(CLIENTS["openai"]))
    assert b"no fixture for this request" in ended.stdout


def test_nothing_is_recorded_offline(tmp_path: Path) -> None:
    words = ("--offline", "--record", "--upstream", "https://api.openai.com/v1")
    ended = run(tmp_path, *words, "true")
    assert ended.returncode == 2
    assert b"--record cannot be used with --offline" in ended.stderr


# Loaded by each Python of a suite: writes down which hosts it connects with, or looks up.
RECORDER = """
import os, sys

def record(event, arguments):
    place = {"socket.connect": 1, "socket.sendto": 1, "socket.getaddrinfo": 0}.get(event)
    if place is not None:
        asked = arguments[place]
        with open(os.environ["ASKED"], "a") as file:
            print(asked[0] if isinstance(asked, tuple) else asked, file=file)

sys.addaudithook(record)
"""
# Sends traces to OpenAI, too, with its key, whatever the base URL is.
TRACING = """
import agents
agents.set_default_openai_api("responses")
try:
    agents.Runner.run_sync(agents.Agent(name="a", model="gpt-4o"), "hello")
except Exception as error:
    print(error)
agents.flush_traces()
"""


@pytest.fixture
def asked_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that gets which hosts a suite asks, which has keys of all APIs."""
    (tmp_path / "recorder").mkdir()
    (tmp_path / "recorder" / "sitecustomize.py").write_text(RECORDER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "recorder"))
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    keys = [each.name for api in APIS for each in api.client.all_placeholders if each.is_key]
    assert {"OPENAI_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY", "CO_API_KEY"} <= {*keys}
    for name in keys:
        monkeypatch.setenv(name, "sk-proj-4fK9sPq2Lx7Tz0Wb8Vn3")
    return tmp_path / "asked"


def test_clients_without_a_base_url_are_answered_and_ask_no_other_machine(
    tmp_path: Path, asked_hosts: Path
) -> None:
    ended = run(tmp_path, "--intercept", "--offline", *python("\n".join(CLIENTS.values())))
    assert ended.stdout.count(b"no fixture for this request") == len(CLIENTS)
    assert ended.stderr.count(b"missing     1  ") == len(CLIENTS)
    assert {*asked_hosts.read_text().split()} == {"127.0.0.1"}


def test_clients_with_keys_ask_no_other_machine(tmp_path: Path, asked_hosts: Path) -> None:
    script = "\n".join([CLIENTS["openai"], TRACING, CLIENTS["groq"]])
    ended = run(tmp_path, "--offline", *python(script))
    assert ended.stdout.count(b"no fixture for this request") == 2
    assert b"--offline refused connections to api.openai.com, api.groq.com\n" in ended.stderr
    assert {*asked_hosts.read_text().split()} == {"127.0.0.1"}
