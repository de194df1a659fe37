"""The disagreements that a person reviews: strata, sample sizes, review files, the reviewer."""
