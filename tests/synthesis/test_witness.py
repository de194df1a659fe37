"""Each instruction can be met, and each of its constraints can be broken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest

from scopeif.constraints import spec as sp
from scopeif.constraints.models import Instruction
from scopeif.measure import evaluate
from scopeif.synthesis.offline import Generator, Made
from scopeif.synthesis.plan import LONGEST_RESPONSE

_PIECE = re.compile(r'[^.!?。！？\n"\s-][^.!?。！？\n]*')
_HAN = re.compile(r"[\u4e00-\u9fff]")
_END_MARK = re.compile(r"[!?！？]|[.。]$", re.MULTILINE)
_CLASS = {
    "comma": (",", "[,，]"),
    "exclamation_mark": ("!", "[!！]"),
    "question_mark": ("?", "[?？]"),
    "digit": ("5", r"\d"),
}
_MORE = {
    "sentence": " More is here. More is here. More is here. More is here. More is here.",
    "paragraph": "\n\nMore is here.",
    "line": "\nmore",
    "list_item": "\n\n- more\n- more\n- more",
    "list": "\n\nMore is here.\n\n- more",
    "heading": "\n\n# More",
}


def mutant(witness: str, clause: sp.Clause) -> str:
    """The witness, edited so that the clause no longer holds."""
    measure = clause.measure
    if isinstance(clause.range, sp.Relative):
        return _unbalanced(witness, clause)
    lacking = clause.range.lower is not None and clause.range.lower >= 1
    match measure:
        case sp.Length():
            return _each_piece(witness, _shorter if lacking and clause.range.upper is None else _longer)
        case sp.Count(unit="json_pair"):
            return json.dumps({**json.loads(witness), "more": 1})
        case sp.Count(unit=unit):
            if lacking and clause.range.upper is None:
                return "One is here."
            return _each_paragraph(witness, _MORE[unit]) if unit == "sentence" else witness + _MORE[unit]
        case sp.Occurrences(text=text) | sp.Present(text=text):
            if lacking:
                return re.sub(re.escape(text), "x", witness, flags=re.IGNORECASE)
            return _each_piece(witness, lambda piece: f"{piece} {text}")
        case sp.ClassCount(char_class=char_class):
            mark, pattern = _CLASS[char_class]
            if lacking:
                return re.sub(pattern, "", witness)
            return _each_piece(witness, lambda piece: f"{piece}{mark} x")
        case sp.Starts():
            return _each_piece(witness, lambda piece: f"Xylo {piece}")
        case sp.Ends():
            return _END_MARK.sub(";", witness) if len(measure.text) == 1 else f"{witness} Xylo."
        case sp.Wrapped():
            return witness.strip('"')
        case sp.LetterCase():
            return witness.swapcase()
        case sp.Valid():
            return witness.rstrip("}")
        case sp.Depth(of="list"):
            return f"{witness}\n  - more"
        case sp.Depth(of="json"):
            return json.dumps({**json.loads(witness), "more": {"more": 1}})
        case sp.Sorted() | sp.Acrostic():
            return "\n".join(reversed(witness.split("\n")))
        case sp.Chained():
            return _each_piece(witness, lambda piece: f"Xylo {piece}")
    raise AssertionError(f"no mutant for {measure!r}")


def _each_piece(witness: str, edit: Callable[[str], str]) -> str:
    """Edit every sentence, line, or item, without its end mark."""
    return _PIECE.sub(lambda match: edit(match[0]), witness)


def _each_paragraph(witness: str, more: str) -> str:
    return "\n\n".join(paragraph + more for paragraph in witness.split("\n\n"))


def _longer(piece: str) -> str:
    if _HAN.search(piece):
        return piece + "多" * 90
    return f"extraordinarily {piece}" + " more" * 50


def _shorter(piece: str) -> str:
    return "多" if _HAN.search(piece) else "A"


def _unbalanced(witness: str, clause: sp.Clause) -> str:
    """Lengthen the piece that the clause compares with, so that the one after it falls behind."""
    assert isinstance(clause.range, sp.Relative)
    if clause.measure == sp.Count(unit="sentence"):
        return witness.replace("\n\n", _MORE["sentence"] + "\n\n", 1)
    reference = clause.range.to
    index = 1
    if isinstance(reference, sp.Named):
        selection = reference.scope[0]
        assert isinstance(selection, sp.At)
        index = selection.index
    pieces = list(_PIECE.finditer(witness))
    chosen = pieces[index - 1]
    return witness[: chosen.start()] + _longer(chosen[0]) + witness[chosen.end() :]


def cases(made: list[Made]) -> Iterator[tuple[str, sp.Spec]]:
    for one in made:
        for constraint in one.instruction.constraints:
            assert constraint.spec is not None
            yield one.witness, constraint.spec


def test_witnesses_belong_to_the_shipped_instructions(made: list[Made], shipped: dict[str, list[Instruction]]) -> None:
    assert [one.instruction for one in made] == [one for instructions in shipped.values() for one in instructions]


def test_witness_satisfies_every_constraint(made: list[Made]) -> None:
    for witness, spec in cases(made):
        for record in evaluate(spec, witness):
            assert record.satisfied, (witness, spec, record)
            assert not record.vacuous, (witness, spec, record)


def test_witness_is_short(made: list[Made]) -> None:
    for one in made:
        language = one.instruction.language
        size = len(one.witness.split()) if language == "en" else len(one.witness)
        assert size <= LONGEST_RESPONSE[language] + 5, one.witness


def test_mutant_violates_the_constraint(made: list[Made]) -> None:
    for witness, spec in cases(made):
        for clause in spec.clauses:
            changed = mutant(witness, clause)
            records = evaluate(sp.Spec(clauses=(clause,)), changed)
            assert not all(record.satisfied for record in records), (witness, changed, clause)


@pytest.mark.parametrize("seed", range(3))
def test_other_seeds_make_other_instructions(seed: int, made: list[Made]) -> None:
    others = Generator(seed).make(40, "en", "train") + Generator(seed).make(20, "zh", "train")
    prompts = {one.instruction.prompt for one in made}
    assert sum(one.instruction.prompt in prompts for one in others) <= 6
    for witness, spec in cases(others):
        assert all(record.satisfied for record in evaluate(spec, witness))
