"""Recorded runs and eval reports on disk."""
