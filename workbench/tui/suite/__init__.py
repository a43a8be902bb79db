"""The Suite tab: the output of the command of ``workbench run``."""
