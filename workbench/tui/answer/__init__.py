"""The response editor."""
