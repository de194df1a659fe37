"""A benchmark's results as a folder of tables and figures (sections 4 and 5, appendix of the paper)."""
