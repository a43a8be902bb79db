"""The recorded runs: their list, their exchanges, forks of them."""
