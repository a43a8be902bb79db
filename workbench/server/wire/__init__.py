"""Reading requests and sending replies."""
