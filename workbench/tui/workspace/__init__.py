"""What is around a subject: tab and panes, its view, and what is done to it there."""
