"""From the recipe's data files to the Parquet files that verl reads, checked before anything loads.

JSON Lines of instructions are validated and converted into the run directory; Parquet files are taken as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scopeif.constraints.dataset import instruction_from_json, read_jsonl, write_parquet
from scopeif.errors import DataError

MAKE_SCOPE_MINI = "make it: python -m scopeif.synth offline --out data/scope_mini"


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
        if path.suffix == ".parquet":
            prepared.append(str(path.resolve()))
        elif path.suffix == ".jsonl":
            target = folder / f"{part}_{index}_{path.stem}.parquet"
            folder.mkdir(parents=True, exist_ok=True)
            write_parquet(read_jsonl(path), target, data_source=path.resolve().parent.name)
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
    import pyarrow.parquet as parquet

    longest = 0
    for number, row in enumerate(parquet.read_table(file).to_pylist()):
        place = f"{file}: row {number}"
        extra = row.get("extra_info") or {}
        if "instruction" not in extra:
            raise DataError(
                f"a row of data source {row.get('data_source')!r} holds no instruction (extra_info.instruction)",
                place=place,
                fix="only instructions with constraints can be rewarded; write them with scopeif.constraints.dataset",
            )
        instruction_from_json(extra["instruction"])
        options = {"add_generation_prompt": True, "tokenize": False} | template_options
        text = tokenizer.apply_chat_template(row["prompt"], **options)
        tokens = len(tokenizer(text, add_special_tokens=False)["input_ids"])
        longest = max(longest, tokens)
        if tokens > limit:
            raise DataError(
                f"the prompt has {tokens} tokens, data.max_prompt_length is {limit}",
                place=f"{place}, instruction {extra['id']}",
                fix=f"raise data.max_prompt_length to at least {tokens}, or take the row out",
            )
    return longest
