"""JSON text and values: positions of values, edits that keep every other byte, layout."""
