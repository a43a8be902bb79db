"""The terminal application: it draws the session and calls its methods."""
