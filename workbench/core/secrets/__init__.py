"""Credentials and secrets: found, masked and kept from every disk."""
