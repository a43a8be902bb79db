"""The requests that had no fixture: one record of each, and the index that keeps them."""
