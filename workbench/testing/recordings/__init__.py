"""Recorded runs of an application: checkpoints and replay."""
