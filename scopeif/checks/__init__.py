"""The checks of `scopeif check`: small functions, each of one thing that a run depends on."""
