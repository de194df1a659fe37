"""Two judges, asked independently, and the compiled verifier as a third opinion."""
