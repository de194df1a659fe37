"""`dry_run=true`: the plan on the console, plan and resolved config in one file, and nothing started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scopeif.training.consistency import check_consistency
from scopeif.training.planning.plan import make_plan
from scopeif.training.planning.plan_lines import plan_lines
from scopeif.training.settings import Settings

NO_ENDPOINTS = (
    "the judge has no address yet: a run needs judge.endpoints=[http://host:8000/v1] or judge.endpoints_file=..."
)


def dry_run(config: Any) -> int:
    """Plan a composed config; returns the exit status.

    Raises:
        ScopeIFError: the config is at fault, or the policy's shape is not known.
    """
    import yaml
    from omegaconf import OmegaConf

    settings, note = planned_settings(config)
    check_consistency(config, settings)
    plan = make_plan(config, settings)
    print(f"dry run of {settings.run.name}: nothing starts\n")
    for line in plan_lines(plan):
        print(line)
    if note:
        print(f"\nnote: {note}")
    file = Path(f"{settings.run.name}.dry_run.yaml")
    content = {"plan": plan.to_json(), "config": OmegaConf.to_container(config, resolve=True)}
    file.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
    print(f"\nplan and resolved config: {file}")
    return 0


def planned_settings(config: Any) -> tuple[Settings, str | None]:
    """The settings of a config, which for a plan may leave the judge's address open, and a note where it does."""
    judge = config.judge
    if judge is None or judge.endpoints or judge.endpoints_file:
        return Settings.from_config(config), None
    addressed = config.copy()
    addressed.judge.endpoints_file = "judge-endpoints.txt"
    return Settings.from_config(addressed), NO_ENDPOINTS
