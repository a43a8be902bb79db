"""The routes of the server."""
