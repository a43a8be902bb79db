"""Golden queries: what is expected of an answer, checks, results."""
