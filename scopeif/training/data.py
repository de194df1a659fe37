"""From the recipe's data files to the Parquet files that verl reads, checked before anything loads.

Instructions in JSON, or in Parquet of another layout, are validated and converted into the run directory; Parquet files
in verl's layout are taken as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from scopeif.constraints.dataset import is_verl_file, iter_rows, read_instructions, write_parquet
from scopeif.constraints.prompt_length import prompt_tokens
from scopeif.errors import DataError

DATA_SUFFIXES = (".jsonl", ".json", ".parquet", ".jsonl.gz", ".jsonl.zst", ".json.gz", ".json.zst")
MAKE_SCOPE_MINI = "make it: python -m scopeif.synth offline --out data/scope_mini --preset mini --force"


def file_paths(files: str | Sequence[str]) -> list[Path]:
    """The paths of a config's data files, which are one name or a list of them."""
    return [Path(name).expanduser() for name in ([files] if isinstance(files, str) else files)]


def prepare_files(files: str | Sequence[str], folder: Path, part: str) -> list[str]:
    """The Parquet files of one part (train or val), written below `folder` where they are not Parquet yet.

    Raises:
        DataError: a missing file, a bad row (file, line, field, reason), or a kind of file that is not read.
    """
    prepared = []
    for index, path in enumerate(file_paths(files)):
        if not path.is_file():
            fix = MAKE_SCOPE_MINI if "scope_mini" in str(path) else "name a .jsonl or .parquet file that exists"
            raise DataError("the file does not exist", place=f"data.{part}_files: {path}", fix=fix)
        if is_verl_file(path):
            prepared.append(str(path.resolve()))
        elif path.name.endswith(DATA_SUFFIXES):
            target = folder / f"{part}_{index}_{path.stem}.parquet"
            folder.mkdir(parents=True, exist_ok=True)
            split: Literal["train", "test"] = "train" if part == "train" else "test"
            write_parquet(read_instructions(path, split), target, data_source=path.resolve().parent.name)
            prepared.append(str(target.resolve()))
        else:
            raise DataError(
                f"files of kind {path.suffix!r} are not read",
                place=f"data.{part}_files: {path}",
                fix="give a .jsonl or a .parquet file",
            )
    return prepared


def check_rows(file: str, tokenizer: Any, limit: int, template_options: dict[str, Any]) -> int:
    """Check every row of a Parquet file: it holds an instruction, and its prompt fits after the chat template.

    Returns:
        Tokens of the longest prompt.

    Raises:
        DataError: a row of another kind of data, or a prompt of more than `limit` tokens; nothing is cut or dropped.
    """
    longest = 0
    for row in iter_rows(file):
        if row.instruction is None:
            raise row.faults[0]
        tokens = prompt_tokens(row.instruction.chat(), tokenizer, template_options)
        longest = max(longest, tokens)
        if tokens > limit:
            raise DataError(
                f"the prompt has {tokens} tokens, data.max_prompt_length is {limit}",
                place=f"{row.place}, instruction {row.instruction.id}",
                fix=f"raise data.max_prompt_length to at least {tokens}, or take the row out",
            )
    return longest
