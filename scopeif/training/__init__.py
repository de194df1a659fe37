"""GRPO training on verl. The only folder that imports verl; kept import-free for vLLM worker processes."""
