"""What the hook does to Node.js: TLS connections to some hosts go to a port of this machine, and
without other machines all connections to them are refused.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.io.network.proxied import certificates, serving
from workbench.core.apis.hosts import Hosts
from workbench.io.network.offline import read_refused
from workbench.io.network.proxy import Proxy
from workbench.io.processes.proxy_environment import (
    offline_variables,
    proxy_variables,
    trust_variables,
)

# Each way asks a host; prints which host was asked by those that had a reply, or the error.
WAYS = """
import https from "node:https";
import net from "node:net";
import tls from "node:tls";

const host = process.argv[1];
const get = (options) => new Promise((answer, fail) => {
  https.get(`https://${host}/`, options, (reply) => {
    reply.setEncoding("utf8").on("data", (text) => answer(JSON.parse(text).headers.Host));
  }).on("error", fail);
});
const raw = (connect) => new Promise((answer, fail) => {
  const head = `GET / HTTP/1.1\\r\\nHost: ${host}\\r\\nConnection: close\\r\\n\\r\\n`;
  const socket = connect(() => socket.write(head));
  let text = "";
  socket.on("data", (data) => (text += data)).on("error", fail);
  socket.on("end", () => {
    try {
      answer(JSON.parse(text.split("\\r\\n\\r\\n")[1]).headers.Host);
    } catch (error) {
      fail(`${error} ${text}`);
    }
  });
});
const ways = {
  fetch: async () => (await (await fetch(`https://${host}/`)).json()).headers.Host,
  https: () => get({}),
  agent: () => get({ agent: new https.Agent({ keepAlive: true }) }),
  unpooled: () => get({ agent: false }),
  options: () => raw((done) => tls.connect({ host, port: 443 }, done)),
  arguments: () => raw((done) => tls.connect(443, host, { servername: host }, done)),
};
const seen = {};
for (const [name, way] of Object.entries(ways)) {
  seen[name] = await way().catch((error) => `${error.cause ?? error}`);
}
console.log(JSON.stringify(seen));
process.exit();
"""


def run_node(script: str, *words: str, environment: Mapping[str, str]) -> dict[str, str]:
    """What a script for Node.js prints as JSON."""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script, *words],
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    seen: dict[str, str] = json.loads(done.stdout)
    return seen


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("is_offline", [False, True])
def test_node_asks_for_the_hosts_of_apis_here(tmp_path: Path, is_offline: bool) -> None:
    own = {"PATH": os.environ["PATH"], "NODE_OPTIONS": "--no-warnings"}
    with (
        serving() as port,
        Proxy(server_url=f"http://127.0.0.1:{port}", certificates=certificates()) as proxy,
    ):
        environment = {**own, **proxy_variables(proxy, Hosts().pattern, own)}
        environment |= trust_variables(proxy.certificates.authority, tmp_path, own)
        if is_offline:
            environment |= offline_variables(proxy, tmp_path / "refused")
        asked = run_node(WAYS, "api.groq.com", environment=environment)
    assert set(asked.values()) == {"api.groq.com"}
    assert not is_offline or not read_refused(tmp_path / "refused")


# Each way asks a place; prints "connected" for those that came there, or the error.
OTHER_WAYS = """
import http from "node:http";
import https from "node:https";
import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";

