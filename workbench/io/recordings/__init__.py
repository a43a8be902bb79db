"""Recordings and eval reports on disk."""
