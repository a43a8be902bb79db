"""The Evals tab."""
