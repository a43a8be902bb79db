"""The same replies from a framework: uvicorn and Starlette, without fixtures, digests or a log."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

PIECES = 5


def part(delta: dict[str, str]) -> dict[str, object]:
    return {
        "id": "chatcmpl-echo",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
    }


async def chat(request: Request) -> Response:
    payload = await request.json()
    text = "The same reply from a framework, of the length that ours has here."
    if payload.get("stream"):
        return StreamingResponse(frames(text), media_type="text/event-stream")
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return JSONResponse({**part({}), "choices": [choice], "usage": usage})


async def frames(text: str) -> AsyncIterator[str]:
    size = -(-len(text) // PIECES)
    yield f"data: {json.dumps(part({'role': 'assistant', 'content': ''}))}\n\n"
    for start in range(0, len(text), size):
        yield f"data: {json.dumps(part({'content': text[start : start + size]}))}\n\n"
    yield "data: [DONE]\n\n"


async def health(_: Request) -> Response:
    return PlainTextResponse("ok")


app = Starlette(
    routes=[
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/healthz", health),
    ]
)
