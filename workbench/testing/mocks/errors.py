"""Why a mock did not answer. Each error is sent as an error of the API."""

from __future__ import annotations

from typing import ClassVar

from workbench.core.apis import unsupported
from workbench.core.replies.response import MISS_CODE
from workbench.core.text.inert import escaped_lines


class MockLLMError(Exception):
    """A request that a mock could not answer; the text says what to do.

    Attributes:
        status: of the HTTP reply; one that clients do not retry, since scripts would advance.
        is_mistake: fails the test even if the application handles the error; others do so with
            ``--llm-strict``.
    """

    code: ClassVar[str] = "mock_llm_error"
    status: ClassVar[int] = 400
    is_mistake: ClassVar[bool] = False

    def __init__(self, text: str) -> None:
        super().__init__(escaped_lines(text))  # it quotes requests, and is printed


class NoReplyError(MockLLMError):
    """A miss: no script and no fixture answers."""

    code = MISS_CODE
    status = 404


class UnsupportedRequestError(MockLLMError):
    """A request to a path that a mock does not support."""

    code = unsupported.CODE
    status = unsupported.STATUS


class ScriptExhaustedError(MockLLMError):
    """All replies of the scripts that match are used."""

    code = "script_exhausted"


class UndeclaredRoleError(MockLLMError):
    """A script is for a role that nothing recognises."""

    code = "undeclared_role"
    is_mistake = True


class InvalidToolCallError(MockLLMError):
    """A scripted reply calls a tool that the request does not offer, or with arguments that do not
    match the tool's schema.
    """

    code = "invalid_tool_call"
    is_mistake = True


class InvalidOutputError(MockLLMError):
    """The content of a scripted reply does not fit the response model of the call."""

    code = "invalid_output"
    is_mistake = True


class ReplyFunctionError(MockLLMError):
    """A reply function raised an exception, or did not return a reply."""

    code = "reply_function_failed"
    is_mistake = True


class TooManyCallsError(MockLLMError):
    """The application made more than ``max_calls`` calls."""

    code = "too_many_calls"
    is_mistake = True


class MockServerError(Exception):
    """A mock cannot be asked over HTTP in this process; the text says why, and what to do."""


class UnknownRoleError(LookupError):
    """A role that was never declared, nor seen in a request."""


class CallFailedError(Exception):
    """What an agent mock raises for ``Reply.error``; ``status`` is that of the error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
