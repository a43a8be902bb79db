"""The form of a fixture file as pydantic models: what each key means, what it may be.

They say what the validation rules say of a document's form, as far as a schema can. What takes more
(arguments that fit the tools of the request, names that fit the digest) is said by the rules alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema

from workbench.core.delivery import MAX_DELAY_MS
from workbench.core.digest import DIGEST_LENGTH
from workbench.core.fixtures import Source
from workbench.core.rules import RULES
from workbench.core.rules.response import FinishReason

_Text = str | None
_Count = Annotated[int, Field(ge=0)] | None
_Delay = Annotated[int, Field(ge=0, le=MAX_DELAY_MS)] | None
_Rule = Annotated[str, WithJsonSchema({"enum": list(RULES)})]
_Never = Annotated[Any, WithJsonSchema({"not": {}})]

# Keys that begin with _ are for remarks.
_REMARKS: Final[dict[str, Any]] = {"patternProperties": {"^_": {}}}
_MAY_BE_MISSING: Final[Any] = None


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, json_schema_extra=_REMARKS
    )


class Function(_Part):
    """The function that is called."""

    name: str = Field(min_length=1)
    """One of the tools that the request offers."""
    arguments: str = Field(json_schema_extra={"contentMediaType": "application/json"})
    """A JSON object, written as a string."""


class Call(_Part):
    """One call of a tool."""

    index: int = Field(ge=0)
    """Its place in the list, from 0. Clients that stream need it."""
    id: str = Field(min_length=1)
    """What the result of the call is named by; another for each call."""
    type: Literal["function"]
    """The kind of call; there is one."""
    function: Function


class Usage(_Part):
    """What the reply claims to have cost. Estimated where not given."""

    prompt_tokens: float = Field(_MAY_BE_MISSING, ge=0)
    """Tokens of the request. Estimated where not given."""
    completion_tokens: float = Field(_MAY_BE_MISSING, ge=0)
    """Tokens of the reply. Estimated where not given."""
    prompt_tokens_details: dict[str, Any] | None = None
    """What they are made up of, as cached_tokens. Sent as it is written by workbench serve
    --profile openai."""
    completion_tokens_details: dict[str, Any] | None = None
    """What they are made up of, as reasoning_tokens. Sent as it is written by workbench serve
    --profile openai."""
    total_tokens: _Never = None
    """Always the sum of the others; remove it."""


class Error(_Part):
    """An error of the API, sent in place of the reply."""

    status: Annotated[int, Field(ge=400, le=599)] | None = None
    """The HTTP status; 500 where it is not given."""
    message: _Text = None
    """What went wrong; that of the status where it is not given."""
    type: _Text = None
    """The type of the error, as invalid_request_error."""
    code: _Text = None
    """The code of the error, as rate_limit_exceeded."""
    retry_after: Annotated[float, Field(ge=0)] | None = None
    """Seconds, for the header Retry-After."""


def _given(key: str, **form: Any) -> dict[str, Any]:
    return {"required": [key], "properties": {key: form}}


_SAYS_SOMETHING: Final[Any] = [
    _given("content", type="string"),
    _given("tool_calls", type="array", minItems=1),
    _given("refusal", type="string", minLength=1),
    _given("error", type="object"),
    _given("disconnect_after", type="integer"),
]
_TWO_FAILURES: Final[Any] = {
    "allOf": [_given("error", type="object"), _given("disconnect_after", type="integer")]
}


class Response(_Part):
    """What is sent: a content, tool calls, a refusal, or a failure. error, disconnect_after and the
    delays work with workbench serve, refusal and reasoning with its profile openai."""

    model_config = ConfigDict(
        json_schema_extra={**_REMARKS, "anyOf": _SAYS_SOMETHING, "not": _TWO_FAILURES}
    )

    content: _Text = None
    """The text of the reply. JSON content is a string of JSON."""
    tool_calls: list[Call] | None = None
    """The calls the reply makes, sent as they are written."""
    finish_reason: FinishReason | None = None
    """Why the reply ends; stop where it is not given. With tool calls it is tool_calls."""
    usage: Usage = _MAY_BE_MISSING
    refusal: _Text = None
    """Why the model does not answer, in its words; with no content."""
    reasoning: _Text = None
    """What it thought before, sent as reasoning_content."""
    error: Error | None = None
    disconnect_after: _Count = None
    """So many frames of a stream are sent, then the connection is closed; a plain reply breaks off
    before its body. 0 closes it before anything is sent."""
    delay_ms: _Delay = None
    """The wait before the reply."""
    chunk_delay_ms: _Delay = None
    """The wait before each frame of a stream."""


class Own(_Part):
    """What the workbench keeps beside the reply."""

    allow: list[_Rule] | None = None
    """Names of the rules that this fixture may break."""
    source: Source = _MAY_BE_MISSING
    """How the fixture came to be."""


class Fixture(_Part):
    """A canned answer of the stub server, in a file named <digest>.json. Keys that begin with _ are
    for remarks."""

    model_config = ConfigDict(title="Fixture of an LLM stub server")

    editor_schema: str = Field(_MAY_BE_MISSING, alias="$schema")
    """The URL or path of this schema, for editors. No server reads it."""
    request_digest: Annotated[str, Field(pattern=f"^[0-9a-f]{{{DIGEST_LENGTH}}}$")] | None = None
    """The digest of the request, which is the file's name. For people: the server goes by the name
    alone."""
    description: Any = None
    """What the fixture is for, in words. Shown in lists and searched."""
    response: Response
    request: dict[str, Any] | None = None
    """The request this fixture answers, as it was sent. With it, the tools and schemas of the
    request are checked, and the fixture is found again when the request has changed."""
    workbench: Own | None = None


class _ForEditors(GenerateJsonSchema):
    """Without defaults, which editors would write, and titles that repeat the keys."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, _schema: object) -> bool:
        return False


def fixture_schema() -> dict[str, Any]:
    """The JSON Schema of a fixture file."""
    schema = Fixture.model_json_schema(schema_generator=_ForEditors)
    return {"$schema": _ForEditors.schema_dialect, **schema}
