"""The words that the Messages API has for what a fixture says."""

from __future__ import annotations

from typing import Final

# From our words to those of the API. Other words are sent and read unchanged.
STOP_REASONS: Final = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
FINISH_REASONS: Final = {
    **{theirs: ours for ours, theirs in STOP_REASONS.items()},
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "model_context_window_exceeded": "length",
}
REFUSAL: Final = "refusal"
