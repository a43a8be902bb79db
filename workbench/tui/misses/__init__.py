"""The Misses tab."""
