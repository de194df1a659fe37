"""The studies of the paper beside its main results: each turns scored benchmarks or annotations into one table."""
