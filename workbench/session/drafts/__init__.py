"""Drafts of answers: written, edited, kept."""
