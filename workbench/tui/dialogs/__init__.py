"""Dialogs: the welcome card, the manual, pickers and questions."""
