"""Certificates for hosts that are not ours, by an authority that only one run of a suite trusts."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path


class Certificates:
    """An authority, whose key stays in memory, and the certificates that it issues.

    Args:
        covers: returns True for hosts that may get a certificate.

    Attributes:
        authority: its own certificate, as PEM.
    """

    def __init__(self, covers: Callable[[str], bool]) -> None:
        import trustme  # takes as long to load as a server to start

        self.covers = covers
        self._issuer = trustme.CA(organization_name="workbench run")
        self.authority = self._issuer.cert_pem.bytes().decode("ascii")
        self._contexts: dict[str, ssl.SSLContext] = {}

    def context(self, host: str = "") -> ssl.SSLContext:
        """The TLS context for a connection to ``host``, or to another covered host that the client
        names. Without ``host``, only the latter.
        """
        context = self._contexts.get(host)
        if context is None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.set_alpn_protocols(["http/1.1"])
            context.sni_callback = self._choose
            if host:
                self._issuer.issue_cert(host).configure_cert(context)
            self._contexts[host] = context
        return context

    def _choose(
        self, connection: ssl.SSLObject | ssl.SSLSocket, name: str | None, _: ssl.SSLContext
    ) -> int | None:
        """Choose the certificate for the name that a client sends; refuse any other host."""
        if name is None:
            return None
        host = name.lower()
        if not self.covers(host):
            return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)
        try:
            connection.context = self.context(host)
        except UnicodeError:  # no name can be so, as "-.openai.azure.com"
            return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)
        return None


def trusted_roots() -> str:
    """The certificates that programs on this machine trust, as PEM."""
    places = ssl.get_default_verify_paths()
    if places.cafile:
        return _text(Path(places.cafile))
    # Named by hashes, beside other names of the same certificates.
    files = sorted(Path(places.capath).glob("*.[0-9]")) if places.capath else []
    if files:
        return "\n".join(map(_text, files))
    import certifi  # what clients in Python trust by themselves

    return _text(Path(certifi.where()))


def _text(file: Path) -> str:
    return file.read_text("utf-8", "replace")
