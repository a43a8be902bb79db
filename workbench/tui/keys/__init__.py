"""The keys: what they run, in which order they act, and where one finds them."""
