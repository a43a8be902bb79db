"""A sommelier: answers from a catalogue that it searches by filters or by meaning."""
