"""Judge tokens by layout: 200 instructions of `data/scope_mini`, 8 responses each, 70 % of the specs hidden.

    python benchmarks/judge_tokens.py [--instructions 200]

Prompts are those that the verifiers send; tokens are counted by the policy's tokenizer. Cached tokens are what a server
with a prefix cache (blocks of 16 tokens, nothing ever dropped) would not compute again, in every row alike: the rules
that open a prompt are cached in `paper` too. The judge is an oracle that knows all specs: it designs a short tool and
judges rightly, so agreement with `paper` shows that a saving loses nothing on the way, not how a real judge takes a
changed prompt. Its answers hold no reasoning, whose tokens every call would add alike.

Two ratios: against all tokens of `paper` (nothing credited to its cache, as a provider bills without one), and against
what `paper` would pay with the same cache. Exit code 1: the exact path pays more than half of all tokens of `paper`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scopeif.constraints.dataset import read_instructions
from scopeif.constraints.models import Constraint, Instruction
from scopeif.errors import AmbiguousResponse
from scopeif.judge.messages import JudgeAnswer, JudgeRequest
from scopeif.measure import evaluate
from scopeif.reward import Answer, Record, satisfied
from scopeif.verification.build import build_verifier
from scopeif.verification.engine import Item, verify_many
from scopeif.verification.sandbox import build_pool
from scopeif.verification.settings import VerificationSettings
from tools_sandbox import ToolPool

ROOT = Path(__file__).resolve().parents[1]
RESPONSES, HIDDEN, BLOCK, SEED = 8, 0.7, 16, 7
SENTENCES = (
    "The morning train leaves the small station at seven.",
    "A seat by the window costs nothing extra.",
    "Outside, the fields are still grey and quiet.",
    "Who would not like to travel like this?",
    "My neighbour reads a thick book about lights on a stage.",
    "At noon we share bread, cheese and two red apples.",
    "Nobody hurries, although the clock says that we are late.",
    "The river, wide and slow, follows us for an hour!",
    "Then the hills begin, and the track climbs in long curves.",
    "An old map hangs beside the door of the carriage.",
    "I write three lines in my notebook and look up again.",
    "Tomorrow I will take the same way back.",
)
TOOL = """[The Start of Auxiliary Verification Tool]
```python
def measure(text):
    sentences = split_sentences(text)
    lines = [line for line in text.splitlines() if line.strip()]
    return [
        {{"Description": "Number of words of the whole response", "Computed Result": count_word(text)}},
        {{"Description": "Words of each sentence: {text}", "Computed Result": [count_word(one) for one in sentences]}},
        {{"Description": "Number of lines that are not blank", "Computed Result": len(lines)}},
    ]
```
[The End of Auxiliary Verification Tool]
[The Start of Input Parameters]
```json
[{{"Parameter Name": "text", "Format": "str", "Parameter Description": "the whole response", "Parameter Value": "ALL"}}]
```
[The End of Input Parameters]"""
JUDGMENT = """Constraint: {text}
Analysis: The response was read part by part and compared with the reference information. {count} objects were counted.
Conclusion: [[The response {verdict} the constraint]]
Counting Results:
```json
{records}
```"""


def responses(generator: random.Random) -> Iterable[Answer]:
    """Prose and lists of 20 to 250 words; one in ten was cut off at the token limit, and is not verified."""
    for _ in range(RESPONSES):
        sentences = generator.choices(SENTENCES, k=generator.randint(2, 25))
        if generator.random() < 0.3:
            text = "\n".join(f"- {sentence}" for sentence in sentences)
        else:
            cuts = sorted(generator.sample(range(len(sentences) + 1), k=min(3, len(sentences))))
            parts = [sentences[a:b] for a, b in zip([0, *cuts], [*cuts, len(sentences)], strict=True)]
            text = "\n\n".join(" ".join(part) for part in parts if part)
        cut = generator.random() < 0.1
        yield Answer(text, 0, "truncated") if cut else Answer(text, 1)


@dataclass
class Oracle:
    """A judge that knows every spec; it counts what a server would bill."""

    instructions: dict[str, Instruction]
    encode: Any
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    calls: int = 0
    seen: set[int] = field(default_factory=set)

    @property
    def paid(self) -> int:
        """Prompt tokens that no cache holds, and completion tokens."""
        return self.prompt - self.cached + self.completion

    async def ask(self, request: JudgeRequest) -> JudgeAnswer:
        text = request.messages[0]["content"]
        affinity = request.affinity
        instruction = self.instructions[json.loads(affinity)[0] if affinity.startswith("[") else affinity]
        said = self._answer(request.kind, text, instruction)
        self.calls += 1
        self._bill(self.encode(text), len(self.encode(said)))
        return JudgeAnswer(text=said, finish_reason="stop")

    def keep(self, request: JudgeRequest, answer: JudgeAnswer) -> None:
        """There is no cache of answers."""

    def _bill(self, prompt: Sequence[int], completion: int) -> None:
        chain, cached = 0, 0
        for start in range(0, len(prompt) - len(prompt) % BLOCK, BLOCK):
            chain = hash((chain, *prompt[start : start + BLOCK]))
            cached += BLOCK * (chain in self.seen)
            self.seen.add(chain)
        self.prompt += len(prompt)
        self.cached += cached
        self.completion += completion

    def _answer(self, kind: str, prompt: str, instruction: Instruction) -> str:
        response = _block(prompt, "Response")
        designs = "Reference information:" not in prompt and "[The Start of the Reference Information]" not in prompt
        if kind == "batch":
            asked = list(enumerate(instruction.constraints, start=1))
            parts = [TOOL.format(text=one.text) if designs else judgment(one, response) for _, one in asked]
            marked = zip(asked, parts, strict=True)
            return "\n".join(f"=== Constraint {number} ===\n{part}" for (number, _), part in marked)
        text = _block(prompt, "Constraint")
        constraint = next(one for one in instruction.constraints if one.text == text)
        return TOOL.format(text=text) if kind == "tool_design" else judgment(constraint, response)


def _block(prompt: str, name: str) -> str:
    found = re.search(rf"\[The Start of the {name}( #\w+)?\]\n(.*?)\n\[The End of the {name}", prompt, re.DOTALL)
    assert found, name
    return found[2]


def judgment(constraint: Constraint, response: str) -> str:
    """The right judgment; a response that can be read two ways counts as satisfied."""
    assert constraint.spec is not None
    try:
        records = evaluate(constraint.spec, response)
    except AmbiguousResponse:
        records = [Record(1, 1, 1, "the response")]
    items = [
        {
            "Counting Object": record.object,
            "Permissible Bounds": [None if abs(one) == float("inf") else one for one in (record.lower, record.upper)],
            "Actual Value": record.actual,
        }
        for record in records
    ]
    verdict = "satisfies" if satisfied(records) else "does not satisfy"
    shown = json.dumps(items, ensure_ascii=False, indent=2)
    return JUDGMENT.format(text=constraint.text, count=len(items), verdict=verdict, records=shown)


def hidden(instruction: Instruction, generator: random.Random) -> Instruction:
    """The instruction as the verifier gets it: most of the constraints have lost their spec."""
    constraints = tuple(
        one.model_copy(update={"spec": None}) if generator.random() < HIDDEN else one for one in instruction.constraints
    )
    return instruction.model_copy(update={"constraints": constraints})


async def count(
    oracle: Oracle, pool: ToolPool, items: list[Item[tuple[str, int]]], kind: str, layout: str
) -> dict[Any, str]:
    """Verify all; returns the status of every constraint."""
    settings = VerificationSettings.model_validate({"kind": kind, "layout": layout})
    verifier = build_verifier(settings, pool, oracle)
    statuses = {}
    async for item, outcome in verify_many(verifier, items):
        statuses |= {(*item.key, n): one.status.value for n, one in enumerate(outcome.outcomes)}
    return statuses


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--instructions", type=int, default=200)
    options = arguments.parse_args()
    from tokenizers import Tokenizer

    from scopeif.training.policies import ensure_policy

    encoder = Tokenizer.from_file(str(ensure_policy("models/smollm2_135m", print) / "tokenizer.json"))
    generator = random.Random(SEED)
    chosen = read_instructions(ROOT / "data" / "scope_mini" / "test.jsonl")[: options.instructions]
    known = {instruction.id: instruction for instruction in chosen}
    gated = [
        Item((one.id, number), half, answer)
        for one in chosen
        for half in [hidden(one, generator)]
        for number, answer in enumerate(responses(generator))
    ]
    whole = [Item(item.key, item.instruction, Answer(item.answer.text, 1)) for item in gated]
    rows = (
        ("paper", whole, "tgv", "paper"),
        ("paper, format gate", gated, "tgv", "paper"),
        ("prefix, format gate", gated, "tgv", "prefix"),
        ("auto + prefix, format gate", gated, "auto", "prefix"),
        ("per_response, format gate", gated, "per_response", "prefix"),
    )
    columns = ("calls", "prompt", "cached", "completion", "paid", "of all", "of paid", "agree")
    print(f"{'':28}" + "".join(f"{name:>12}" for name in columns))
    paper: Oracle | None = None
    truth: dict[Any, str] = {}
    ratio = {}
    with build_pool(VerificationSettings(sandbox_workers=2)) as pool:
        for name, items, kind, layout in rows:
            oracle = Oracle(known, lambda text: encoder.encode(text, add_special_tokens=False).ids)
            statuses = asyncio.run(count(oracle, pool, items, kind, layout))
            if paper is None:
                paper, truth = oracle, statuses
            same = sum(truth[key] == status for key, status in statuses.items()) / len(statuses)
            ratio[name] = (paper.prompt + paper.completion) / oracle.paid
            counts = (oracle.calls, oracle.prompt, oracle.cached, oracle.completion, oracle.paid)
            shown = "".join(f"{number:12,}" for number in counts)
            print(f"{name:28}{shown}{ratio[name]:11.2f}x{paper.paid / oracle.paid:11.2f}x{same:12.2%}", flush=True)
    print("of all, of paid: tokens of `paper`, all of them or those that it pays, over those that the row pays")
    return int(ratio["auto + prefix, format gate"] < 2)


if __name__ == "__main__":
    sys.exit(main())
