"""Views of lines: laid out, wrapped, folded and searched."""
