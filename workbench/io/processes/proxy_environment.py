"""The environment that makes the programs of a suite use our proxy, and trust its certificates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from workbench.io.network.certificates import trusted_roots
from workbench.io.network.proxy import Proxy
from workbench.io.processes.client_environment import (
    OFFLINE_VARIABLE,
    PROXY_VARIABLE,
    PROXY_VARIABLES,
    past_proxies,
)

_OTHER_PROXY_VARIABLES: Final = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
# Each names a file with all certificates that a client trusts.
_BUNDLE_VARIABLES: Final = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"),
    *("DENO_CERT", "CODEX_CA_CERTIFICATE"),
)
# Names those that Node.js trusts beside its own. With all of them it starts in twice the time.
_ADDED_VARIABLE: Final = "NODE_EXTRA_CA_CERTS"
# Names ours alone, for programs that keep certificates in a store of their own.
_OWN_VARIABLE: Final = "WORKBENCH_CERTIFICATE"
_HOOK: Final = Path(__file__).with_name("hook.cjs")


def proxy_variables(proxy: Proxy, hosts: str, before: Mapping[str, str]) -> dict[str, str]:
    """The variables that make programs use a running proxy.

    Args:
        hosts: a pattern for the names of intercepted hosts; "" for none.
    """
    variables = {PROXY_VARIABLE: proxy.url, "WORKBENCH_TLS_PORT": str(proxy.tls_port)}
    variables |= dict.fromkeys(PROXY_VARIABLES, proxy.url)
    variables["WORKBENCH_TLS_HOSTS"] = hosts
    # A path in quotes has escapes as in JSON.
    path = json.dumps(str(_HOOK), ensure_ascii=False)
    # Bun takes the quotes around the whole only, and Node.js around the path only.
    for name, option in (
        ("NODE_OPTIONS", f"--require {path}"),
        ("BUN_OPTIONS", f'"--preload={path[1:-1]}"'),
    ):
        variables[name] = " ".join(filter(None, (before.get(name), option)))
    return variables


def offline_variables(proxy: Proxy, refused: Path) -> dict[str, str]:
    """The variables that make programs use a proxy for everything that is not on this machine, and
    refuse connections without a proxy.

    Args:
        refused: the file that receives the refused places. It is created.

    Raises:
        OSError: the file cannot be created.
    """
    refused.touch()
    return {
        OFFLINE_VARIABLE: str(refused),
        **dict.fromkeys(_OTHER_PROXY_VARIABLES, proxy.url),
        # Even hosts that the user excepts are reached only through the proxy.
        **past_proxies({}),
    }


def trust_variables(authority: str, folder: Path, before: Mapping[str, str]) -> dict[str, str]:
    """The variables that make programs trust an authority in addition to the ones they already
    trust.

    Args:
        authority: its certificate, as PEM.
        folder: receives the files that the variables name.

    Raises:
        OSError: a file cannot be read or written.
    """
    without = {**dict.fromkeys(_BUNDLE_VARIABLES, trusted_roots()), _ADDED_VARIABLE: ""}
    trusted = {
        name: Path(own).read_text("utf-8", "replace") if (own := before.get(name)) else certificates
        for name, certificates in without.items()
    }
    variables = {}
    for name, certificates in {**trusted, _OWN_VARIABLE: ""}.items():
        file = folder / f"{name.lower()}.pem"
        file.write_text(f"{certificates}\n{authority}", "utf-8")
        variables[name] = str(file)
    return variables
