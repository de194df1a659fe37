"""Labels and adjudications to pass probabilities."""
