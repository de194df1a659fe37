"""Short ways to write specs in tests, and random ones."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from scopeif.constraints.spec import CharacterClass, Spec, Unit, Valid, Wrapped


def each(unit: str) -> dict[str, Any]:
    return {"select": "each", "unit": unit}


def at(unit: str, index: int) -> dict[str, Any]:
    return {"select": "at", "unit": unit, "index": index}


def where(unit: str, **predicate: Any) -> dict[str, Any]:
    return {"select": "where", "unit": unit, "predicate": predicate}


def bounds(lower: float | None = None, upper: float | None = None) -> dict[str, Any]:
    return {"kind": "bounds", "lower": lower, "upper": upper}


def relative(relation: str, *scope: dict[str, Any], previous: bool = False, **more: Any) -> dict[str, Any]:
    to = {"to": "previous"} if previous else {"to": "segment", "scope": list(scope)}
    return {"kind": "relative", "relation": relation, "to": to, **more}


def clause(range_: dict[str, Any], measure: dict[str, Any], *scope: dict[str, Any]) -> dict[str, Any]:
    return {"object": "thing", "scope": list(scope), "measure": measure, "range": range_}


def spec(*clauses: dict[str, Any]) -> Spec:
    return Spec.model_validate({"clauses": list(clauses)})


COUNT_SENTENCES = {"kind": "count", "unit": "sentence"}
WORDS = {"kind": "length", "unit": "word"}

# -- random ones -------------------------------------------------------------------------------------------------

UNITS = st.sampled_from(get_args(Unit))
STRINGS = st.sampled_from(["a", "one", "One", ".", "我", "你好", '"', "\\", "tw", "two\nthree", "é\u200b"])
INDICES = st.sampled_from([1, 2, 3, -1, -2])
PATTERNS = st.sampled_from(["o", "^o", "e$", r"^\w+$", r"\d{1,2}", "[A-Z]+|我", r'"\\?', r"^.+[.。]$", "tw*o+", r"\s"])
PREDICATES = st.recursive(
    st.one_of(
        st.builds(
            lambda test, text, case: {"test": test, "text": text, "case_sensitive": case},
            st.sampled_from(["contains", "starts", "ends"]),
            STRINGS,
            st.booleans(),
        ),
        st.builds(
            lambda text, case: {"test": "matches", "pattern": text, "case_sensitive": case}, PATTERNS, st.booleans()
        ),
        st.builds(
            lambda text, case: {"test": "under_heading", "text": text, "case_sensitive": case},
            st.sampled_from(["one", "One", "two", "我"]),
            st.booleans(),
        ),
        st.sampled_from([{"test": "index", "modulus": m, "remainder": r} for m, r in ((2, 0), (2, 1), (3, 0), (3, 2))]),
        st.sampled_from(
            [
                {"test": "length", "unit": "word", "lower": 2},
                {"test": "length", "unit": "word", "upper": 3},
                {"test": "length", "unit": "character", "lower": 1, "upper": 9},
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda test, of: {"test": test, "of": of},
            st.sampled_from(["all_of", "any_of"]),
            st.lists(inner, min_size=1, max_size=2),
        ),
        st.builds(lambda of: {"test": "not", "of": of}, inner),
    ),
    max_leaves=3,
)
POSITIONS = st.builds(at, UNITS, INDICES)
CONDITIONS = st.builds(
    lambda unit, predicate: {"select": "where", "unit": unit, "predicate": predicate}, UNITS, PREDICATES
)
CHAINS = st.lists(st.one_of(st.builds(each, UNITS), POSITIONS, CONDITIONS), max_size=3)
AMOUNTS = st.one_of(
    st.sampled_from([WORDS, {"kind": "length", "unit": "character"}]),
    st.sampled_from([{"kind": "divided", "by": by} for by in ("***", "---", "___")]),
    st.sampled_from([{"kind": "depth", "of": "list"}, {"kind": "depth", "of": "json"}]),
    st.builds(lambda unit: {"kind": "count", "unit": unit}, UNITS),
    st.builds(lambda unit, test: {"kind": "count", "unit": unit, "where": test}, UNITS, PREDICATES),
    st.builds(lambda unit: {"kind": "repeats", "unit": unit}, UNITS),
    st.builds(lambda text, whole: {"kind": "occurrences", "text": text, "whole_word": whole}, STRINGS, st.booleans()),
    st.sampled_from([{"kind": "class_count", "char_class": name} for name in get_args(CharacterClass)]),
)
ANSWERS = st.one_of(
    st.builds(
        lambda kind, text, case: {"kind": kind, "text": text, "case_sensitive": case},
        st.sampled_from(["starts", "ends", "present"]),
        STRINGS,
        st.booleans(),
    ),
    st.sampled_from([{"kind": "wrapped", "by": by} for by in get_args(Wrapped.model_fields["by"].annotation)]),
    st.sampled_from([{"kind": "letter_case", "case": case} for case in ("upper", "lower")]),
    st.sampled_from([{"kind": "valid", "format": name} for name in get_args(Valid.model_fields["format"].annotation)]),
    st.builds(lambda text, case: {"kind": "matches", "pattern": text, "case_sensitive": case}, PATTERNS, st.booleans()),
    st.builds(lambda unit, order: {"kind": "sorted", "unit": unit, "descending": order}, UNITS, st.booleans()),
    st.builds(lambda unit: {"kind": "chained", "unit": unit}, UNITS),
    st.builds(lambda unit: {"kind": "acrostic", "unit": unit, "text": "ot"}, UNITS),
)
BOUNDS = st.sampled_from([bounds(1), bounds(None, 0), bounds(1, 1), bounds(2, 4), bounds(0.5, None)])
RELATIONS = st.builds(
    lambda relation, to, factor, offset, rounding: {
        "kind": "relative", "relation": relation, "to": to, "factor": factor, "offset": offset, "rounding": rounding,
    },
    st.sampled_from(["more", "at_least", "equal", "at_most", "fewer"]),
    st.one_of(
        st.just({"to": "previous"}),
        st.builds(lambda measure: {"to": "same", "measure": measure}, AMOUNTS),
        st.builds(
            lambda scope: {"to": "segment", "scope": scope}, st.lists(st.one_of(POSITIONS, CONDITIONS), max_size=2)
        ),
    ),
    st.sampled_from([1, 2, 0.5, 1.1]),
    st.sampled_from([0, 1, -2]),
    st.sampled_from(["none", "floor", "ceil", "nearest"]),
)  # fmt: skip
CLAUSES = st.one_of(
    st.builds(lambda chain, measure, range_: clause(range_, measure, *chain), CHAINS, AMOUNTS, BOUNDS | RELATIONS),
    st.builds(lambda chain, measure, range_: clause(range_, measure, *chain), CHAINS, ANSWERS, BOUNDS),
)
SPECS = st.lists(CLAUSES, min_size=1, max_size=2).map(lambda clauses: spec(*clauses))
TEXTS = st.lists(
    st.sampled_from([
        "one", "One ", "two", " three", "我", "你好", ". ", "。", "! ", "\n", "\n\n", "- ", "1. ", "> ", "# ",
        "## ", "```\n",
        "| a | b |\n|---|---|\n| one | 2 |\n", '{"a": [1, {"b": 2}]}', "[name]", "**bold**", '"', "(", ")",
        "***\n", ", ", "\r\n",
        "กา", "  - ", "a: 1\n", "2026-03-31", "3.14", "12", "two. ",
        "> 我\n\n", "1. **One**:", "一、", "\n\n---\n\n", "“", "”",
    ]),
    max_size=25,
).map("".join)  # fmt: skip
