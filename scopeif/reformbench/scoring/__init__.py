"""Probabilities, links and units to TCPR and EMCR."""
