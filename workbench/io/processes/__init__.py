"""Processes: our server, the command of ``workbench run``, and what it starts."""
