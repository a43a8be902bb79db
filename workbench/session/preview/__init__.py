"""What the server will send for a draft, and whether it does."""
