"""The body of a request: a JSON object, or what is wrong with it."""

from __future__ import annotations

import codecs
import json
from typing import Any

from workbench.core.json.syntax import MAX_DEPTH, is_too_deep
from workbench.core.json.values import json_type


class RequestError(ValueError):
    """A body that is not a valid request. The message contains the reason and the place.

    Attributes:
        code: a stable name for programs: ``invalid_json``, ``not_utf8``, ``not_an_object``,
            ``integer_too_long``, ``too_long``, ``too_deep`` or ``lone_surrogate``; for embeddings
            also ``invalid_value`` or ``too_many_inputs``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def parse_request(body: bytes | str) -> dict[str, Any]:
    """The JSON object in ``body``.

    Raises:
        RequestError: for anything else. The reference stub reads such a body as ``{}``; the
            digest of that would be useless, so it is refused on purpose.
    """
    if not body.strip():
        raise RequestError("invalid_json", "the body is empty")
    try:
        # Of bytes, json.loads would guess UTF-16 and UTF-32, too. It removes no byte order mark.
        text = body if isinstance(body, str) else body.removeprefix(codecs.BOM_UTF8).decode()
        payload = json.loads(text)
    except UnicodeDecodeError as error:
        raise RequestError(
            "not_utf8", f"the body is not UTF-8: byte {error.start} cannot be read"
        ) from None
    except json.JSONDecodeError as error:
        raise RequestError(
            "invalid_json",
            f"the body is not JSON: line {error.lineno}, column {error.colno}: {error.msg}",
        ) from None
    except RecursionError:
        raise RequestError("too_deep", "the body is nested too deeply") from None
    except ValueError as error:
        # The only other ValueError of json.loads: an integer over sys.get_int_max_str_digits().
        raise RequestError(
            "integer_too_long", f"the body contains a number that is too long ({error})"
        ) from None
    if not isinstance(payload, dict):
        raise RequestError(
            "not_an_object", f"the body is {json_type(payload)}; a request is a JSON object"
        )
    if is_too_deep(body, payload, MAX_DEPTH - 1):
        raise RequestError("too_deep", f"the body is nested {MAX_DEPTH} deep or more")
    return payload
