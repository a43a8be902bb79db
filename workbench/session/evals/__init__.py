"""The reports of golden queries: their list and their queries."""
