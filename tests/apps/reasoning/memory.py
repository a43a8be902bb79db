"""What the agents know and find out, in the place of a database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Memory:
    """Records of one observer about one user, by kind, each with an ``id``."""

    premises: list[dict[str, Any]] = field(default_factory=list)
    hypotheses: list[dict[str, Any]] = field(default_factory=list)
    predictions: list[dict[str, Any]] = field(default_factory=list)
    falsifications: list[dict[str, Any]] = field(default_factory=list)
    inductions: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, *observations: str) -> Memory:
        return cls([{"id": f"p{n}", "content": text} for n, text in enumerate(observations, 1)])

    def untested(self) -> list[dict[str, Any]]:
        """The predictions that nobody has tried to falsify."""
        tested = {record["prediction_id"] for record in self.falsifications}
        return [prediction for prediction in self.predictions if prediction["id"] not in tested]
