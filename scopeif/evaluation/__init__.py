"""IFEval, IFBench, our own test set, meta-evaluation, statistics, tables."""
