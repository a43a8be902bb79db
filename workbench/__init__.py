"""An interactive workbench, stub server and validator for canned LLM responses."""

__version__ = "0.2.0"
