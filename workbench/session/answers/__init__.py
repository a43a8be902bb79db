"""How a miss gets its answer, or is put aside: decisions, promotion, a real model."""
