"""What Converse sends is read by the parsers of AWS's own client, and by ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer
from botocore.model import OperationModel
from botocore.parsers import EventStreamJSONParser, create_parser
from botocore.session import Session

from tests.cases import each_case
from tests.core.apis.converse.sample import DIGEST, PLAIN, STREAM, answered, call, plain, streamed
from workbench.core.apis.converse import API
from workbench.core.apis.converse.read import ends_stream, read
from workbench.core.apis.converse.write import WRITER
from workbench.core.replies.proof import prove
from workbench.core.replies.response import ErrorReply, NotAReplyError

USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 8}}
RESPONSES: dict[str, dict[str, Any]] = {
    "text": {"content": "It is sunny in Rome, 21 °C.", "finish_reason": "stop"},
    "nothing": {"content": "", "finish_reason": "stop"},
    "length": {"content": "It is", "finish_reason": "length"},
    "filter": {"content": "", "finish_reason": "content_filter"},
    "refusal": {"content": "", "finish_reason": "stop", "refusal": "I can't help with that."},
    "thoughts": {"content": "42", "finish_reason": "stop", "reasoning": "6 by 7."},
    "usage": {"content": "Counted.", "finish_reason": "stop", "usage": USAGE},
    "calls": {
        "content": "Let me look.",
        "tool_calls": [call("get_weather", '{"city":"Rome"}'), call("list_cities", index=1)],
        "finish_reason": "tool_calls",
    },
    "malformed": {"content": "", "finish_reason": "malformed_tool_use"},
}


@pytest.fixture(scope="module")
def operation() -> OperationModel:
    return Session().get_service_model("bedrock-runtime").operation_model("ConverseStream")


def parsed(stream: bytes, operation: OperationModel) -> Iterator[dict[str, Any]]:
    """The events as boto3 has them."""
    shape = operation.output_shape.members["stream"]
    buffer = EventStreamBuffer()
    for start in range(0, len(stream), 7):
        buffer.add_data(stream[start : start + 7])
        for event in buffer:
            values = EventStreamJSONParser().parse(event.to_response_dict(), shape)
            values.pop("ResponseMetadata", None)
            if values:
                yield values


@each_case("response", [*RESPONSES.values()])
def test_a_stream_is_read_by_boto3_as_the_plain_reply(
    response: dict[str, Any], operation: OperationModel
) -> None:
    events = list(parsed(streamed(response), operation))
    names = [next(iter(event)) for event in events]
    assert names[0] == "messageStart"
    assert names[-2:] == ["messageStop", "metadata"]
    deltas = [event["contentBlockDelta"] for event in events if "contentBlockDelta" in event]
    texts = "".join(delta["delta"].get("text", "") for delta in deltas)
    inputs = dict[int, str]()
    for delta in deltas:
        if "toolUse" in delta["delta"]:
            index = delta["contentBlockIndex"]
            inputs[index] = inputs.get(index, "") + delta["delta"]["toolUse"]["input"]
    reply = json.loads(plain(response))
    content = reply["output"]["message"]["content"]
    assert texts == "".join(block.get("text", "") for block in content)
    calls = [block["toolUse"]["input"] for block in content if "toolUse" in block]
    assert [json.loads(text or "{}") for text in inputs.values()] == calls
    assert events[-2]["messageStop"]["stopReason"] == reply["stopReason"]
    assert events[-1]["metadata"]["usage"] == reply["usage"]
    assert names.count("contentBlockStop") == len(content)


@each_case("response", [*RESPONSES.values()])
def test_what_is_written_is_read(response: dict[str, Any]) -> None:
    for kind, body in ((PLAIN, plain(response)), (STREAM, streamed(response))):
        reading = read(kind, body)
        usage = {"usage": reading.response["usage"], **response}["usage"]
        assert reading.response == {**response, "usage": usage}
        assert reading.left_out == []
    assert prove(API.replies.assemble, STREAM, streamed(response), plain(response)).holds


def test_tokens_of_a_cache_count_apart() -> None:
    usage = json.loads(plain(RESPONSES["usage"]))["usage"]
    assert usage == {
        "inputTokens": 12,
        "outputTokens": 5,
        "totalTokens": 25,
        "cacheReadInputTokens": 8,
        "cacheWriteInputTokens": 0,
    }


@each_case(
    "status, given, kind, late",
    [
        (400, "", "ValidationException", "validationException"),
        (401, "", "UnrecognizedClientException", "internalServerException"),
        (403, "", "AccessDeniedException", "internalServerException"),
        (404, "", "ResourceNotFoundException", "internalServerException"),
        (422, "", "ValidationException", "validationException"),
        (424, "", "ModelErrorException", "modelStreamErrorException"),
        (429, "", "ThrottlingException", "throttlingException"),
        (429, "ModelNotReadyException", "ModelNotReadyException", "internalServerException"),
        (500, "", "InternalServerException", "internalServerException"),
        (503, "server_error", "ServiceUnavailableException", "serviceUnavailableException"),
        (529, "", "InternalServerException", "internalServerException"),
    ],
)
def test_errors_as_boto3_reads_them(
    status: int, given: str, kind: str, late: str, operation: OperationModel
) -> None:
    error = ErrorReply(status, "Slow down.", given, retry_after=2)
    reply = WRITER.error_reply(error)
    headers = {name.lower(): value for name, value in reply.headers}
    assert headers["retry-after"] == "2"
    raw = {"status_code": status, "headers": headers, "body": reply.body}
    described = create_parser("rest-json").parse(raw, operation.output_shape)["Error"]
    assert (described["Code"], described["Message"]) == (kind, "Slow down.")
    late_reply = WRITER.late_reply(error, answered(RESPONSES["text"]))
    (event,) = parsed(late_reply.body, operation)
    assert event["Error"] == {"Code": late, "Message": "Slow down."}
    with pytest.raises(NotAReplyError, match=rf"is an error: {late}: Slow down\."):
        read(STREAM, late_reply.body)


def test_what_is_sent_while_a_client_waits_is_no_event(operation: OperationModel) -> None:
    assert list(parsed(WRITER.waiting, operation)) == []
    response = RESPONSES["text"]
    waited = read(STREAM, WRITER.waiting + streamed(response))
    assert waited.response["content"] == response["content"]
    assert waited.left_out == []


def test_the_last_event_ends_a_stream() -> None:
    stream = streamed(RESPONSES["calls"])
    assert ends_stream(stream)
    assert not any(ends_stream(stream[:end]) for end in range(len(stream)))


def test_a_request_has_an_id_of_the_form_that_aws_gives() -> None:
    headers = dict(WRITER.headers(answered({})))
    request_id = headers["x-amzn-RequestId"]
    assert [len(part) for part in request_id.split("-")] == [8, 4, 4, 4, 12]
    assert DIGEST.startswith(request_id.replace("-", ""))
