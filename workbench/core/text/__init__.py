"""Text for people: made harmless, shortened, quoted for a shell; digests."""
