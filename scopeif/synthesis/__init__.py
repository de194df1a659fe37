"""Making instructions with scope-aware constraints (paper, section 4.2), without a model or with one."""
