"""The requests without a fixture: the rows of the list and their states."""
