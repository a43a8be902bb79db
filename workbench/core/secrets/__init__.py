"""Credentials and secrets: found by the names of their keys and by how they look."""
