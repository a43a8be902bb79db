"""The pictures of README and manual, taken of the running application."""
