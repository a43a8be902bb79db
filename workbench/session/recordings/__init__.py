"""Recordings: their list, their exchanges, forks of them."""
