"""The environment that points client libraries at our server, past any proxy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from workbench.core.apis.table import APIS
from workbench.io.network.upstream_url import KEY_VARIABLE

TOX_VARIABLE: Final = "TOX_OVERRIDE"
PROXY_VARIABLE: Final = "WORKBENCH_PROXY"
"""Has the URL of our proxy, which the variables of ``PROXY_VARIABLES`` also have."""
PROXY_VARIABLES: Final = ("HTTPS_PROXY", "https_proxy")
OFFLINE_VARIABLE: Final = "WORKBENCH_OFFLINE"
"""Names the file of the places that programs refuse by themselves, since they ask no proxy."""
# As the sections are called in tox.ini and in tox.toml.
_TOX_SECTIONS: Final = ("testenv", "env_run_base")
_OWN_HOSTS: Final = ("127.0.0.1", "localhost")
_EVERY_HOST: Final = "*"  # only where it is the whole value


def client_environment(
    url: str,
    before: Mapping[str, str],
    more: Mapping[str, str] = MappingProxyType({}),
    *,
    is_intercepted: bool = False,
) -> dict[str, str]:
    """``before`` with the clients of all APIs pointed at the server at ``url``, without any proxy.

    Args:
        more: further variables.
        is_intercepted: requests to the hosts of an API are redirected to the server, so their base
            URLs are not set, but removed.
    """
    intercepted = [api.client for api in APIS if is_intercepted and api.client.hosts]
    pointed = [api.client for api in APIS if api.client not in intercepted]
    urls = {each.name: url + each.value for client in pointed for each in client.all_base_urls}
    ours = {"WORKBENCH_URL": url, **urls, **past_proxies(before), **more}
    variables = [each for api in APIS for each in api.client.all_placeholders]
    variables += [each for client in intercepted for each in client.endpoints]
    placeholders = {each.name: each.value for each in variables}
    for client in intercepted:
        # Some clients prefer one variable to another, and a recording needs the user's own key.
        if key := before.get(client.key_variable):
            placeholders |= {each.name: key for each in client.endpoints if each.is_key}
    # The upstream's key is only for our server, which sends it there. Another run may be offline.
    left_out = {
        KEY_VARIABLE,
        OFFLINE_VARIABLE,
        *(name for client in pointed for name in client.taken_out),
    }
    left_out |= {each.name for client in intercepted for each in client.all_base_urls}
    kept = {name: value for name, value in before.items() if name not in left_out}
    environment = {**placeholders, **kept, **ours}
    passed_on = _passed_on_by_tox({**placeholders, **ours})
    override = [value for value in (before.get(TOX_VARIABLE, ""), passed_on) if value]
    return {**environment, TOX_VARIABLE: ";".join(override)}


def base_urls(url: str) -> dict[str, str]:
    """The variables with the base URLs of all clients, for the server at ``url``."""
    return {
        variable.name: url + variable.value for api in APIS for variable in api.client.all_base_urls
    }


def _passed_on_by_tox(names: Iterable[str]) -> str:
    """The value of tox's settings variable that makes tox pass variables on."""
    listed = ",".join(names)
    return ";".join(f"{section}.pass_env+={listed}" for section in _TOX_SECTIONS)


# Proxies, which cannot reach a server on this machine


def has_proxies(environment: Mapping[str, str]) -> bool:
    """True if clients with this environment use a proxy for ``http://`` URLs."""
    names = ("http_proxy", "all_proxy")
    return any(value and name.lower() in names for name, value in environment.items())


def past_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that keep clients from asking a proxy for this machine, with the hosts that
    ``environment`` excepts already. Programs read either; a client in Python reads only the second
    if it is there.
    """
    upper, lower = environment.get("NO_PROXY", ""), environment.get("no_proxy", "")
    return {"NO_PROXY": _with_hosts(upper or lower), "no_proxy": _with_hosts(lower or upper)}


def _with_hosts(excepted: str) -> str:
    hosts = [host.strip() for host in excepted.split(",") if host.strip()]
    if hosts == [_EVERY_HOST]:
        return _EVERY_HOST
    return ",".join(dict.fromkeys([*hosts, *_OWN_HOSTS]))
