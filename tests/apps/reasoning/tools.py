"""The tools of the agents, with what each requires of its input."""

from __future__ import annotations

from typing import Any

CONFIDENCE_THRESHOLD = 0.6

_TEXT = {"type": "string", "minLength": 1}
_ANY_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_SURE = {"type": "number", "minimum": CONFIDENCE_THRESHOLD}


def _tool(name: str, **properties: Any) -> dict[str, Any]:
    return {
        "name": name,
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
        },
    }


CREATE_HYPOTHESIS = _tool(
    "create_hypothesis",
    content=_TEXT,
    source_premise_ids={"type": "array", "items": _ANY_TEXT, "minItems": 1},
    confidence=_SURE,
    tier={"type": "integer"},
)
CREATE_PREDICTION = _tool(
    "create_prediction",
    content=_TEXT,
    tier={"type": "integer"},
    confidence=_NUMBER,
    specificity=_NUMBER,
)
GENERATE_SEARCH_QUERY = _tool("generate_search_query", query=_ANY_TEXT, strategy=_ANY_TEXT)
EVALUATE_PREDICTION = _tool(
    "evaluate_prediction",
    evidence_summary=_ANY_TEXT,
    confidence=_SURE,
    determination={"enum": ["falsified", "unfalsified", "untested"]},
)
CREATE_INDUCTION = _tool(
    "create_induction",
    content=_TEXT,
    pattern_type=_ANY_TEXT,
    confidence=_NUMBER,
    pattern_strength=_NUMBER,
    generalization_scope=_ANY_TEXT,
)
