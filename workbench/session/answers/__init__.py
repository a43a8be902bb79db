"""How a miss gets its answer, or is skipped: decisions, promotion, a real model."""
