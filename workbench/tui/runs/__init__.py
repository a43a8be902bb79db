"""The Runs tab."""
