"""ScopeIF: GRPO training for scope-aware, precise instruction following.

Kept import-free: the commands must answer `--help` at once, and vLLM's worker processes import single
modules of this package before anything else is set up.
"""

__version__ = "0.1.0"
