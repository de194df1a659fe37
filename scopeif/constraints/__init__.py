"""Taxonomy, instruction and constraint models, formal spec, data loading and conversion."""
