"""From a response to the outcome of each of its constraints."""
