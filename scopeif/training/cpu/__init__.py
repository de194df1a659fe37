"""What verl and vLLM need to run on a CPU, through their own extension points. Kept import-free.

vLLM's worker processes import `scopeif.training.cpu.vllm_worker` before anything of verl.
"""
