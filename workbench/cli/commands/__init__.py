"""The commands of ``workbench``, a module each, imported only when it is called."""
