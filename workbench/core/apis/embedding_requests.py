"""What requests for embeddings ask for: as the reference server reads them, and as OpenAI does."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.apis.chat.request import Payload, estimate_tokens
from workbench.core.apis.embeddings import DIMENSIONS, MOST_DIMENSIONS, Embeddings, seed
from workbench.core.digest import RequestError, json_type
from workbench.core.log.lines import IgnoredOption

# Of one request, as the OpenAI API has it.
MOST_INPUTS: Final = 2048
_DEFAULT_MODEL: Final = "text-embedding-3-small"


def read_as_reference(payload: Payload) -> Embeddings:
    """The reply as the reference server reads a request: what is not a string counts as its Python
    text, so a list of token numbers is that many inputs, and other options are ignored.

    Raises:
        RequestError: there are too many inputs, or one cannot be hashed.
    """
    given = payload.get("input", "")
    items = given if isinstance(given, list) else [given]
    hint = ""
    if items and all(map(_is_integer, items)):
        hint = "; --profile openai reads a list of token numbers as one input"
    _check_count(items, hint)
    texts = [item if isinstance(item, str) else str(item) for item in items]
    tokens = sum(map(estimate_tokens, texts))
    return Embeddings(_seeds(texts), tokens, payload.get("model") or _DEFAULT_MODEL)


def read_as_openai(payload: Payload) -> Embeddings:
    """The reply as the OpenAI API reads a request: an input is a text or a list of token numbers.

    Raises:
        RequestError: the request is one that the API refuses.
    """
    inputs = _inputs(payload.get("input"))
    model = payload.get("model")
    if model is not None and not isinstance(model, str):
        raise _invalid("model", f"is {json_type(model)}; expected a string")
    return Embeddings(
        # Tokens have no text here: their list stands for it.
        _seeds([item if isinstance(item, str) else str(item) for item in inputs]),
        sum(estimate_tokens(item) if isinstance(item, str) else len(item) for item in inputs),
        model or _DEFAULT_MODEL,
        dimensions=_dimensions(payload.get("dimensions")),
        is_base64=_is_base64(payload.get("encoding_format")),
        has_id=True,
    )


def ignored_options(payload: Payload) -> list[IgnoredOption]:
    """What a request asks for that the reference server ignores."""
    found: list[IgnoredOption] = []
    if payload.get("encoding_format") not in (None, "float"):
        found.append("encoding_format")
    if payload.get("dimensions") not in (None, DIMENSIONS):
        found.append("dimensions")
    given = payload.get("input")
    if isinstance(given, list) and len(given) > 1 and all(map(_is_integer, given)):
        found.append("that input is one list of tokens")
    return found


def _inputs(given: Any) -> list[str | list[int]]:
    """The inputs, one for each vector."""
    if given is None:
        raise _invalid("input", "is missing")
    if isinstance(given, str) or (isinstance(given, list) and given and _is_integer(given[0])):
        given = [given]
    if not isinstance(given, list):
        raise _invalid("input", f"is {json_type(given)}; expected a string or a list")
    if not given:
        raise _invalid("input", "is an empty list; expected at least one input")
    _check_count(given)
    for number, item in enumerate(given):
        where = f"input[{number}]" if len(given) > 1 else "input"
        if not isinstance(item, str | list):
            raise _invalid(where, f"is {json_type(item)}; expected a string or a list of tokens")
        if not item:
            raise _invalid(where, "is empty")
        if isinstance(item, list) and not all(map(_is_integer, item)):
            raise _invalid(where, "is a list that holds something else than tokens")
    return given


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _dimensions(given: Any) -> int | None:
    if given is None:
        return None
    if not _is_integer(given):
        raise _invalid("dimensions", f"is {json_type(given)}; expected a whole number")
    if not 1 <= given <= MOST_DIMENSIONS:
        raise _invalid("dimensions", f"must be from 1 to {MOST_DIMENSIONS:,}")
    return int(given)


def _is_base64(given: Any) -> bool:
    if given not in (None, "float", "base64"):
        raise _invalid("encoding_format", 'is neither "float" nor "base64"')
    return bool(given == "base64")


def _check_count(items: list[Any], hint: str = "") -> None:
    if len(items) > MOST_INPUTS:
        raise RequestError(
            "too_many_inputs", f"input holds {len(items):,} items; at most {MOST_INPUTS:,}{hint}"
        )


def _seeds(texts: list[str]) -> tuple[int, ...]:
    return tuple(map(seed, texts))


def _invalid(where: str, why: str) -> RequestError:
    return RequestError("invalid_value", f"{where} {why}")
