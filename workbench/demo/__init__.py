"""Sample traffic and fixtures for ``workbench --demo``."""
