"""Instructions of the full profile."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from pathlib import Path

from typer.testing import CliRunner

from scopeif.constraints.categories import category
from scopeif.constraints.compatibility import combinations
from scopeif.constraints.dataset import read_instructions
from scopeif.constraints.taxonomy import PrimaryTarget, RangeCategory
from scopeif.synth import app
from scopeif.synthesis.menu import combination_of, wishes
from scopeif.synthesis.offline import Generator, Made


def offline(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["offline", *arguments])
    return result.exit_code, result.output


def test_number_of_constraints(full: list[Made]) -> None:
    sizes = [len(one.instruction.constraints) for one in full]
    assert min(sizes) == 1
    assert 9 <= max(sizes) <= 12
    assert 4.3 <= sum(sizes) / len(sizes) <= 5.3


def test_every_category_is_present_in_each_language(full: list[Made]) -> None:
    for language in ("en", "zh"):
        constraints = [c for one in full for c in one.instruction.constraints if one.instruction.language == language]
        assert {c.scope_category for c in constraints} == {"Global", "Traversal", "Position", "Condition", "Nested"}
        assert {c.target.primary for c in constraints} == set(PrimaryTarget)
        assert {c.range for c in constraints} == set(RangeCategory)


def test_stored_categories_are_those_of_the_spec(full: list[Made]) -> None:
    for one in full:
        for constraint in one.instruction.constraints:
            assert constraint.spec is not None
            got = category(constraint.spec)
            assert (got.scope, got.target, got.range) == (constraint.scope, constraint.target, constraint.range)


def test_prompts_hold_the_texts_and_look_like_prose(full: list[Made]) -> None:
    for one in full:
        prompt = one.instruction.prompt or ""
        assert all(constraint.text in prompt for constraint in one.instruction.constraints)
        assert not re.search(r"  |\n\n\n| [.,]|_|None|\bnan\b", prompt), prompt


def test_nothing_stands_twice(full: list[Made]) -> None:
    assert len({one.instruction.prompt for one in full}) == len(full)
    for one in full:
        specs = [constraint.spec for constraint in one.instruction.constraints]
        assert len(set(specs)) == len(specs)


def test_formatted_answers_are_asked_for(full: list[Made]) -> None:
    """Most answers in a form of their own are asked for it: constraints alone say that a list or a table is wanted."""
    asked: Counter[bool] = Counter()
    for one in full:
        if one.instruction.provenance["form"] in ("sections", "list", "table", "json", "csv"):
            clauses = [c.spec.clauses[0] for c in one.instruction.constraints if c.spec is not None]
            asked[any(not clause.scope and clause.measure.kind in ("count", "valid") for clause in clauses)] += 1
    assert asked[True] >= 2 * asked[False], asked


def test_the_same_seed_gives_the_same(full: list[Made]) -> None:
    again = list(islice(Generator(3).make(160, "en", "train"), 25))
    assert again == full[:25]


def test_every_compatible_combination_can_be_asked_for() -> None:
    """In English; in Chinese words have no length of their own, and letters no case, so some have fewer forms."""
    wanted = set(combinations(secondary=True))
    traits = frozenset({"code", "slots", "latin"})
    assert set(wishes("en", traits)) == wanted
    assert set(wishes("zh", traits)) == wanted


def test_every_compatible_combination_is_made() -> None:
    generator = Generator(7)
    both = generator.make(2000, "en", "train"), generator.make(2000, "zh", "train")
    missing = set(combinations(secondary=True))
    for _ in range(1000):
        for some in both:
            missing -= {combination_of(c.spec) for c in next(some).instruction.constraints if c.spec is not None}
        if not missing:
            return
    raise AssertionError(f"2000 instructions hold no {missing}")


# -- the command -----------------------------------------------------------------------------------------


def test_command_writes_instructions_and_witnesses(tmp_path: Path) -> None:
    code, said = offline("--out", str(tmp_path), "--n", "7", "--test", "4", "--languages", "en,zh", "--witnesses")
    assert code == 0, said
    train = read_instructions(tmp_path / "train.jsonl")
    assert [one.language for one in train] == ["en"] * 4 + ["zh"] * 3
    assert {one.split for one in read_instructions(tmp_path / "test.jsonl")} == {"test"}
    assert f"{tmp_path / 'train.jsonl'}: 7 instructions" in said.replace("\n", "")
    rows = [json.loads(line) for line in (tmp_path / "train_witnesses.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [one.id for one in train]
    for row, one in zip(rows, train, strict=True):
        assert [mutant["constraint"] for mutant in row["mutants"]] == list(range(len(one.constraints)))
        assert {"object", "lower", "upper", "actual", "start", "end"} == set(row["mutants"][0]["records"][0])


def test_command_does_not_replace_files_unasked(tmp_path: Path) -> None:
    arguments = ("--out", str(tmp_path), "--n", "2", "--test", "0")
    assert offline(*arguments, "--witnesses")[0] == 0
    before = (tmp_path / "train.jsonl").read_bytes()
    code, said = offline(*arguments, "--seed", "8")
    assert code == 2
    assert "--force" in said
    assert (tmp_path / "train.jsonl").read_bytes() == before
    assert offline(*arguments, "--seed", "8", "--force")[0] == 0
    assert (tmp_path / "train.jsonl").read_bytes() != before
    assert not (tmp_path / "train_witnesses.jsonl").exists()  # it belonged to the instructions before


def test_command_names_value_and_fix(tmp_path: Path) -> None:
    code, said = offline("--out", str(tmp_path / "x"), "--languages", "en,fr")
    assert (code, "'fr'" in said, "use en, zh or en,zh" in said) == (2, True, True)
    (tmp_path / "file").write_text("")
    code, said = offline("--out", str(tmp_path / "file"), "--n", "1")
    assert (code, str(tmp_path / "file") in said.replace("\n", "")) == (2, True)
    code, said = offline("--out", str(tmp_path / "x"), "--n", "0", "--test", "0")
    assert (code, "no instruction is asked for" in said) == (2, True)
