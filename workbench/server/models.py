"""The models route: the models that stored requests ask for, and any other by its name."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from workbench.core.fixtures import FixtureError, read_value
from workbench.core.wire import json_body
from workbench.io.store import FixtureStore
from workbench.server.http import Request
from workbench.server.sending import Sender

PREFIX: Final = "/v1/models/"


class ModelsRoute:
    """Answers ``GET /v1/models`` and ``GET /v1/models/{id}``."""

    def __init__(self, store: FixtureStore, sender: Sender) -> None:
        self._store = store
        self._sender = sender

    async def list_all(self, request: Request) -> None:
        names = await asyncio.to_thread(_stored_models, self._store)
        body = json_body({"object": "list", "data": [_model(name) for name in names]})
        await self._sender.json(request, 200, body)

    async def retrieve(self, request: Request) -> None:
        """One model. There is any that is asked for, as in the chat route: clients look whether
        theirs exists. A name may hold slashes.
        """
        name = request.path.removeprefix(PREFIX)
        await self._sender.json(request, 200, json_body(_model(name)))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}


def _stored_models(store: FixtureStore) -> list[str]:
    """The models that stored requests ask for, sorted."""
    return sorted({model for digest in store.digests() if (model := _stored_model(store, digest))})


def _stored_model(store: FixtureStore, digest: str) -> str:
    try:
        data = store.read(digest)
        request: Any = read_value(data).get("request") if data is not None else None
    except (OSError, FixtureError):
        return ""
    model = request.get("model") if isinstance(request, dict) else None
    return model if isinstance(model, str) else ""
