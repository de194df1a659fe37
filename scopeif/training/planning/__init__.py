"""What a run will need, from its config alone: GPUs, memory, disk, judge and hours. Formulas: docs/configuration.md."""
