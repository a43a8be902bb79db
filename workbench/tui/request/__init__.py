"""The pane of a request."""
