// Loaded by each Node.js of a suite that runs behind our proxy, since few of its clients ask a proxy:
// TLS connections to the hosts that WORKBENCH_TLS_HOSTS describes go to a port of this machine.
const net = require("node:net");
const tls = require("node:tls");
const hosts = new RegExp(process.env.WORKBENCH_TLS_HOSTS, "i");
const port = Number(process.env.WORKBENCH_TLS_PORT);
const connect = tls.connect;

tls.connect = function (...given) {
  const options = Object.assign({}, ...given.filter((value) => typeof value === "object"));
  const host = typeof given[1] === "string" ? given[1] : (options.host ?? "localhost");
  if (options.socket || options.path || !hosts.test(host)) return connect.apply(this, given);
  const servername = options.servername || (net.isIP(host) ? "" : host);
  const here = { ...options, host: "127.0.0.1", port, servername, lookup: undefined };
  return connect.call(this, here, ...given.filter((value) => typeof value === "function"));
};
