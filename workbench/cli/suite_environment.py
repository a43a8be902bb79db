"""The environment of a suite and, with ``--intercept`` or ``--offline``, its proxy."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workbench.cli.output import print_message
from workbench.core.text.wording import shortlist
from workbench.core.user_error import UserError
from workbench.io.processes.client_environment import client_environment

if TYPE_CHECKING:
    from workbench.io.network.proxy import Proxy
    from workbench.io.settings import Settings


class SuiteEnvironment(NamedTuple):
    """The environment of a suite, and the proxy that it names, if there is one."""

    variables: Mapping[str, str]
    proxy: Proxy | None = None


@contextlib.contextmanager
def suite_environment(
    url: str, settings: Settings, notes: list[str], *, is_offline: bool
) -> Iterator[SuiteEnvironment]:
    """The environment of a suite whose clients find the server at ``url``; its proxy ends with the
    context.

    Args:
        notes: receives a sentence if clients would bypass the proxy for some hosts.

    Raises:
        UserError: the user's proxy cannot be used, or the certificates cannot be written.
    """
    if not (settings.intercept or is_offline):
        yield SuiteEnvironment(client_environment(url, os.environ))
        return
    # Loaded with these options only.
    from workbench.core.apis.hosts import Hosts
    from workbench.io.network.certificates import Certificates
    from workbench.io.network.offline import read_refused
    from workbench.io.network.proxy import Proxy
    from workbench.io.network.user_proxy import UserProxy
    from workbench.io.processes.proxy_environment import (
        offline_variables,
        proxy_variables,
        trust_variables,
    )

    hosts = Hosts(settings.intercept_hosts)
    user_proxy = None if is_offline else UserProxy.of(os.environ)
    # Nobody else on this machine may use the credentials of the user.
    has_credentials = user_proxy is not None and bool(user_proxy.credentials)
    proxy = Proxy(
        server_url=url,
        certificates=Certificates(hosts.has if settings.intercept else lambda _: False),
        user_proxy=user_proxy,
        password=secrets.token_urlsafe() if has_credentials else "",
        is_offline=is_offline,
    )
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder, proxy:
        refused = Path(folder) / "refused"
        more = proxy_variables(proxy, hosts.pattern if settings.intercept else "", os.environ)
        if is_offline:
            more |= offline_variables(proxy, refused)
        if settings.intercept:
            try:
                more |= trust_variables(proxy.certificates.authority, Path(folder), os.environ)
            except OSError as error:
                raise UserError(f"the certificates cannot be read: {error}") from None
        variables = client_environment(url, os.environ, more, is_intercepted=settings.intercept)
        past = [*map(hosts.excepted_by, (variables["NO_PROXY"], variables["no_proxy"]))]
        if settings.intercept and (excepted := dict.fromkeys(chain.from_iterable(past))):
            note = (
                f"NO_PROXY excludes {shortlist(excepted)} from the proxy, so requests to these "
                "hosts are not intercepted."
            )
            print_message("warning", note)
            notes.append(note)
        yield SuiteEnvironment(variables, proxy)
        if is_offline:
            proxy.refused += read_refused(refused)
