"""The workbench's state and use cases, without a user interface."""
