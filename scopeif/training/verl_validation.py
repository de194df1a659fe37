"""verl's own validation of configs, in a process of its own: verl's imports are heavy, and noisy at their end.

    python -m scopeif.training.verl_validation < configs.json

reads a JSON list of configs as YAML texts and prints what verl says against each, or null.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from scopeif.errors import StackError
from scopeif.training.imports import without_collector

_TIMEOUT_S = 300


def verl_refusals(configs: Sequence[Any]) -> list[str | None]:
    """What verl says against each composed config, if anything.

    Raises:
        StackError: verl cannot be imported.
    """
    from omegaconf import OmegaConf

    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=json.dumps([OmegaConf.to_yaml(config, resolve=True) for config in configs]),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise StackError(f"verl's validation broke: {last}", fix="make setup on a CPU; on GPUs see launch/README.md")
    refusals: list[str | None] = json.loads(done.stdout)
    return refusals


def _validate(texts: Sequence[str]) -> list[str | None]:
    """The same in this process."""
    from omegaconf import OmegaConf

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with without_collector():
            from scopeif.training.cpu import vllm_distribution

            vllm_distribution.install()  # where the CPU build of vLLM is installed
            from verl.trainer.ppo.utils import need_critic, need_reference_policy
            from verl.utils.config import validate_config

        def refusal(config: Any) -> str | None:
            try:
                validate_config(config, need_reference_policy(config), need_critic(config))
            except (AssertionError, ValueError, TypeError) as error:
                return str(error) or type(error).__name__
            return None

        return [refusal(OmegaConf.create(text)) for text in texts]


if __name__ == "__main__":
    print(json.dumps(_validate(json.load(sys.stdin))))
