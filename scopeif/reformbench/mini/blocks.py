"""The blocks of an answer that has a format: paragraphs, lists, tables, notes, and a closing sentence with marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, islice, pairwise
from typing import Any, NamedTuple

from scopeif.reformbench.mini.answers import PlainAnswer
from scopeif.reformbench.models import Language

_SYMBOL = "🌟"
_LABELS: Mapping[str, Mapping[Language, str]] = {
    "note": {"en": "Note", "zh": "备注"},
    "warning": {"en": "Warning", "zh": "警告"},
    "tip": {"en": "Tip", "zh": "提示"},
}


class Marks(NamedTuple):
    """How many marks of each kind the closing sentence has."""

    emphasis: int = 0
    quotes: int = 0
    parentheses: int = 0
    symbols: int = 0
    arrows: int = 0
    arrow: str = ""


class Writer:
    """Writes the blocks of one answer in its language."""

    def __init__(self, answer: PlainAnswer, language: Language) -> None:
        self._answer, self._language = answer, language
        self._space = "" if language == "zh" else " "

    @property
    def title(self) -> str:
        """The title as a heading."""
        return f"# {self._answer.title}"

    def items(self, count: int) -> list[str]:
        """So many different lines for a list: the terms first."""
        return list(islice((*self._answer.terms, *self._answer.sentences), count))

    def paragraphs(self, count: int) -> list[str]:
        """The sentences in so many paragraphs of about the same length."""
        sentences = self._answer.sentences
        bounds = [round(number * len(sentences) / count) for number in range(count + 1)]
        return [self._space.join(sentences[start:end]) for start, end in pairwise(bounds)]

    def tag(self, name: str) -> str:
        """A tag as it stands at the beginning of a line."""
        return f"【{name}】" if self._language == "zh" else f"[{name}] "

    def note(self, label: str, number: int) -> str:
        """A block quote with a label; `number` from 0 decides of what it reminds the reader."""
        term, name = self._answer.terms[number], _LABELS[label][self._language]
        return f"> {name}：别忘了{term}。" if self._language == "zh" else f"> {name}: keep in mind the point of {term}."

    def table(self, columns: Sequence[str], rows: int) -> str:
        """A table with terms in the first column, sentences in the second and further terms behind them."""
        lines = [list(columns), ["---"] * len(columns)]
        for number, (term, said) in enumerate(
            islice(zip(self._answer.terms, self._answer.sentences, strict=True), rows)
        ):
            further = islice(cycle(self._answer.terms), number + 1, number + len(columns) - 1)
            lines.append([term, said, *further])
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

    def nested(self, levels: int, items: int) -> str:
        """A bullet list of exactly so many levels and at least so many items."""
        lines = []
        for number, said in enumerate(self.items(max(items, levels))):
            depth = number if number < levels else 1
            lines.append(f"{'  ' * depth}- {said}")
        return "\n".join(lines)

    def closing(self, marks: Marks) -> str:
        """One sentence over the terms, which carry the marks."""
        terms = [*self._answer.terms, *self._answer.terms[: max(0, marks.arrows + 1 - len(self._answer.terms))]]
        said = [self._marked(term, number, marks) for number, term in enumerate(terms)]
        if marks.arrows:
            glue = f" {marks.arrow} "
            listed = glue.join(said)
        else:
            comma, last = ("、", "和") if self._language == "zh" else (", ", " and ")
            listed = f"{comma.join(said[:-1])}{last}{said[-1]}"
        return f"总之，要点是{listed}。" if self._language == "zh" else f"In short, it comes down to {listed}."

    def _marked(self, term: str, number: int, marks: Marks) -> str:
        term = f"**{term}**" if number < marks.emphasis else term
        term = self._quoted(term) if number < marks.quotes else term
        term = f"{term}{self._added(number)}" if number < marks.parentheses else term
        return f"{_SYMBOL} {term}" if number < marks.symbols else term

    def _quoted(self, term: str) -> str:
        return f"“{term}”" if self._language == "zh" else f'"{term}"'

    def _added(self, number: int) -> str:
        return f"（第{number + 1}点）" if self._language == "zh" else f" (point {number + 1})"


def marks_of(feature: str, parameters: Mapping[str, Any]) -> Marks:
    """The marks that a requirement of the category of markers asks for; none for any other."""
    match feature:
        case "typographic_emphasis":
            return Marks(emphasis=parameters["count"])
        case "quotes_and_parentheses":
            return Marks(quotes=parameters["quotes"], parentheses=parameters["parentheses"])
        case "visual_symbols":
            return Marks(symbols=parameters["count"])
        case "arrows_and_separators":
            return Marks(arrows=parameters["count"], arrow=parameters["marker"])
    return Marks()
