// Loaded by each Node.js, Bun and Deno of a suite that runs behind our proxy, since few of their
// clients ask a proxy: TLS connections to the hosts that WORKBENCH_TLS_HOSTS describes go to a port
// of this machine.
const net = require("node:net");
const tls = require("node:tls");
const connect = tls.connect;

function redirectTls(hosts, port) {
  tls.connect = function (...given) {
    const options = Object.assign({}, ...given.filter((value) => typeof value === "object"));
    const host = typeof given[1] === "string" ? given[1] : (options.host ?? "localhost");
    if (options.socket || options.path || !hosts.test(host)) return connect.apply(this, given);
    const servername = options.servername || (net.isIP(host) ? "" : host);
    const here = { ...options, host: "127.0.0.1", port, servername, lookup: undefined };
    return connect.call(this, here, ...given.filter((value) => typeof value === "function"));
  };
}

// A program in Deno may read no variables unless it is started so. Its fetch asks the proxy anyway.
const env = { name: "env" };
if (!globalThis.Deno || Deno.permissions.querySync(env).state === "granted") {
  const { WORKBENCH_TLS_HOSTS, WORKBENCH_TLS_PORT } = process.env;
  redirectTls(new RegExp(WORKBENCH_TLS_HOSTS, "i"), Number(WORKBENCH_TLS_PORT));
}
