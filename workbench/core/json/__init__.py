"""JSON values, and texts: positions of values, edits that keep every other byte, layout."""
