"""The model of lists: filters, orders and the selection, for any kind of items."""
