"""The terminal application: it draws the session and sends it what was asked for."""
