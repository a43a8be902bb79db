"""Background workers: they bring logs, files and server events into the session."""
