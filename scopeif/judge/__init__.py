"""The judge model: prompts, client, parsing, cache."""
