"""The data that ships with the package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from scopeif.constraints.categories import category
from scopeif.constraints.dataset import verl_rows
from scopeif.constraints.models import Constraint, Instruction
from scopeif.constraints.spec import Spec
from scopeif.constraints.taxonomy import PrimaryTarget, RangeCategory
from scopeif.synth import app
from scopeif.synthesis.offline import Made
from scopeif.synthesis.seeds import seeds


def everything(shipped: dict[str, list[Instruction]]) -> list[Instruction]:
    return [instruction for instructions in shipped.values() for instruction in instructions]


def constraints_of(instructions: list[Instruction]) -> list[Constraint]:
    return [constraint for instruction in instructions for constraint in instruction.constraints]


def spec_of(constraint: Constraint) -> Spec:
    assert constraint.spec is not None
    return constraint.spec


def test_sizes_and_splits(shipped: dict[str, list[Instruction]]) -> None:
    sizes = {name: len(instructions) for name, instructions in shipped.items()}
    assert sizes == {"train.jsonl": 256, "test.jsonl": 256, "chinese.jsonl": 48}
    assert {one.split for one in shipped["train.jsonl"]} == {"train"}
    assert {one.split for one in shipped["test.jsonl"]} == {"test"}
    assert {one.language for one in shipped["chinese.jsonl"]} == {"zh"}


def test_command_writes_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    result = CliRunner().invoke(app, ["offline", "--out", str(tmp_path / "new"), "--preset", "mini"])
    assert result.exit_code == 0, result.output
    for name in ("train.jsonl", "test.jsonl", "chinese.jsonl"):
        assert (tmp_path / "new" / name).read_bytes() == (folder / name).read_bytes(), name


def test_files_hold_what_is_drawn(mini: list[Made], shipped: dict[str, list[Instruction]]) -> None:
    assert [one.instruction for one in mini] == everything(shipped)


def test_readme_gives_the_command(folder: Path) -> None:
    readme = (folder.parent / "README.md").read_text(encoding="utf-8")
    assert "python -m scopeif.synth offline --out data/scope_mini --preset mini --force\n" in readme


def test_nothing_stands_twice(shipped: dict[str, list[Instruction]]) -> None:
    whole = everything(shipped)
    assert len({one.id for one in whole}) == len(whole)
    assert len({one.prompt for one in whole}) == len(whole)
    combinations = {
        (
            one.provenance["seed"],
            frozenset(spec_of(constraint).model_dump_json() for constraint in one.constraints),
        )
        for one in whole
    }
    assert len(combinations) == len(whole)


def test_stored_categories_are_those_of_the_spec(shipped: dict[str, list[Instruction]]) -> None:
    for constraint in constraints_of(everything(shipped)):
        got = category(spec_of(constraint))
        assert (got.scope, got.target, got.range) == (constraint.scope, constraint.target, constraint.range)


def test_prompt_holds_task_and_constraint_texts(shipped: dict[str, list[Instruction]]) -> None:
    tasks = {seed.id: seed.task for seed in (*seeds("en"), *seeds("zh"))}
    for instruction in everything(shipped):
        assert instruction.prompt is not None
        assert tasks[instruction.provenance["seed"]] in instruction.prompt
        for constraint in instruction.constraints:
            assert constraint.text in instruction.prompt


def test_constraint_texts_are_clean_sentences(shipped: dict[str, list[Instruction]]) -> None:
    for constraint in constraints_of(everything(shipped)):
        assert re.fullmatch(r"[A-Z\u4e00-\u9fff“].*[.。]", constraint.text), constraint.text


def test_number_of_constraints(shipped: dict[str, list[Instruction]]) -> None:
    for instructions in shipped.values():
        counts = [len(one.constraints) for one in instructions]
        assert set(counts) <= set(range(1, 7))
        assert 2.7 <= sum(counts) / len(counts) <= 3.6


def test_every_category_is_present(shipped: dict[str, list[Instruction]]) -> None:
    constraints = constraints_of(everything(shipped))
    scopes = Counter(constraint.scope_category for constraint in constraints)
    assert min(scopes[name] for name in ("Global", "Traversal", "Position", "Condition", "Nested")) >= 40
    targets = Counter(constraint.target.primary for constraint in constraints)
    assert min(targets[target] for target in PrimaryTarget) >= 15
    ranges = Counter(constraint.range for constraint in constraints)
    assert min(ranges[range_] for range_ in RangeCategory) >= 10


def test_readme_states_the_counts(shipped: dict[str, list[Instruction]], folder: Path) -> None:
    readme = (folder.parent / "README.md").read_text(encoding="utf-8")
    whole = [constraints_of(instructions) for instructions in shipped.values()]

    def line(label: str, counts: list[int]) -> str:
        return f"| {label} | " + " | ".join(map(str, counts)) + " |"

    def table(key: Callable[[Constraint], str]) -> list[str]:
        counted = [Counter(map(key, constraints)) for constraints in whole]
        return [line(label, [counts[label] for counts in counted]) for label in sorted(set().union(*counted))]

    lines = [
        line("instructions", [len(instructions) for instructions in shipped.values()]),
        line("constraints", [len(constraints) for constraints in whole]),
        *(
            line(f"with {size}", [sum(len(one.constraints) == size for one in some) for some in shipped.values()])
            for size in range(1, 7)
        ),
        *table(lambda constraint: constraint.scope_category),
        *table(lambda constraint: constraint.target.primary.value),
        *table(lambda constraint: constraint.range.value),
    ]
    assert [wanted for wanted in lines if wanted not in readme] == []


def test_levels(shipped: dict[str, list[Instruction]]) -> None:
    for name in ("train.jsonl", "test.jsonl"):
        easy = [one for one in shipped[name] if one.provenance["level"] == "easy"]
        assert 0.5 <= len(easy) / len(shipped[name]) <= 0.7
        assert {constraint.scope_category for constraint in constraints_of(easy)} == {"Global"}


def test_chinese_has_every_scope_and_relative_ranges(shipped: dict[str, list[Instruction]]) -> None:
    constraints = constraints_of(shipped["chinese.jsonl"])
    assert {one.scope_category for one in constraints} == {
        "Global",
        "Traversal",
        "Position",
        "Condition",
        "Nested",
    }
    assert {RangeCategory.COMPARISON, RangeCategory.ARITHMETIC_RELATIONS} & {one.range for one in constraints}


def test_verl_rows_carry_the_instructions_unchanged(shipped: dict[str, list[Instruction]]) -> None:
    rows = verl_rows(shipped["train.jsonl"])
    assert [Instruction.model_validate_json(row["extra_info"]["instruction"]) for row in rows] == shipped["train.jsonl"]
