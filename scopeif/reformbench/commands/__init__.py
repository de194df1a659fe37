"""The commands of `scopeif reformbench`."""
