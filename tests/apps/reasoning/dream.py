"""A dream: the agents in turn, as long as there is anything new."""

from __future__ import annotations

from dataclasses import dataclass

from tests.apps.reasoning.abducer import Abducer
from tests.apps.reasoning.falsifier import Falsifier
from tests.apps.reasoning.inductor import Inductor
from tests.apps.reasoning.memory import Memory
from tests.apps.reasoning.predictor import Predictor


@dataclass
class Metrics:
    iterations: int = 0
    hypotheses_generated: int = 0
    predictions_generated: int = 0
    predictions_tested: int = 0
    inductions_created: int = 0


async def process_reasoning_dream(
    memory: Memory, *, min_observations_threshold: int = 5, max_iterations: int = 3
) -> Metrics:
    """Reason about what was observed, if that is enough; at most ``max_iterations`` times."""
    metrics = Metrics()
    if len(memory.premises) < min_observations_threshold:
        return metrics
    while metrics.iterations < max_iterations:
        metrics.iterations += 1
        created = await Abducer(memory).execute()
        if not created:
            break
        metrics.hypotheses_generated += created
        metrics.predictions_generated += await Predictor(memory).execute()
        while memory.untested():
            judged = await Falsifier(memory).execute()
            if not judged:
                break
            metrics.predictions_tested += judged
        metrics.inductions_created += await Inductor(memory).execute()
    return metrics
