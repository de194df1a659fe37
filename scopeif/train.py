"""`python -m scopeif.train recipe=NAME [key=value ...]`: train a policy with GRPO on scope-aware instructions."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Sequence

from scopeif.errors import ConfigError, InvalidInputError, ScopeIFError

HELP = """\
Train a policy with GRPO on scope-aware instructions.

  python -m scopeif.train recipe=NAME [key=value ...]

Recipes
{recipes}
Choices (name=option)
  reward         {reward}
  verification   {verification}
  judge          {judge}
  option         {option}; several as option=[a,b]

Often set
  trainer.total_training_steps=20     actor_rollout_ref.actor.optim.lr=1e-5
  data.train_batch_size=4             actor_rollout_ref.rollout.n=8
  data.max_response_length=96         actor_rollout_ref.model.path=models/my-model
  data.train_files=my.jsonl           run.name=my-run   run.root=/big/disk/runs

What it does
  A run lives in <run.root>/<run.name>/001, 002, ... with checkpoints, best model, metrics and every rollout.
  The same command again resumes an unfinished run from its last checkpoint, with the same order of prompts;
  a finished run starts a new directory. SIGTERM and SIGUSR1 save and stop; Ctrl-C stops at once.

Before a long run
  ... dry_run=true                        what it needs: GPUs, memory, disk, judge, hours; nothing starts
  scopeif check recipe=NAME [key=value]   whether this machine, the data, the sandbox and the judge are ready

See a config
  python -m scopeif.train recipe=NAME --cfg job             the whole resolved config, nothing starts
  ... --cfg job --package trainer                           one section; --resolve fills in references
"""

_SHOWING = ("--cfg", "-c", "--package", "-p", "--resolve", "--info", "-i")
"""Hydra's flags that print and start nothing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0, 2 for wrong input, 1 for other errors, 128 + n after signal n."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if {"-h", "--help"} & set(arguments):
            print(_help())
            return 0
        from scopeif.training.composing import compose_config

        flags = [argument for argument in arguments if argument.startswith("-")]
        if flags:
            _refuse_other_flags(flags)
            compose_config([argument for argument in arguments if "=" in argument and argument not in flags])
            return _show(arguments)
        config = compose_config(arguments)
        if config.dry_run is True:
            from scopeif.training.planning.dry_run import dry_run

            return dry_run(config)
        from scopeif.training.launcher import launch

        return launch(config, command="python -m scopeif.train " + shlex.join(arguments))
    except KeyboardInterrupt:
        print("\nstopped before training began", file=sys.stderr)
        return 128 + signal.SIGINT
    except ScopeIFError as error:
        print(f"\nerror: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidInputError) else 1


def _help() -> str:
    from scopeif.training.composing import options, recipe_purpose

    names = options("recipe")
    width = max(map(len, names))
    recipes = "".join(f"  {name:<{width}}  {recipe_purpose(name)}\n" for name in names)
    groups = {group: " | ".join(options(group)) for group in ("reward", "verification", "judge", "option")}
    return HELP.format(recipes=recipes, **groups)


def _refuse_other_flags(flags: Sequence[str]) -> None:
    for flag in flags:
        if flag.partition("=")[0] not in _SHOWING:
            raise ConfigError(
                f"{flag} is no flag of this command",
                place="command line",
                fix="one command is one run, for a sweep give it once a value; see --help",
            )


def _show(arguments: Sequence[str]) -> int:
    """Print a config by Hydra's own command line."""
    import hydra

    from scopeif.training.composing import recipes_folder

    sys.argv = ["scopeif.train", *arguments]
    hydra.main(version_base="1.3", config_path=str(recipes_folder()), config_name="train")(lambda _: None)()
    return 0


if __name__ == "__main__":
    sys.exit(main())
