"""The settings of uvicorn, for the server and for mocks in tests."""

from __future__ import annotations

from typing import Final, Literal

import uvicorn
from starlette.types import ASGIApp

from workbench.server.wire.connection import ConnectionProtocol

# Connections of a pool are reused after pauses; a suite must not lose the race with a close.
KEEP_ALIVE_SECONDS: Final = 75
# At shutdown, slow clients are dropped after this time.
STOP_SECONDS: Final = 1


def uvicorn_config(app: ASGIApp, *, loop: Literal["auto", "asyncio"] = "auto") -> uvicorn.Config:
    """For any application: nothing is taken from the environment, and uvicorn writes no log of its
    own.

    Args:
        loop: the event loop; ``auto`` is the fastest there is.
    """
    return uvicorn.Config(
        app,
        loop=loop,
        http=ConnectionProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        workers=1,  # else uvicorn reads WEB_CONCURRENCY
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
