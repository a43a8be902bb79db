"""Reading, writing and watching files, whatever is in them."""
