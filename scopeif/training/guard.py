"""The guard: everyday prompts without constraints, answered at each validation beside the base model's answers.

Nothing in the reward asks for a good answer: a policy could learn to satisfy constraints with text that nobody wants.
No judge takes part, so these figures show that answers change, not whether they are good; they choose no checkpoint and
stop no run. The base model's answers are those of the validation before training.
"""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

SOURCE = "guard"
"""The `data_source` of the guard's rows."""
PROMPTS = 64
BASE_FILE = "guard_base.json"
NGRAM = 4

_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")
"""A Chinese character, or a run of other letters and digits."""


@dataclass(frozen=True)
class GuardAnswer:
    """A greedy answer, without thinking text; `tokens` are the response's, thinking included."""

    text: str
    tokens: int
    truncated: bool


def guard_prompts(count: int = PROMPTS) -> list[str]:
    """The first `count` prompts; a guard of fewer asks the same ones."""
    return files("scopeif.training").joinpath("guard_prompts.txt").read_text(encoding="utf-8").splitlines()[:count]


def guard_metrics(answers: Mapping[str, GuardAnswer], base: Mapping[str, str] | None) -> dict[str, float]:
    """What can be said of the answers without a judge.

    Args:
        answers: by prompt id.
        base: the base model's answers to the same prompts, or None.

    Returns:
        `response_tokens` and `words` (means), `empty_frac`, `truncated_frac`, `repetition` (mean); and over the prompts
        that the base model answered with words `length_ratio` (all words to all words), `base_f1` (mean `token_f1`) and
        `script_changed_frac` (answers mostly in another script).
    """
    texts = {id_: words(answer.text) for id_, answer in answers.items()}
    metrics = {
        "response_tokens": _mean([answer.tokens for answer in answers.values()]),
        "words": _mean([len(text) for text in texts.values()]),
        "empty_frac": _mean([not answer.text.strip() for answer in answers.values()]),
        "truncated_frac": _mean([answer.truncated for answer in answers.values()]),
        "repetition": _mean([repetition(text) for text in texts.values()]),
    }
    base = base or {}
    before = {id_: words(text) for id_, text in base.items() if id_ in answers and words(text)}
    if before:
        metrics |= {
            "length_ratio": sum(len(texts[id_]) for id_ in before) / sum(map(len, before.values())),
            "base_f1": _mean([token_f1(texts[id_], text) for id_, text in before.items()]),
            "script_changed_frac": _mean([script(answers[id_].text) != script(base[id_]) for id_ in before]),
        }
    return metrics


def words(text: str) -> list[str]:
    """Lower-case words; every Chinese character is one."""
    return _WORD.findall(text.lower())


def repetition(text: Sequence[str]) -> float:
    """Share of the word 4-grams that stand earlier in the text too; 0 for a text of fewer than four words."""
    grams = [tuple(text[start : start + NGRAM]) for start in range(len(text) - NGRAM + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def token_f1(text: Sequence[str], other: Sequence[str]) -> float:
    """F1 of two bags of words, one of which holds a word: 1 for the same words, 0 for none in common."""
    return 2 * (Counter(text) & Counter(other)).total() / (len(text) + len(other))


def script(text: str) -> str:
    """The script of most letters, by the first word of their Unicode names (LATIN, CJK); "" without letters."""
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    return scripts.most_common(1)[0][0] if scripts else ""


def read_base(folder: Path) -> dict[str, str] | None:
    """The base model's answers in a run's data folder, if any."""
    file = folder / BASE_FILE
    if not file.is_file():
        return None
    answers: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return answers


def write_base(folder: Path, answers: Mapping[str, GuardAnswer]) -> None:
    """Keep the answers of the validation before training."""
    partial = folder / f".{BASE_FILE}.partial"
    partial.write_text(json.dumps({id_: answer.text for id_, answer in answers.items()}, ensure_ascii=False))
    partial.replace(folder / BASE_FILE)


def copy_base(earlier: Path, folder: Path) -> None:
    """Take over the base model's answers from the data folder of a run that this one extends."""
    if (base := earlier / BASE_FILE).is_file():
        shutil.copyfile(base, folder / BASE_FILE)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
