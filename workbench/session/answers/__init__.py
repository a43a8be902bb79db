"""How a miss gets its answer, or is put aside: decisions, promotion, re-keying, a real model."""