const [host, port] = process.argv.slice(1);
const url = `http://${net.isIPv6(host) ? `[${host}]` : host}:${port}/`;
const tlsUrl = url.replace("http", "https");
const get = (from, url, options) => new Promise((answer, fail) => {
  from.get(url, options, () => answer("connected")).on("error", fail);
});
const raw = (connect) => new Promise((answer, fail) => {
  const socket = connect(() => answer("connected"));
  socket.on("error", fail);
  socket.write?.("before there is a connection");
});
const overTls = {
  https: () => get(https, tlsUrl, { agent: new https.Agent({ keepAlive: true }) }),
  http2: () => raw((done) => http2.connect(tlsUrl, done)),
  tls: () => raw((done) => tls.connect({ host, port }, done)),
};
const ways = {
  fetch: async () => { await fetch(url); return "connected"; },
  http: () => get(http, url, {}),
  agent: () => get(http, url, { agent: new http.Agent({ keepAlive: true }) }),
  unpooled: () => get(http, url, { agent: false }),
  options: () => raw((done) => net.connect({ host, port }, done)),
  arguments: () => raw((done) => net.createConnection(Number(port), host, done)),
  socket: () => raw((done) => new net.Socket().connect(port, host, done)),
  ...(process.env.WITH_TLS ? overTls : {}),
};
const seen = {};
for (const [name, way] of Object.entries(ways)) {
  seen[name] = await way().catch((error) => `${error.cause ?? error}`);
}
console.log(JSON.stringify(seen));
process.exit();
"""


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment without other machines; ``tmp_path`` has its file ``refused``."""
    own = {"PATH": os.environ["PATH"], "NODE_OPTIONS": "--no-warnings"}
    with Proxy(
        server_url="http://127.0.0.1:1", certificates=certificates(), is_offline=True
    ) as proxy:
        variables = proxy_variables(proxy, "", own)
        yield {**own, **variables, **offline_variables(proxy, tmp_path / "refused")}


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize(
    ("host", "port", "place"),
    [
        ("other.invalid", "80", "other.invalid"),
        ("127.0.0.1.invalid", "5432", "127.0.0.1.invalid:5432"),
        ("192.0.2.1", "443", "192.0.2.1"),
        ("2001:db8::1", "8080", "[2001:db8::1]:8080"),
    ],
)
def test_without_other_machines_node_asks_none(
    tmp_path: Path, offline: dict[str, str], host: str, port: str, place: str
) -> None:
    asked = run_node(OTHER_WAYS, host, port, environment={**offline, "WITH_TLS": "1"})
    message = f"Error: workbench run --offline refuses connections to {place}"
    assert set(asked.values()) == {message}
    assert read_refused(tmp_path / "refused") == {place: len(asked)}


LOCAL_SOCKET = """
import net from "node:net";
const [path] = process.argv.slice(1);
const server = net.createServer((socket) => socket.end("here")).listen(path, () => {
  const seen = {};
  for (const [name, given] of Object.entries({ text: path, options: { path } })) {
    net.connect(given).on("data", (data) => {
      seen[name] = `${data}`;
      if (seen.text && seen.options) { console.log(JSON.stringify(seen)); process.exit(); }
    });
  }
});
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_without_other_machines_node_asks_this_one(tmp_path: Path, offline: dict[str, str]) -> None:
    with serving() as port:
        for host in ("127.0.0.1", "localhost", "::ffff:127.0.0.1"):
            asked = run_node(OTHER_WAYS, host, str(port), environment=offline)
            assert set(asked.values()) == {"connected"}, host
    asked = run_node(LOCAL_SOCKET, str(tmp_path / "s"), environment=offline)
    assert asked == {"text": "here", "options": "here"}
    assert not read_refused(tmp_path / "refused")


# What is in place of Deno: a program that is not allowed to read variables.
RESTRICTED = """
globalThis.Deno = { permissions: { querySync: () => ({ state: "prompt" }) } };
const refuse = (env, name) => {
  if (String(name).startsWith("WORKBENCH_")) throw new Error("not allowed");
  return env[name];
};
process.env = new Proxy(process.env, { get: refuse });
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_a_program_that_may_read_no_variables_starts(tmp_path: Path) -> None:
    restricted = tmp_path / "restricted.cjs"
    restricted.write_text(RESTRICTED)
    own = {"PATH": os.environ["PATH"], "NODE_OPTIONS": f"--require {restricted}"}
    with Proxy(server_url="http://127.0.0.1:1", certificates=certificates()) as proxy:
        variables = proxy_variables(proxy, Hosts().pattern, own)
    done = subprocess.run(
        ["node", "-p", "1 + 1"], env={**own, **variables}, capture_output=True, check=False
    )
    assert (done.stdout, done.stderr) == (b"2\n", b"")
