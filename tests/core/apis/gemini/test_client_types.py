"""The types of the official client accept every reply, and know every key of it."""

from __future__ import annotations

import json
from typing import Any

from google.genai import types

from tests.cases import each_case
from tests.core.apis.gemini.asking import array, found, plain
from tests.core.apis.gemini.test_shapes import RESPONSES


@each_case("case", list(RESPONSES))
def test_the_client_knows_every_key(case: str) -> None:
    answer = found(**RESPONSES[case])
    for value in (json.loads(plain(answer)), *json.loads(array(answer))):
        # It refuses keys that it does not know.
        read = types.GenerateContentResponse.model_validate(value)
        assert without_empty(read.model_dump(mode="json", by_alias=True)) == without_empty(value)


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        found = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in found.items() if item not in (None, {}, [])}
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    return value
