"""Options that say how to verify, as `verify` and `serve` both take them, and the settings that they make."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

import typer

from scopeif.errors import ConfigError

if TYPE_CHECKING:  # at run time inside the functions: --help answers without pydantic
    from pydantic import BaseModel

    from scopeif.judge.client import JudgeClient
    from scopeif.judge.settings import JudgeSettings
    from scopeif.verification.settings import VerificationSettings

M = TypeVar("M", bound="BaseModel")

ModelOption = Annotated[str | None, typer.Option(help="The judge's model, as its server lists it.")]
EndpointOption = Annotated[
    list[str] | None, typer.Option(help="The judge's base URL, http://host:8000/v1; repeat for several.")
]
JudgeOption = Annotated[
    Path | None, typer.Option(help="YAML file with all of the judge's settings, as in recipes/judge/.")
]
LayoutOption = Annotated[str, typer.Option(help="Order of the material in prompts: paper, or prefix.")]
WorkersOption = Annotated[int, typer.Option(min=1, help="Sandbox processes.")]


def judge_from(file: Path | None, model: str | None, endpoints: list[str]) -> JudgeSettings | None:
    """The judge's settings; None where no option names one. Model and endpoints win over the file's.

    Raises:
        ConfigError: they cannot be read, or are wrong.
    """
    from scopeif.judge.settings import JudgeSettings

    given: dict[str, Any] = {}
    if file is not None:
        import yaml

        try:
            given = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise ConfigError(f"the file cannot be read: {error}", place=f"--judge {file}") from None
        if not isinstance(given, dict):
            raise ConfigError("the file holds no settings", place=f"--judge {file}")
    given |= {name: value for name, value in (("model", model), ("endpoints", tuple(endpoints))) if value}
    if not given:
        return None
    return validated(JudgeSettings, given, "the judge", "give --model and --endpoint, or --judge FILE")


def verification_from(
    verifier: str,
    layout: str,
    workers: int,
    has_judge: bool,
    remote: dict[str, Any] | None = None,
    audit_frac: float = 0.0,
) -> VerificationSettings:
    """The settings of verification.

    Args:
        remote: where the service is, with `urls`; None for a command that cannot use one.
        audit_frac: share of measured constraints that `auto` has judged too.

    Raises:
        ConfigError: a value is unknown, or the verifier lacks its judge or its service.
    """
    from scopeif.judge.rendering import Layout
    from scopeif.verification.settings import JUDGED, VerificationSettings, VerifierKind

    kinds = [kind for kind in get_args(VerifierKind) if kind != "remote" or remote is not None]
    for option, value, known in (("--verifier", verifier, kinds), ("--layout", layout, get_args(Layout))):
        if value not in known:
            raise ConfigError(f"{value!r} is unknown", place=option, fix=f"use one of: {', '.join(known)}")
    if verifier in JUDGED and not has_judge:
        raise ConfigError(f"{verifier} needs a judge", place="--verifier", fix="give --model and --endpoint")
    if remote is not None and bool(remote["urls"]) != (verifier == "remote"):
        raise ConfigError("remote needs the service's URL, and nothing else does", place="--service", fix="see --help")
    if remote is not None and remote["token_env"] and verifier != "remote":
        raise ConfigError("only remote has a token", place="--token-env", fix="see --help")
    given = {
        "kind": verifier,
        "layout": layout,
        "sandbox_workers": workers,
        "audit_frac": audit_frac,
        "remote": remote or {},
    }
    return validated(VerificationSettings, given, "--verifier", "see --help")


def validated(model: type[M], given: dict[str, Any], what: str, fix: str) -> M:
    """The settings; a fault is told with the place of the first one, `what` where it has none.

    Raises:
        ConfigError: a value is wrong.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(first["msg"], place=".".join(str(part) for part in first["loc"]) or what, fix=fix) from None


@contextlib.asynccontextmanager
async def open_judge(settings: JudgeSettings | None) -> AsyncIterator[JudgeClient | None]:
    """The judge's client while the block runs; None without settings."""
    if settings is None:
        yield None
        return
    from scopeif.judge.client import JudgeClient

    async with JudgeClient(settings) as client:
        yield client
