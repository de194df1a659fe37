"""`python -m scopeif.train recipe=NAME [key=value ...]`: train a policy with GRPO on scope-aware instructions."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Sequence

from scopeif.errors import InvalidInputError, ScopeIFError

HELP = """\
Train a policy with GRPO on scope-aware instructions.

  python -m scopeif.train recipe=NAME [key=value ...]

Recipes
  smoke          SmolLM2-135M-Instruct for a few steps; two CPU cores, about ten minutes
  tiny           a random model, for tests: every part of a run in about a minute
{more}
Choices (name=option)
  reward         {reward}
  verification   {verification}

Often set
  trainer.total_training_steps=20     actor_rollout_ref.actor.optim.lr=1e-5
  data.train_batch_size=4             actor_rollout_ref.rollout.n=8
  data.max_response_length=96         actor_rollout_ref.model.path=models/my-model
  data.train_files=my.jsonl           run.name=my-run   run.root=/big/disk/runs

What it does
  A run lives in <run.root>/<run.name>/001, 002, ... with checkpoints, best model, metrics and every rollout.
  The same command again resumes an unfinished run from its last checkpoint, with the same order of prompts;
  a finished run starts a new directory. SIGTERM and SIGUSR1 save and stop; Ctrl-C stops at once.

See a config
  python -m scopeif.train recipe=NAME --cfg job             the whole resolved config, nothing starts
  python -m scopeif.train --hydra-help                      Hydra's own flags
"""

_DESCRIBED = ("smoke", "tiny")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0, 2 for wrong input, 1 for other errors, 128 + n after signal n."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if {"-h", "--help"} & set(arguments):
            print(_help())
            return 0
        from scopeif.training.composing import compose_config

        if "--hydra-help" in arguments:
            return _hydra(arguments)
        config = compose_config([argument for argument in arguments if not argument.startswith("--")
                                 and argument not in ("job", "hydra", "all")])
        if any(argument.startswith("-") for argument in arguments):
            return _hydra(arguments)
        from scopeif.training.launcher import launch

        return launch(config, command="python -m scopeif.train " + shlex.join(arguments))
    except KeyboardInterrupt:
        print("\nstopped before training began", file=sys.stderr)
        return 128 + signal.SIGINT
    except ScopeIFError as error:
        print(f"\nerror: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidInputError) else 1


def _help() -> str:
    from scopeif.training.composing import options

    more = "".join(f"  {name}\n" for name in options("recipe") if name not in _DESCRIBED)
    return HELP.format(
        more=more, reward=" | ".join(options("reward")), verification=" | ".join(options("verification"))
    )


def _hydra(arguments: Sequence[str]) -> int:
    """Hydra's own command line, for --cfg, --info, --multirun and the like."""
    import hydra

    from scopeif.training.composing import find_verl_config, recipes_folder

    find_verl_config()
    sys.argv = ["scopeif.train", *arguments]

    def run(config: object) -> None:
        from scopeif.training.launcher import launch

        sys.exit(launch(config, command="python -m scopeif.train " + shlex.join(arguments)))

    hydra.main(version_base="1.3", config_path=str(recipes_folder()), config_name="train")(run)()
    return 0


if __name__ == "__main__":
    sys.exit(main())
