"""Mocks and spies for an application's own functions and tools."""
