"""Log files of servers: finding, reading and following them."""
