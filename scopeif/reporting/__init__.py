"""Static HTML report and plots."""
