"""Recordings of other tools, read as captures."""
