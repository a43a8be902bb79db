"""Why a mock did not answer. Each goes out as an error of the API, and fails the test."""

from __future__ import annotations

from typing import ClassVar

from workbench.core.apis import unsupported
from workbench.core.inert import escaped_lines


class MockLLMError(Exception):
    """A request that a mock could not answer; the text says what to do.

    Attributes:
        code: of the API's error.
        status: of the HTTP reply. None that a client retries: the script would go on meanwhile.
        is_mistake: the test is wrong, or its application without an end, whatever the application
            makes of the error.
    """

    code: ClassVar[str] = "mock_llm_error"
    status: ClassVar[int] = 400
    is_mistake: ClassVar[bool] = False

    def __init__(self, text: str) -> None:
        super().__init__(escaped_lines(text))  # it quotes requests, and is printed


class NoReplyError(MockLLMError):
    """A miss: nothing scripted answers, and no fixture."""

    code = "fixture_not_found"
    status = 404


class UnsupportedRequestError(MockLLMError):
    """A request to a path that a mock does not speak."""

    code = unsupported.CODE
    status = unsupported.STATUS


class ScriptExhaustedError(MockLLMError):
    """The scripts that would answer have no reply left."""

    code = "script_exhausted"


class UndeclaredRoleError(MockLLMError):
    """A script is for a role that nothing says how to recognise."""

    code = "undeclared_role"
    is_mistake = True


class InvalidToolCallError(MockLLMError):
    """A scripted reply calls a tool that the request does not offer, or with arguments that do not
    fit the tool's schema: no model would, so the application is not tested with it by mistake.
    """

    code = "invalid_tool_call"
    is_mistake = True


class ReplyFunctionError(MockLLMError):
    """A function that was to make a reply raised, or made none."""

    code = "reply_function_failed"
    is_mistake = True


class TooManyCallsError(MockLLMError):
    """The application asked more often than ``max_calls``: it does not end by itself."""

    code = "too_many_calls"
    is_mistake = True


class UnknownRoleError(LookupError):
    """A role that was never declared, nor seen in a request: it is misspelt, or says nothing."""


class CallFailedError(Exception):
    """What a mock in the place of an application's function raises for ``Reply.error``."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
