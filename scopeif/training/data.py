"""From the recipe's data files to the Parquet files that verl reads, checked before anything loads.

Instructions in JSON, or in Parquet of another layout, are validated and converted into the run directory; Parquet files
in verl's layout are taken as they are. A validation file may be IFEval's, as `scopeif data fetch ifeval` leaves it, or
the variants of a ReFormBench benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal

from scopeif.constraints.dataset import (
    is_verl_file,
    iter_rows,
    read_instructions,
    verl_row,
    write_parquet,
    write_verl_rows,
)
from scopeif.constraints.files import raw_rows
from scopeif.constraints.prompt_length import prompt_tokens
from scopeif.errors import ConfigError, DataError
from scopeif.evaluation import ifeval, ifeval_data
from scopeif.reformbench import in_training as reformbench
from scopeif.training import guard
from scopeif.training.settings import Settings

DATA_SUFFIXES = (".jsonl", ".json", ".parquet", ".jsonl.gz", ".jsonl.zst", ".json.gz", ".json.zst")
MAKE_SCOPE_MINI = "make it: python -m scopeif.synth offline --out data/scope_mini --preset mini --force"
VALIDATION_ONLY = (ifeval.SOURCE, reformbench.SOURCE, guard.SOURCE)
"""Data sources that are never trained on."""
_WHOLE = {ifeval.SOURCE, reformbench.SOURCE}
"""Data sources that are never cut."""

Part = Literal["train", "val"]


def file_paths(files: str | Sequence[str] | None) -> list[Path]:
    """The paths of a config's data files, which are one name or a list of them."""
    return [Path(name).expanduser() for name in ([files] if isinstance(files, str) else files or [])]


def prepare_files(
    files: str | Sequence[str] | None, folder: Path, part: Part, baselines: Path | None = None
) -> list[str]:
    """The Parquet files of one part, written below `folder` where they are not Parquet yet.

    Args:
        baselines: of ReFormBench; without them the policy's own are those of the validation before training.

    Raises:
        DataError: a missing file, a bad row (file, line, field, reason), or a kind of file that is not read; IFEval,
            ReFormBench or the guard's prompts as training data.
    """
    prepared = []
    for index, path in enumerate(file_paths(files)):
        place = f"data.{part}_files: {path}"
        if not path.is_file():
            raise DataError("the file does not exist", place=place, fix=_fix_missing(path))
        target = folder / f"{part}_{index}_{path.stem}.parquet"
        if is_verl_file(path):
            if part == "train":
                _refuse_validation_only(path, place)
            prepared.append(str(path.resolve()))
            continue
        if not path.name.endswith(DATA_SUFFIXES):
            raise DataError(
                f"files of kind {path.suffix!r} are not read", place=place, fix="give .jsonl or a .parquet file"
            )
        folder.mkdir(parents=True, exist_ok=True)
        if _is_ifeval(path):
            if part == "train":
                raise _benchmark_trained_on(ifeval.SOURCE, place)
            _prepare_ifeval(path, target)
        elif _is_reformbench(path):
            if part == "train":
                raise _benchmark_trained_on(reformbench.SOURCE, place)
            _prepare_reformbench(path, target, baselines)
        else:
            split: Literal["train", "test"] = "train" if part == "train" else "test"
            write_parquet(read_instructions(path, split), target, data_source=path.resolve().parent.name)
        prepared.append(str(target.resolve()))
    return prepared


def prepare_validation(config: Any, settings: Settings, folder: Path) -> None:
    """Write the validation files and name them in the config: the recipe's, sampled, and the guard's.

    Without validation verl still loads one row; it is of the training files, which must be prepared before.

    Raises:
        DataError: as `prepare_files`.
        ConfigError: no validation file.
    """
    data, validation = config.data, settings.validation
    if not validation.enabled:
        config.trainer.val_before_train, config.trainer.test_freq = False, -1
        data.val_files, data.val_max_samples = list(data.train_files)[:1], 1
        return
    if data.val_max_samples not in (None, -1):
        raise ConfigError(
            "it would cut benchmarks and the guard too", place="data.val_max_samples", fix="use validation.max_samples"
        )
    baselines = validation.reformbench_baselines
    files = prepare_files(_plain(data.val_files), folder, "val", Path(baselines).expanduser() if baselines else None)
    if not files:
        raise ConfigError("no validation file is named", place="data.val_files", fix="name one, or set validate=false")
    files = [
        _sampled(file, folder / f"sample_{index}_{Path(file).stem}.parquet", validation.max_samples, settings.run.seed)
        for index, file in enumerate(files)
    ]
    if validation.guard_prompts:
        files.append(_write_guard(folder, validation.guard_prompts))
    if settings.run.extends:
        earlier = Path(settings.run.extends).expanduser() / folder.name
        if validation.guard_prompts:
            guard.copy_base(earlier, folder)
        if baselines is None:
            reformbench.copy_base(earlier, folder)
    data.val_files = files


