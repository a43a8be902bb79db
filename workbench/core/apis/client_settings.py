"""The environment variables of client libraries, and the headers of their keys: the form of the
tables beside each API.
"""

from __future__ import annotations

from typing import Final, NamedTuple

PLACEHOLDER_KEY: Final = "workbench"
"""The key of clients that were given none: they refuse to start without one."""


SIGNATURE: Final = "AWS4-HMAC-SHA256 "
"""What begins a header that has no key, but a signature for one host; others refuse it."""


class ClientVariable(NamedTuple):
    """A variable that client libraries read, which ``workbench run`` sets.

    Attributes:
        value: of a base URL, the path after the URL of the server; of any other, its value.
        clients: the libraries that read it, for the manual.
    """

    name: str
    value: str
    clients: str

    @property
    def is_key(self) -> bool:
        """True if its value is a key."""
        return self.name.endswith("_KEY")


class ClientSettings(NamedTuple):
    """The environment variables of clients, and how they send their key.

    Attributes:
        base_variable: the variable of the official client's base URL.
        base_path: the end of that base URL: ``/v1``, or "".
        key_variable: the variable of its key.
        key_prefix: the text before the key in its header.
        key_parameter: the query parameter that may contain the key instead, or "".
        headers: headers of each request, beside the ones that describe the client.
        clients: the libraries that read the two variables, for the manual.
        base_urls: the variables of base URLs that other clients read.
        placeholders: other variables that clients require, such as keys; each is set if it is not
            set yet.
        taken_out: variables to unset, because they contradict the base URLs.
        other_key_headers: the headers in which other clients send their key, each with its prefix.
        wants_key: True if clients refuse to start without a key in ``key_variable``.
        hosts: default hosts of clients without a base URL, the API's own first; ``*`` matches a
            part of a name that has no dot.
        endpoints: variables, including keys, that clients require before they send a request to one
            of the hosts; each is set if it is not set yet and these hosts are intercepted. A key
            has the value of ``key_variable``.
        user_agent: how the User-Agent of official clients begins; "" for an API that has unique
            paths or a header of its own.
    """

    base_variable: str
    base_path: str
    key_variable: str
    key_header: str
    key_prefix: str = ""
    key_parameter: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    clients: str = ""
    base_urls: tuple[ClientVariable, ...] = ()
    placeholders: tuple[ClientVariable, ...] = ()
    taken_out: tuple[str, ...] = ()
    other_key_headers: tuple[tuple[str, str], ...] = ()
    hosts: tuple[str, ...] = ()
    endpoints: tuple[ClientVariable, ...] = ()
    user_agent: str = ""
    wants_key: bool = True

    @property
    def key_headers(self) -> dict[str, str]:
        """The headers in which clients send their key, each with its prefix; the official client's
        first.
        """
        return {self.key_header: self.key_prefix, **dict(self.other_key_headers)}

    @property
    def all_base_urls(self) -> tuple[ClientVariable, ...]:
        """The variables of base URLs, the official client's first."""
        own = ClientVariable(self.base_variable, self.base_path, self.clients)
        return (own, *self.base_urls)

    @property
    def all_placeholders(self) -> tuple[ClientVariable, ...]:
        """The variables that are set if they are not set yet, the official client's key first."""
        own = ClientVariable(self.key_variable, PLACEHOLDER_KEY, self.clients)
        return (own, *self.placeholders) if self.wants_key else self.placeholders
