"""Google's client."""

from __future__ import annotations

from typing import Any

from tests.clients.agents.weather import WARM_SCHEMA, get_weather
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, client

MODEL = "gemini-2.5-flash"


def ask(mode: str, **options: Any) -> str:
    """Ask with the client that these options make."""
    from google import genai
    from google.genai import types

    client = genai.Client(**options)
    if mode == STRUCTURED:
        form = types.GenerateContentConfig(
            response_mime_type="application/json", response_json_schema=WARM_SCHEMA
        )
        reply = client.models.generate_content(
            model=MODEL, contents=STRUCTURED_QUESTION, config=form
        )
        return str(reply.text)
    config = types.GenerateContentConfig(tools=[get_weather])
    chat = client.chats.create(model=MODEL, config=config)
    if mode == STREAM:
        return "".join(chunk.text or "" for chunk in chat.send_message_stream(QUESTION))
    return str(chat.send_message(QUESTION).text)


@client("gemini", "gemini", "google-genai")
def gemini(mode: str) -> str:
    return ask(mode)


@client(
    "gemini-vertex",
    "gemini",
    "google-genai",
    part="`vertexai=True`",
    needs='`api_key="x"`, or have Google credentials',
)
def gemini_vertex(mode: str) -> str:
    return ask(mode, vertexai=True, api_key="x")
