"""The Recordings tab."""
