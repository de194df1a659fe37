"""How fast constraints are measured, how that grows with the response, and what the hardest texts take.

python benchmarks/measuring.py [--responses 400] [--quick] [--slowest 5] [--write docs/results/measuring.md]

Three bars; exit code 1 when one is missed. Times are processor time of this process.

- Throughput: distinct responses of about 600 tokens (450 English words or 900 Chinese characters), half of them
  Chinese, each with 4 to 6 distinct constraints (4.83 on average) drawn from all Targets and Ranges.
- Growth: all those constraints on one response of 1 kB to 1 MB; the exponent is the slope in logarithms.
- Hard texts: every measuring function on 64 kB of what parsers are slow at.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import math
import os
import pathlib
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from hard_texts import hard_texts

from scopeif.constraints.spec import Spec
from scopeif.errors import AmbiguousResponse
from scopeif.measure import evaluate
from tools_sandbox import text as tools
from tools_sandbox.units import UNITS, read

CONSTRAINTS_PER_RESPONSE = [4] * 35 + [5] * 47 + [6] * 18  # 4.83 on average
ROUNDS = 5
HARD_SIZE = 65536
_WITHOUT_PARSING = {
    "keyword",
    "letter",
    "emoji",
    "punctuation",
    "wrapped",
    "case",
    "JSON",
    "JSON depth",
    "CSV",
    "YAML",
    "pattern",
}
SIZES_KB = (1, 4, 16, 64, 256, 1024)


class Bar(NamedTuple):
    """One figure that is held to a limit."""

    what: str
    value: float
    limit: float
    at_least: bool = False
    unit: str = ""

    @property
    def held(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def row(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "held" if self.held else "**missed**"
        return f"| {self.what} | {sign} {self.limit:,g}{self.unit} | {self.value:,.4g}{self.unit} | {verdict} |"


# -- constraints -------------------------------------------------------------------------------------------------


def _each(unit: str) -> dict[str, Any]:
    return {"select": "each", "unit": unit}


def _at(unit: str, index: int) -> dict[str, Any]:
    return {"select": "at", "unit": unit, "index": index}


def _where(unit: str, **predicate: Any) -> dict[str, Any]:
    return {"select": "where", "unit": unit, "predicate": predicate}


def _spec(measure: dict[str, Any], range_: dict[str, Any], *scope: dict[str, Any]) -> Spec:
    range_ = {"kind": "relative" if "relation" in range_ else "bounds", **range_}
    return Spec.model_validate({"clauses": [{"object": "x", "scope": scope, "measure": measure, "range": range_}]})


def _count(unit: str, **more: Any) -> dict[str, Any]:
    return {"kind": "count", "unit": unit, **more}


_WORDS, _SENTENCES = {"kind": "length", "unit": "word"}, _count("sentence")
_YES = {"lower": 1, "upper": 1}
_COMMAS = {"kind": "class_count", "char_class": "comma"}
_WATER = {"kind": "occurrences", "text": "water"}
SPECS = (
    _spec(_WORDS, {"lower": 300, "upper": 600}),
    _spec({"kind": "length", "unit": "character"}, {"upper": 3000}),
    _spec(_WORDS, {"upper": 20}, _each("sentence")),
    _spec(_WORDS, {"lower": 10}, _at("paragraph", 1)),
    _spec(_WORDS, {"upper": 9}, _each("paragraph"), _at("sentence", -1)),
    _spec(_WORDS, {"upper": 12}, _each("list"), _each("list_item")),
    _spec(_WORDS, {"relation": "more", "to": {"to": "previous"}}, _each("paragraph")),
    _spec(_WORDS, {"relation": "equal", "factor": 2, "to": {"to": "segment", "scope": [_at("paragraph", 2)]}},
          _at("paragraph", 3)),
    _spec(_SENTENCES, {"upper": 4}, _each("paragraph")),
    _spec(_SENTENCES, {"lower": 5, "upper": 5}),
    _spec(_count("paragraph"), {"lower": 3, "upper": 6}),
    _spec(_count("line"), {"lower": 10}),
    _spec(_count("sentence", where={"test": "ends", "text": "?"}),
          {"relation": "at_most", "to": {"to": "same", "measure": _count("list_item")}}),
    _spec(_WATER, {"lower": 2}),
    _spec(_WATER, {"upper": 0}, _each("section"), _at("paragraph", 1)),
    _spec({"kind": "occurrences", "text": "水"}, {"lower": 1, "upper": 3}, _each("sentence")),
    _spec(_COMMAS, {"upper": 0}),
    _spec(_COMMAS, {"upper": 2}, _where("sentence", test="length", lower=12)),
    _spec({"kind": "class_count", "char_class": "digit"}, {"lower": 1}),
    _spec(_count("list"), {"lower": 1, "upper": 1}),
    _spec(_count("list_item"), {"lower": 3}, _each("list")),
    _spec(_count("highlight"), {"lower": 2}),
    _spec(_count("heading"), {"lower": 3}),
    _spec({"kind": "depth", "of": "list"}, {"lower": 2}),
    _spec({"kind": "present", "text": "summary"}, _YES),
    _spec({"kind": "valid", "format": "json"}, {"lower": 0, "upper": 0}),
    _spec({"kind": "wrapped", "by": "double_quotes"}, _YES),
    _spec({"kind": "divided", "by": "***"}, {"lower": 2}),
    _spec({"kind": "starts", "text": "The"}, _YES, _at("paragraph", -1)),
    _spec({"kind": "matches", "pattern": r"^\W*\w+ .+\.$"}, _YES, _each("sentence")),
    _spec({"kind": "letter_case", "case": "upper"}, _YES, _each("heading")),
    _spec(_count("word", where={"test": "matches", "pattern": "^[A-Z]{2,}$"}), {"lower": 1}),
    _spec({"kind": "sorted", "unit": "heading"}, _YES),
    _spec({"kind": "chained", "unit": "sentence"}, _YES, _at("paragraph", 1)),
    _spec({"kind": "acrostic", "unit": "paragraph", "text": "TIDE"}, _YES),
    _spec(_WORDS, {"lower": 5}, _where("paragraph", test="contains", text="water"), _at("sentence", 1)),
    _spec(_SENTENCES, {"upper": 3}, _where("paragraph", test="under_heading", text="water")),
)  # fmt: skip

# -- responses ---------------------------------------------------------------------------------------------------

_ENGLISH = str.split(
    "the of and to in is you that it he was for on are as with his they at be this have from or one had by water but "
    "not what all were we when your can said there use an each which she do how their if will up other about out many "
    "then them these so some her would make like him into time has look two more write go see number no way could "
    "people my than first been call who oil its now find long down day did get come made may part season 12 3.50 NASA "
    "different important government children together something mountain question sometimes beautiful although "
    "development experience community education political national temperature relationship environment"
)
_CHINESE = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面水"


def _sentence(rng: random.Random, chinese: bool) -> str:
    if chinese:
        text = "".join(rng.choices(_CHINESE, k=rng.randint(10, 30)))
        cut = rng.randint(4, len(text) - 3)
        return f"{text[:cut]}，{text[cut:]}{rng.choice('。。。！？')}"
    words = rng.choices(_ENGLISH, k=rng.randint(6, 20))
    words[0] = words[0].capitalize()
    if rng.random() < 0.2:
        words[2] = f"**{words[2]}**"
    words[4] += rng.choice(("", ",", ""))
    return " ".join(words) + rng.choice("...!?")


def _response(rng: random.Random, chinese: bool, size: int) -> str:
    """A heading, paragraphs and lists, about `size` characters in all."""
    blocks, length, gap = [], 0, "" if chinese else " "
    while length < size:
        kind = rng.random()
        if not blocks or kind < 0.12:
            blocks.append(f"## {_sentence(rng, chinese)[:14].rstrip(' .,')}")
        elif kind < 0.8:
            blocks.append(gap.join(_sentence(rng, chinese) for _ in range(rng.randint(2, 5))))
        else:
            blocks.append("\n".join(f"- {_sentence(rng, chinese)[:-1]}" for _ in range(rng.randint(3, 5))))
        length += len(blocks[-1])
    return "\n\n".join(blocks)


# -- what is measured --------------------------------------------------------------------------------------------


def _evaluate_all(response: str, specs: Sequence[Spec]) -> None:
    for spec in specs:
        with contextlib.suppress(AmbiguousResponse):
            evaluate(spec, response)


def _throughput(responses: int) -> list[Bar]:
    """Constraints a second on one core. Each response counts with its fastest round: other work only slows it."""
    rng = random.Random(4)
    work = []
    for number in range(responses):
        chinese = number % 2 == 1
        specs = rng.sample(SPECS, CONSTRAINTS_PER_RESPONSE[number * 37 % 100])
        work.append((_response(rng, chinese, 900 if chinese else 2400), specs))
    rounds = [[_seconds(lambda one=one: _evaluate_all(*one)) for one in work] for _ in range(ROUNDS)]
    amount = sum(len(specs) for _, specs in work)
    rate = amount / sum(map(min, zip(*rounds, strict=True)))
    return [Bar(f"constraints/s, {amount / responses:.2f} a response", rate, 5000, at_least=True)]


def _growth(quick: bool) -> list[Bar]:
    bars = []
    for language, chinese in (("English", False), ("Chinese", True)):
        points = []
        for size in SIZES_KB[: -1 if quick else None]:
            response = _response(random.Random(size), chinese, size * 1000 // (3 if chinese else 1))
            seconds = min(
                _seconds(lambda text=response: _evaluate_all(text, SPECS)) for _ in range(1 if size > 99 else 5)
            )
            points.append((math.log(len(response)), math.log(seconds)))
        slope = statistics.linear_regression(*zip(*points, strict=True)).slope
        bars.append(Bar(f"exponent, {language}, {SIZES_KB[0]} kB to {SIZES_KB[len(points) - 1]} kB", slope, 1.1))
    return bars


def _hard(slowest: int) -> tuple[list[Bar], list[str]]:
    """Seconds of each function on each text. A text is parsed once; its parsing counts in all of its functions."""
    rows = []
    functions, texts = _functions(), hard_texts(HARD_SIZE)
    for name, text in texts.items():
        rows += [(seconds, what, name) for what, seconds in _seconds_by_function(text, functions).items()]
    rows.sort(reverse=True)
    lines = [f"| {name} | {what} | {seconds:.3f} |" for seconds, what, name in rows[:slowest]]
    what = f"slowest of {len(texts)} texts x {len(functions)} functions"
    return [Bar(what, rows[0][0], 0.5, unit=" s")], lines


def _seconds_by_function(text: str, functions: dict[str, Callable[[str], object]]) -> dict[str, float]:
    parsed: dict[str, object] = {}

    def parse() -> None:
        document = read(text)
        parsed.update(markdown=document.markdown, markups=document.markups)

    parsing = _seconds(parse)
    return {
        what: _seconds(lambda act=act: act(text), lambda: read(text).__dict__.update(parsed))
        + (0 if what in _WITHOUT_PARSING else parsing)
        for what, act in functions.items()
    }


def _functions() -> dict[str, Callable[[str], object]]:
    functions: dict[str, Callable[[str], object]] = {
        unit: lambda text, unit=unit: tools.units(unit, text) for unit in UNITS
    }
    return functions | {
        "blocks": tools.blocks,
        "keyword": lambda text: tools.count_string(text, text[:2] or "a"),
        "letter": lambda text: tools.count_string(text, text[:1] or "a", whole_word=False),
        "emoji": lambda text: tools.class_count(text, "emoji"),
        "punctuation": lambda text: tools.class_count(text, "punctuation_mark"),
        "wrapped": lambda text: tools.wrapped(f'"{text}"', "double_quotes"),
        "case": lambda text: tools.letter_case(text, "upper"),
        "JSON": lambda text: tools.is_valid(text, "json"),
        "JSON depth": tools.json_depth,
        "CSV": lambda text: tools.is_valid(text, "csv"),
        "YAML": lambda text: tools.is_valid(text, "yaml"),
        "divided": lambda text: tools.divided(text, "***"),
        "list depth": tools.list_depth,
        "pattern": lambda text: tools.matches(text, r"a.*b[^c]*c.+\d{1,40}x$"),
        "repeated": lambda text: tools.repeated([word.text for word in tools.units("word", text)]),
        "sorted": lambda text: tools.is_sorted([line.text for line in tools.units("line", text)]),
        "chained": lambda text: tools.is_chained([line.text for line in tools.units("line", text)]),
        "words of each line": lambda text: _in_each(text, "line", "word"),
        "words of each sentence": lambda text: _in_each(text, "sentence", "word"),
        "paragraphs of each item": lambda text: _in_each(text, "list_item", "paragraph"),
        "items of each item": lambda text: _in_each(text, "list_item", "list_item"),
        "items of each list": lambda text: _in_each(text, "list", "list_item"),
        "cells of each row": lambda text: _in_each(text, "table_row", "table_cell"),
        "sections of each section": lambda text: _in_each(text, "section", "section"),
        "depth of each item": lambda text: [tools.list_depth(text, item) for item in tools.units("list_item", text)],
        "heading of each line": lambda text: [
            tools.under_heading(text, line, "a") for line in tools.units("line", text)
        ],
    }


def _in_each(text: str, outer: str, inner: str) -> int:
    return sum(tools.count(inner, text, segment) for segment in tools.units(outer, text))


def _seconds(function: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> float:
    """Processor time of one call, nothing kept from the calls before but what `prepare` does."""
    read.cache_clear()
    prepare()
    begun = time.process_time()
    with contextlib.suppress(tools.Ambiguous):
        function()
    return time.process_time() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=int, default=400)
    parser.add_argument("--quick", action="store_true", help="no hard texts, nothing above 256 kB")
    parser.add_argument("--slowest", type=int, default=5, help="how many of the slowest hard texts are shown")
    parser.add_argument("--write", type=pathlib.Path, help="file for the tables, beside the screen")
    options = parser.parse_args()
    bars, lines = _throughput(options.responses) + _growth(options.quick), []
    if not options.quick:
        hard, lines = _hard(options.slowest)
        bars += hard
    report = "\n".join(_report(bars, lines)) + "\n"
    print(report, end="")
    if options.write:
        options.write.write_text(report, encoding="utf-8")
    return 0 if all(bar.held for bar in bars) else 1


def _report(bars: Sequence[Bar], slowest: Sequence[str]) -> Iterator[str]:
    today = datetime.datetime.now(datetime.UTC).date()
    yield "# Measuring, timed\n"
    yield f"{today}, `python {' '.join(['benchmarks/measuring.py', *sys.argv[1:]])}`; Python"
    yield f"{platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; processor time of one process.\n"
    yield "| what | limit | measured | |"
    yield "|---|---|---|---|"
    yield from (bar.row() for bar in bars)
    if slowest:
        yield f"\nThe slowest of the hard texts, {HARD_SIZE} characters each:\n"
        yield "| text | function | s |"
        yield "|---|---|---|"
        yield from slowest


if __name__ == "__main__":
    sys.exit(main())
