// Loaded by each Node.js, Bun and Deno of a suite that runs behind our proxy, since few of their
// clients ask a proxy. TLS connections to the hosts that WORKBENCH_TLS_HOSTS describes go to a port
// of this machine. If WORKBENCH_OFFLINE names a file, connections to other machines are refused,
// and written down there.
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const tls = require("node:tls");

// The options that the arguments of a connect stand for: (options), (port, host) or (path). Node.js
// itself passes them in an array.
function asked(given) {
  const values = given.flat();
  const [first, second] = values;
  const options = Object.assign({}, ...values.filter((value) => typeof value === "object"));
  if (typeof first === "string" && !/^\d+$/.test(first)) options.path = first;
  else if (typeof first !== "object") options.port = first;
  if (typeof second === "string") options.host = second;
  options.host ||= "localhost";
  return options;
}

function redirectTls(hosts, port) {
  const connect = tls.connect;
  tls.connect = function (...given) {
    const options = asked(given);
    const { host, path, socket } = options;
    if (socket || path || !hosts.test(host)) return connect.apply(this, given);
    const servername = options.servername || (net.isIP(host) ? "" : host);
    const here = { ...options, host: "127.0.0.1", port, servername, lookup: undefined };
    return connect.call(this, here, ...given.filter((value) => typeof value === "function"));
  };
}

// What Deno may do depends on how it was started, and it asks the user for what it may not do.
function may(permission) {
  return !globalThis.Deno || Deno.permissions.querySync(permission).state === "granted";
}

function namesOfThisMachine() {
  if (!may({ name: "sys" })) return [];
  const addresses = Object.values(os.networkInterfaces()).flat().map(({ address }) => address);
  return [os.hostname().toLowerCase(), ...addresses];
}

function isThisMachine(host) {
  const name = host.toLowerCase();
  const loopback = net.isIP(name)
    ? /^(127\.|::ffff:(127\.|7f..:)|0\.0\.0\.0$|::1?$)/
    : /^(.*\.)?localhost\.?$/;
  return loopback.test(name) || namesOfThisMachine().includes(name);
}

function refuseOtherMachines(file) {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...given) {
    const options = asked(given);
    const { host, path, port } = options;
    if (path || isThisMachine(host)) return connect.apply(this, given);
    const shown = net.isIPv6(host) ? `[${host}]` : host;
    const place = [80, 443].includes(Number(port)) ? host : `${shown}:${port}`;
    try {
      if (may({ name: "write", path: file })) fs.appendFileSync(file, `${place}\n`);
    } catch {
      // Tests replace the file system, too.
    }
    const error = new Error(`workbench run --offline refuses connections to ${place}`);
    error.code = "ECONNREFUSED";
    // The look-up fails, which no IP address would need.
    const lookup = (_name, _options, done) => done(error);
    return connect.call(this, { ...options, host: "refused.invalid", lookup });
  };
}

// If Deno may read no variables, its fetch asks the proxy anyway.
if (may({ name: "env" })) {
  const { WORKBENCH_OFFLINE, WORKBENCH_TLS_HOSTS, WORKBENCH_TLS_PORT } = process.env;
  const port = Number(WORKBENCH_TLS_PORT);
  if (WORKBENCH_TLS_HOSTS) redirectTls(new RegExp(WORKBENCH_TLS_HOSTS, "i"), port);
  if (WORKBENCH_OFFLINE) refuseOtherMachines(WORKBENCH_OFFLINE);
}
