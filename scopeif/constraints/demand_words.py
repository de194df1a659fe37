"""Demands in words, for the messages of contradictions."""

from __future__ import annotations

import math

from scopeif.constraints.demands import Amount, Steps
from scopeif.constraints.spec import At, ClassCount, Count, Each, Occurrences, Where

CASES = {"lowercase_letter": "small letters", "uppercase_letter": "capitals"}
"""Classes of letters whose name is not that of the class."""


def amount_words(amount: Amount, place: bool = True) -> str:
    """``at most 2 sentences in each paragraph``; without the segment if not `place`."""
    lower, upper = amount.range
    noun = measure_words(amount.measure)
    if (lower, upper) in ((1, 1), (1, math.inf), (0, 1)) and not isinstance(amount.measure, Occurrences):
        noun = noun.removesuffix("s")
    within = f" in {segment_words(amount.chain)}" if place and amount.chain else ""
    if upper == 0:
        return f"no {noun}{within}"
    if math.isinf(upper):
        return f"at least {lower:g} {noun}{within}"
    if lower == 0:
        return f"at most {upper:g} {noun}{within}"
    return f"{f'{lower:g}' if lower == upper else f'{lower:g} to {upper:g}'} {noun}{within}"


def measure_words(measure: object) -> str:
    """What is counted, in the plural."""
    match measure:
        case Count():
            return f"{measure.unit.replace('_', ' ')}s" + (" of that kind" if measure.where else "")
        case Occurrences():
            return f"{measure.text!r}"
        case ClassCount():
            return CASES.get(measure.char_class, f"{measure.char_class.replace('_', ' ')}s")
    kind = getattr(measure, "kind", "")
    return f"{kind.replace('_', ' ')}"


def segment_words(chain: Steps) -> str:
    """The segments of a selector chain: ``the last sentence of each paragraph``."""
    if not chain:
        return "the response"
    return " of ".join(_step(step) for step in reversed(chain))


def _step(step: object) -> str:
    match step:
        case Each():
            return f"each {step.unit.replace('_', ' ')}"
        case At():
            name = step.unit.replace("_", " ")
            return f"the last {name}" if step.index == -1 else f"{name} {step.index}"
        case Where():
            return f"{step.unit.replace('_', ' ')}s with the condition"
    return ""
