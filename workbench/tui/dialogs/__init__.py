"""The welcome card, and dialogs: the manual, pickers and questions."""
