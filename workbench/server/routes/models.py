"""The models route: the models that stored requests ask for, and any other by its name."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from workbench.core.json.values import mapping, string
from workbench.io.fixtures.store import FixtureStore
from workbench.server.wire.responses import json_response


class ModelsRoute:
    """Answers ``GET /v1/models`` and ``GET /v1/models/{id}``."""

    def __init__(self, store: FixtureStore) -> None:
        self._store = store

    async def list_all(self, request: Request) -> Response:  # noqa: ARG002
        names = await asyncio.to_thread(_stored_models, self._store)
        models = [_model(name) for name in names]
        return json_response({"object": "list", "data": models})

    async def retrieve(self, request: Request) -> Response:
        """One model. There is any that is asked for, as in the chat route: clients look whether
        theirs exists. A name may hold slashes.
        """
        name = request.path_params["name"]
        if not name:
            raise HTTPException(404)
        return json_response(_model(name))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}


def _stored_models(store: FixtureStore) -> list[str]:
    """The models that stored requests ask for, sorted."""
    return sorted({model for digest in store.digests() if (model := _stored_model(store, digest))})


def _stored_model(store: FixtureStore, digest: str) -> str:
    fixture = store.current(digest) or {}
    return string(mapping(fixture.get("request")).get("model"))
