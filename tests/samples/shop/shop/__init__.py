"""A bookshop whose customers ask a model about their orders."""
