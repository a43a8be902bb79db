"""The APIs: reading their requests, writing and reading their replies."""
