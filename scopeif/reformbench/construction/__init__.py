"""From questions to a benchmark folder, stage by stage."""
