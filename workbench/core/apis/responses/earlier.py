"""Earlier responses that a request of the Responses API continues, and items that it refers to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from workbench.core.apis.replies import References, UnknownIDError
from workbench.core.apis.responses import request
from workbench.core.apis.responses.read import reply_id
from workbench.core.apis.responses.response_object import items
from workbench.core.json.values import mapping, mappings, string
from workbench.core.replies.answer import Answer
from workbench.core.replies.content_encoding import MAX_BODY
from workbench.core.replies.response import ErrorReply
from workbench.core.request_body import RequestError
from workbench.core.requests.view import Payload
from workbench.core.text.wording import mebibytes

_KIND: Final = "invalid_request_error"


def _ids(payload: Payload) -> list[str]:
    earlier = request.earlier_id(payload)
    return [*([earlier] if earlier else []), *request.referred_ids(payload)]


def _resolve(payload: Payload, answers: Mapping[str, Answer]) -> Payload:
    if earlier := request.earlier_id(payload):
        if earlier not in answers:
            raise _unknown_response(earlier)
        payload = {**payload, request.EARLIER: _conversation(answers[earlier])}
    by_id, size = {}, 0
    for item_id, count in Counter(request.referred_ids(payload)).items():
        own = items(answers[item_id]) if item_id in answers else []
        item = next((item for item in own if item["id"] == item_id), None)
        if item is None:
            error = ErrorReply(404, f"Item with id '{item_id}' not found.", _KIND, param="input")
            raise UnknownIDError(
                error, "this server does not have an item that the request refers to"
            )
        by_id[item_id] = item
        size += count * len(json.dumps(item))
        if size > MAX_BODY:
            limit = mebibytes(MAX_BODY)
            raise RequestError(
                "too_long", f"the items that the request refers to are longer than {limit}"
            )
    return request.with_items(payload, by_id) if by_id else payload


def _conversation(answer: Answer) -> list[dict[str, Any]]:
    """The chat messages of an earlier request and of its reply. Instructions do not go on."""
    before, output = answer.request, items(answer)
    if before.api == request.NAME:
        whole = {"instructions": None, "input": [*request.input_items(before.payload), *output]}
        return request.messages({**before.payload, **whole})
    return [*before.raw_messages, *request.messages({"input": output})]


def _unknown_response(id: str) -> UnknownIDError:
    message = f"Previous response with id '{id}' not found."
    code = "previous_response_not_found"
    error = ErrorReply(400, message, _KIND, code, param="previous_response_id")
    reason = "this server does not have the response that the request continues"
    return UnknownIDError(error, reason, reply_id=id)


# To another server


def forwarded(body: Payload, resolved: Payload, is_own: Callable[[str], bool]) -> Payload:
    """The body to send to another server, which does not have the ids for which ``is_own`` is true:
    the ids of this server's replies, and of items in them.
    """
    sent = dict(body)
    if isinstance(values := body.get("input"), list):
        pairs = zip(values, resolved["input"], strict=True)
        sent["input"] = [kept for pair in pairs for kept in _without_id(*pair, is_own)]
    if is_own(request.earlier_id(body) or ""):
        del sent["previous_response_id"]
        earlier = _items(mappings(resolved.get(request.EARLIER)))
        sent["input"] = [*earlier, *request.input_items(sent)]
    return sent


def _without_id(listed: Any, item: Any, is_own: Callable[[str], bool]) -> Iterator[Any]:
    """An input item without its id, if that is ours; nothing where it has no other meaning."""
    if not is_own(string(mapping(listed).get("id"))):
        yield listed
    elif request.kind(item) not in ("reasoning", "item_reference"):
        yield {key: value for key, value in item.items() if key != "id"}


# Chat messages as input items


def _items(messages: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    custom = set()
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            call_id = message.get("tool_call_id")
            kind = "custom_tool_call" if call_id in custom else "function_call"
            output = _content(content, "input_text")
            yield {"type": f"{kind}_output", "call_id": call_id, "output": output}
            continue
        if content:
            text = "output_text" if role == "assistant" else "input_text"
            yield {"role": role, "content": _content(content, text)}
        for call in mappings(message.get("tool_calls")):
            if call.get("type") == "custom":
                custom.add(call.get("id"))
            yield _call(call)


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    kind = "custom" if call.get("type") == "custom" else "function"
    type_ = "custom_tool_call" if kind == "custom" else "function_call"
    return {"type": type_, "call_id": call.get("id"), **mapping(call.get(kind))}


def _content(content: object, text: str) -> object:
    """A content whose strings are converted to parts of the type ``text``."""
    return content if isinstance(content, str) else [_part(p, text) for p in mappings(content)]


def _part(part: dict[str, Any], text: str) -> dict[str, Any]:
    match part.get("type"):
        case "text":
            return {"type": text, "text": string(part.get("text"))}
        case "image_url":
            image = mapping(part.get("image_url"))
            url = string(image.get("url"))
            file = url.removeprefix("file:")
            where = {"image_url": url} if file == url else {"file_id": file}
            return {"type": "input_image", "detail": image.get("detail") or "auto", **where}
        case "file":
            return {"type": "input_file", **mapping(part.get("file"))}
    return part


REFERENCES: Final = References(_ids, _resolve, reply_id, forwarded)
