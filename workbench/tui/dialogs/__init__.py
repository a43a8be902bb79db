"""Dialogs: help, pickers and questions."""
