"""The surroundings of a subject: tab and panes, its view, and the actions on it."""
