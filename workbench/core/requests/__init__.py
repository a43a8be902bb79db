"""Requests: differences, volatile parts and the nearest stored request."""
