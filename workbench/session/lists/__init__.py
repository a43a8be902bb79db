"""What lists show: filters, orders and the selection, whatever the items are."""
