"""The suite of ``workbench run``: its state, its output, its requests."""
