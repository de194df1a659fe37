"""The data as training will read it: every row, and every prompt's length after the chat template; one is shown."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scopeif.checks.finding import Finding, fault, ok, warning
from scopeif.checks.subject import Subject
from scopeif.constraints.dataset import iter_rows
from scopeif.errors import DataError
from scopeif.training.data import check_rows, prepare_files, prepare_validation


def check_data(subject: Subject) -> Iterator[Finding]:
    """All files of training and validation, converted in a temporary folder as a run does it."""
    config = subject.config.copy()
    with tempfile.TemporaryDirectory(prefix="scopeif-check-") as folder:
        config.data.train_files = prepare_files(_plain(config.data.train_files), Path(folder), "train")
        yield from _examine(subject, config.data.train_files, "training")
        yield from _training(subject, config.data.train_files)
        prepare_validation(config, subject.settings, Path(folder))
        yield from _examine(subject, config.data.val_files, "validation")


def _examine(subject: Subject, files: list[str], part: str) -> Iterator[Finding]:
    limit, longest = subject.config.data.max_prompt_length, 0
    for file in files:
        try:
            sources = subject.settings.reward.sources
            tokens = check_rows(file, subject.tokenizer, limit, subject.template_options, sources)
        except DataError as error:
            yield fault("data", f"{part}: {error.place}: {error.message}", error.fix)
            return
        longest = max(longest, tokens)
    yield ok("data", f"{part}: the longest prompt has {longest} of {limit} tokens")


def _training(subject: Subject, files: list[str]) -> Iterator[Finding]:
    rows = [row for file in files for row in iter_rows(file)]
    instructions = [row.instruction for row in rows if row.instruction is not None]
    constraints = [one for instruction in instructions for one in instruction.constraints]
    batch = subject.config.data.train_batch_size
    if len(rows) < batch:
        yield fault("data", f"{len(rows)} prompts are less than a batch of {batch}", "lower data.train_batch_size")
    without = sum(one.spec is None for one in constraints)
    text = f"{len(rows)} prompts, {len(constraints)} constraints, {without} of them without a spec"
    unjudged = subject.settings.judge is None and subject.settings.verification.kind != "remote"
    if without and unjudged:
        yield warning("data", f"{text} and without a judge: these stay unverified", "name a judge: judge=...")
    else:
        yield ok("data", text)
    if instructions:
        options = {"add_generation_prompt": True, "tokenize": False} | subject.template_options
        shown = subject.tokenizer.apply_chat_template(instructions[0].chat(), **options)
        yield ok("prompt", f"{instructions[0].id}, as the policy gets it", detail=shown)


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
