"""What a request without a fixture gets: an equivalent one, a recording, a wait, an error."""
