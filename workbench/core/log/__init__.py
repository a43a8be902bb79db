"""The log of a stub server: its lines, found and parsed."""
