"""What the hook does to Node.js: TLS connections to some hosts go to a port of this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.io.network.proxied import certificates, serving
from workbench.core.apis.hosts import Hosts
from workbench.io.network.proxy import Proxy
from workbench.io.processes.proxy_environment import proxy_variables, trust_variables

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


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("is_offline", [False, True])
def test_node_asks_for_the_hosts_of_apis_here(tmp_path: Path, is_offline: bool) -> None:
    own = {"PATH": os.environ["PATH"], "NODE_OPTIONS": "--no-warnings"}
    with (
        serving() as port,
        Proxy(
            server_url=f"http://127.0.0.1:{port}",
            certificates=certificates(),
            is_offline=is_offline,
        ) as proxy,
    ):
        variables = proxy_variables(proxy, Hosts().pattern, own)
        variables |= trust_variables(proxy.certificates.authority, tmp_path, own)

        def asked(host: str) -> dict[str, str]:
            done = subprocess.run(
                ["node", "--input-type=module", "-e", WAYS, host],
                env={**own, **variables},
                capture_output=True,
                check=False,
                timeout=60,
            )
            assert done.returncode == 0, done.stderr.decode()
            seen: dict[str, str] = json.loads(done.stdout)
            return seen

        assert set(asked("api.groq.com").values()) == {"api.groq.com"}
        if is_offline:
            asked("other.invalid")
    # Nothing else in Node.js asks the proxy.
    assert proxy.certificates.declined == ({"other.invalid": 6} if is_offline else {})


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
