"""Recorded runs: their journals, exchanges and forks; reports of evals."""
