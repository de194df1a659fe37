"""Making `data/reform_mini` again: the product's own construction, with witnesses built between two of its stages."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from scopeif.errors import ConfigError
from scopeif.reformbench.build_settings import read_settings
from scopeif.reformbench.construction.build import BENCHMARK, SCREENING, Build
from scopeif.reformbench.construction.composition import FILE
from scopeif.reformbench.construction.pipeline import Report, construct
from scopeif.reformbench.construction.stage import write_rows
from scopeif.reformbench.mini.answers import questions
from scopeif.reformbench.mini.witness import witness_of
from scopeif.reformbench.models import Variant

CONFIG = Path("data/reform_mini/build.yaml")


def make(config: Path = CONFIG) -> Report:
    """Make the benchmark beside its config; paths of the config are relative to the working directory.

    Raises:
        ConfigError: the config cannot be used, or names no file of witnesses.
        DataError: an input cannot be used; a witness does not satisfy its variant.
    """
    settings = read_settings(config)
    witnesses = settings.satisfiability.witnesses
    if witnesses is None:
        raise ConfigError("no file of witnesses is named", place=f"{config}: satisfiability.witnesses")
    with tempfile.TemporaryDirectory(prefix="reform_mini-") as folder:
        build = Build(Path(folder), settings)
        write_witnesses(build, witnesses)
        report = asyncio.run(construct(build))
        shutil.copytree(Path(folder) / BENCHMARK, config.parent, dirs_exist_ok=True)
    return report


def write_witnesses(build: Build, path: Path) -> None:
    """Do the stages before the satisfiability review, and write a witness of every variant that they leave."""
    asyncio.run(construct(build, until=SCREENING))
    languages = {question.id: question.language for question in questions()}
    variants = build.rows(SCREENING, FILE, Variant)
    write_rows(path, (witness_of(variant, languages[variant.question]) for variant in variants))
