"""HTTP as uvicorn speaks it, with connections that an application can close on its own."""

from __future__ import annotations

from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# The ASGI extension that closes the connection behind what was written: nothing more is sent.
CLOSE: Final = "workbench.close"


class Protocol(HttpToolsProtocol):
    """One connection."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {CLOSE: {"close": self.transport.close}}
