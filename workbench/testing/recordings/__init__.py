"""Recordings of an application, its checkpoints, and replay."""
