"""Why a mock did not answer. Each error is sent as an error of the API."""

from __future__ import annotations

from typing import ClassVar

from workbench.core.apis import unsupported
from workbench.core.replies.response import MISS_CODE
from workbench.core.text.inert import escaped_lines


class MockLLMError(Exception):
    """A request that a mock could not answer. The message tells you what to do, and the client
    receives it as an error of the API.

    Attributes:
        code: name of the error in the reply.
        status: HTTP status of the reply, one after which clients do not retry.
        is_mistake: True if the test fails even if the application handles the error. Other errors
            fail the test only with ``--llm-strict``.
    """

    code: ClassVar[str] = "mock_llm_error"
    status: ClassVar[int] = 400
    is_mistake: ClassVar[bool] = False

    def __init__(self, text: str) -> None:
        super().__init__(escaped_lines(text))  # it quotes requests, and is printed


class NoReplyError(MockLLMError):
    """No script and no fixture answers the request."""

    code = MISS_CODE
    status = 404


class UnsupportedRequestError(MockLLMError):
    """The path of the request is not supported."""

    code = unsupported.CODE
    status = unsupported.STATUS


class ScriptExhaustedError(MockLLMError):
    """A script matches the request, but all its replies are used."""

    code = "script_exhausted"


class UndeclaredRoleError(MockLLMError):
    """A script is for a role that is not declared."""

    code = "undeclared_role"
    is_mistake = True


class InvalidToolCallError(MockLLMError):
    """A scripted reply calls a tool that the request does not offer, or its arguments do not match
    the schema of the tool.
    """

    code = "invalid_tool_call"
    is_mistake = True


class InvalidOutputError(MockLLMError):
    """The content of a scripted reply does not fit the ``response_model`` of the call."""

    code = "invalid_output"
    is_mistake = True


class ReplyFunctionError(MockLLMError):
    """A reply function raised an exception, or did not return a ``Reply``."""

    code = "reply_function_failed"
    is_mistake = True


class TooManyCallsError(MockLLMError):
    """The application made more than ``max_calls`` calls."""

    code = "too_many_calls"
    is_mistake = True


class MockServerError(Exception):
    """The server of a mock cannot start, or this process must not connect to it. Use
    ``transport()``, or allow connections to 127.0.0.1.
    """


class UnknownRoleError(LookupError):
    """``calls(role)`` got a role that is not declared and that no request has."""


class CallFailedError(Exception):
    """An agent mock raises this for ``Reply.error``.

    Attributes:
        status: HTTP status of the error.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)  # the arguments, so that it can be pickled
        self.status = status

    def __str__(self) -> str:
        return ": ".join(map(str, self.args))
