"""Recordings: their journals, exchanges and forks."""
