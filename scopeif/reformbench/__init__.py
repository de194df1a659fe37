"""The ReFormBench benchmark, from construction to report."""
