"""Preview the server's reply for a draft, and verify it."""
