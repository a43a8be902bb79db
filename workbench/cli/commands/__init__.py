"""The verbs of the ``workbench`` command, a module each, imported only when it is called."""
