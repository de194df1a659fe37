"""English names: units, ordinals, amounts, predicates, selected segments."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scopeif.constraints.spec import (
    AllOf,
    AnyOf,
    At,
    Bounds,
    Contains,
    Each,
    EndsWith,
    IndexIs,
    LengthIs,
    Not,
    Predicate,
    Selection,
    StartsWith,
    Where,
)

UNIT_NAMES = {
    "list_item": "list item",
    "table_row": "table row",
    "table_cell": "table cell",
    "code_block": "code block",
    "json_value": "JSON value",
    "json_pair": "JSON key-value pair",
    "quote": "block quote",
    "highlight": "highlighted (bold or italic) span",
    "placeholder": "placeholder in square brackets",
}
_PLURALS = {"placeholder": "placeholders in square brackets"}
CLASS_NAMES = {
    "comma": "comma",
    "exclamation_mark": "exclamation mark",
    "question_mark": "question mark",
    "digit": "digit",
    "uppercase_letter": "uppercase letter",
    "lowercase_letter": "lowercase letter",
    "punctuation_mark": "punctuation mark",
    "emoji": "emoji",
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def singular(unit: str) -> str:
    return UNIT_NAMES.get(unit) or CLASS_NAMES.get(unit) or unit


def plural(unit: str) -> str:
    return _PLURALS.get(unit) or f"{singular(unit)}s"


def noun(unit: str, size: float) -> str:
    """The unit's name after an amount."""
    return singular(unit) if size == 1 else plural(unit)


def number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.10g}"


def quoted(text: str) -> str:
    """The text in quotation marks that it does not hold itself."""
    return f"“{text}”" if '"' in text else f'"{text}"'


def ordinal(index: int) -> str:
    """first, second, ... 12th, last, second-to-last."""
    if index < 0:
        return "last" if index == -1 else f"{ordinal(-index)}-to-last"
    if index <= len(_ORDINALS):
        return _ORDINALS[index - 1]
    suffix = "th" if index % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(index % 10, "th")
    return f"{index}{suffix}"


def amount(bounds: Bounds, unit: str, rng: random.Random) -> str:
    """at most 3 sentences; exactly 1 word; between 2 and 4 commas."""
    lower, upper = bounds.lower, bounds.upper
    if lower is not None and upper is not None:
        if lower == upper:
            return f"exactly {number(lower)} {noun(unit, lower)}"
        low, high = number(lower), number(upper)
        form = rng.choice(("between {} and {} {} (inclusive)", "at least {} and at most {} {}"))
        return form.format(low, high, noun(unit, upper))
    if upper is not None:
        return f"{rng.choice(('at most', 'no more than'))} {number(upper)} {noun(unit, upper)}"
    bound = lower or 0
    lead = "at least" if bound <= 1 else rng.choice(("at least", "no fewer than"))
    return f"{lead} {number(bound)} {noun(unit, bound)}"


def string_name(text: str, whole_word: bool) -> str:
    """How a string is called: the word, the phrase, the letter, the string."""
    if len(text) == 1 and not whole_word:
        return f"the {'letter' if text.isalpha() else 'character'} {quoted(text)}"
    if not whole_word or not any(char.isalnum() for char in text):
        return f"the string {quoted(text)}"
    return f"the {'phrase' if ' ' in text.strip() else 'word'} {quoted(text)}"


def times(bounds: Bounds, rng: random.Random) -> str:
    """at least 2 times; exactly once."""
    text = amount(bounds, "time", rng)
    lone = text.endswith(" 1 time") and " and " not in text
    return text.replace(" 1 time", " once") if lone else text


def segment(chain: Sequence[Selection], rng: random.Random) -> str:
    """The selected segments: the last sentence of each paragraph; the response for an empty chain."""
    steps = [step for step in chain if step.unit != "response"]
    if not steps:
        return rng.choice(("the response", "your response"))
    parts = [_step(step, rng) for step in reversed(steps)]
    links = [" of " if isinstance(step, At) else " in " for step in reversed(steps)][:-1]
    return "".join(part + link for part, link in zip(parts, [*links, ""], strict=True))


def _step(step: Selection, rng: random.Random) -> str:
    name = singular(step.unit)
    match step:
        case Each():
            return f"{rng.choice(('each', 'every'))} {name}"
        case At():
            return f"the {ordinal(step.index)} {name}"
        case Where():
            return where(step)


def where(step: Where, determiner: str = "each") -> str:
    """each paragraph that contains "x"; each odd-numbered line."""
    name, predicate = singular(step.unit), step.predicate
    if isinstance(predicate, IndexIs) and predicate.modulus == 2:
        return f"{determiner} {'odd' if predicate.remainder else 'even'}-numbered {name}"
    if isinstance(predicate, IndexIs) and predicate.remainder == 0 and determiner == "each":
        first = [ordinal(predicate.modulus * turn) for turn in (1, 2, 3)]
        return f"every {first[0]} {name} (the {', '.join(first)}, and so on)"
    return f"{determiner} {name} that {condition(predicate)}"


def condition(predicate: Predicate, negated: bool = False) -> str:
    """A verb phrase in the singular for what a predicate asks."""
    match predicate:
        case Not():
            return condition(predicate.of, not negated)
        case AllOf() | AnyOf():
            parts = [condition(inner, negated) for inner in predicate.of]
            if isinstance(predicate, AllOf) == negated:
                return ("either " if len(parts) > 1 else "") + " or ".join(parts)
            return ("both " if len(parts) == 2 else "") + " and ".join(parts)
        case LengthIs():
            return f"has {length(predicate, negated)}"
        case IndexIs():
            verb = "does not leave" if negated else "leaves"
            return f"has a number that {verb} remainder {predicate.remainder} when divided by {predicate.modulus}"
        case Contains() | StartsWith() | EndsWith():
            verb = {"contains": "contain", "starts": "start with", "ends": "end with"}[predicate.test]
            first, _, rest = verb.partition(" ")
            said = f"does not {verb}" if negated else f"{first}s {rest}".strip()
            return f"{said} {quoted(predicate.text)}{case_note(predicate.case_sensitive)}"


def length(predicate: LengthIs, negated: bool) -> str:
    """at least 2 words; fewer than 2 words or more than 4 words."""
    lower, upper, unit = predicate.lower, predicate.upper, predicate.unit
    if not negated:
        return amount(Bounds(lower=lower, upper=upper), unit, random.Random(0))
    outside = [f"fewer than {lower} {noun(unit, lower)}"] if lower is not None else []
    outside += [f"more than {upper} {noun(unit, upper)}"] if upper is not None else []
    return " or ".join(outside)


def case_note(case_sensitive: bool) -> str:
    return " (with exactly this capitalization)" if case_sensitive else ""