def check_rows(
    file: str, tokenizer: Any, limit: int, template_options: dict[str, Any], other_sources: Collection[str] = ()
) -> int:
    """Check every row of a Parquet file: its source can be scored, and its prompt fits after the chat template.

    Args:
        file: a Parquet file in verl's layout.
        tokenizer: the policy's.
        limit: tokens that a prompt may have.
        template_options: of the chat template.
        other_sources: data sources that a user's own function scores; of their rows only the length is checked.

    Returns:
        Tokens of the longest prompt.

    Raises:
        DataError: a row that nothing can score, or a prompt of more than `limit` tokens; nothing is cut or dropped.
    """
    longest = 0
    for row, raw in zip(iter_rows(file), raw_rows(Path(file)), strict=True):
        value = raw.value or {}
        name = row.place
        if value.get("data_source") in (*VALIDATION_ONLY, *other_sources):
            if value["data_source"] == ifeval.SOURCE:
                ifeval.IFEvalPrompt.from_json(json.loads(value["extra_info"]["instruction"]), row.place)
            if value["data_source"] == reformbench.SOURCE:
                reformbench.checked_row(value["extra_info"]["instruction"], row.place)
            chat = value["prompt"]
        elif row.instruction is None:
            raise row.faults[0]
        else:
            chat, name = row.instruction.chat(), f"{row.place}, instruction {row.instruction.id}"
        tokens = prompt_tokens(chat, tokenizer, template_options)
        longest = max(longest, tokens)
        if tokens > limit:
            raise DataError(
                f"the prompt has {tokens} tokens, data.max_prompt_length is {limit}",
                place=name,
                fix=f"raise data.max_prompt_length to at least {tokens}, or take the row out",
            )
    return longest


# -- parts -------------------------------------------------------------------------------------------------------


def _is_ifeval(path: Path) -> bool:
    first = next(iter(raw_rows(path)), None)
    return first is not None and "instruction_id_list" in (first.value or {})


def _prepare_ifeval(path: Path, target: Path) -> None:
    """Its rows, and the splitter's model, which the reward worker reads from the run directory."""
    ifeval.require_checkers()
    rows = (
        verl_row(
            index,
            ifeval.SOURCE,
            one.id,
            [{"role": "user", "content": one.prompt}],
            json.dumps(one.to_json(), ensure_ascii=False),
        )
        for index, one in enumerate(ifeval_data.read_ifeval(path))
    )
    write_verl_rows(rows, target)
    for name, content in ifeval_data.punkt_files(path.parent).items():
        file = target.parent / ifeval_data.NLTK_FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _is_reformbench(path: Path) -> bool:
    first = next(iter(raw_rows(path)), None)
    return first is not None and reformbench.is_variant(first.value or {})


def _prepare_reformbench(path: Path, target: Path, baselines: Path | None) -> None:
    """Its rows, and the baseline where a file gives it."""
    rows = reformbench.validation_rows(path, baselines)
    write_verl_rows(
        (
            verl_row(index, reformbench.SOURCE, one.id, [{"role": "user", "content": one.prompt}], one.text)
            for index, one in enumerate(rows)
        ),
        target,
    )
    if baselines is not None:
        reformbench.write_base(target.parent, reformbench.base_of_file(baselines))


def _write_guard(folder: Path, count: int) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "guard.parquet"
    rows = (
        verl_row(index, guard.SOURCE, f"guard-{index + 1:02d}", [{"role": "user", "content": prompt}], "")
        for index, prompt in enumerate(guard.guard_prompts(count))
    )
    write_verl_rows(rows, target)
    return str(target.resolve())


def _sampled(file: str, target: Path, size: int | None, seed: int) -> str:
    """The file, or `target` with `size` of its rows, drawn by the run's seed; a benchmark is never cut."""
    import numpy as np
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    if size is None or table.num_rows <= size or set(table["data_source"].to_pylist()) <= _WHOLE:
        return file
    chosen = np.random.default_rng(seed).choice(table.num_rows, size=size, replace=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table.take(np.sort(chosen)), target)
    return str(target.resolve())


def _refuse_validation_only(path: Path, place: str) -> None:
    import pyarrow.parquet as pq

    if "data_source" not in pq.read_schema(path).names:
        return
    for source in set(pq.read_table(path, columns=["data_source"])["data_source"].to_pylist()):
        if source in VALIDATION_ONLY:
            raise _benchmark_trained_on(source, place)


def _benchmark_trained_on(source: str, place: str) -> DataError:
    return DataError(f"{source} is for validation alone", place=place, fix="name it in data.val_files")


def _fix_missing(path: Path) -> str:
    if path.parent.name == ifeval.SOURCE:
        return f"{ifeval_data.FIX} --out {path.parent}"
    return MAKE_SCOPE_MINI if "scope_mini" in str(path) else "name a .jsonl or .parquet file that exists"


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
