"""What the scripts of launch/ run inside a SLURM job: a Ray cluster with one training run, or servers of the judge."""
