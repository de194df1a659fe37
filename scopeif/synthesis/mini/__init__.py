"""Short instructions for very small models: constraints narrow a plan, and a short text is written to it."""
