"""The requests without a fixture: rows of the list, and what is decided about them."""
