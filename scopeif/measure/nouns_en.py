"""English names: units, ordinals, amounts, predicates, selected segments."""

from __future__ import annotations

from collections.abc import Sequence

from scopeif.constraints.spec import (
    AllOf,
    AnyOf,
    At,
    Bounds,
    Contains,
    Count,
    Each,
    EndsWith,
    IndexIs,
    LengthIs,
    MatchesPattern,
    Not,
    Predicate,
    Selection,
    StartsWith,
    UnderHeading,
    Where,
)
from scopeif.measure.voice import Voice, figures

_NAMES = {
    "list_item": "list item",
    "table_row": "table body row",
    "table_cell": "table cell",
    "code_block": "code block",
    "json_value": "JSON value",
    "json_pair": "JSON key-value pair",
    "quote": "block quote",
    "highlight": "bold or italic passage",
    "placeholder": "placeholder in square brackets",
    "character": "character (spaces included)",
    "exclamation_mark": "exclamation mark",
    "question_mark": "question mark",
    "uppercase_letter": "uppercase letter",
    "lowercase_letter": "lowercase letter",
    "punctuation_mark": "punctuation mark",
}
_PLURALS = {
    "placeholder": "placeholders in square brackets",
    "character": "characters (spaces included)",
    "emoji": "emojis",
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NESTED = {"section": "subsection", "list": "nested list", "list_item": "nested list item", "quote": "nested quote"}
_VERBS = {"contain": "contains", "start": "starts", "end": "ends", "have": "has", "match": "matches", "stand": "stands"}


def singular(unit: str) -> str:
    return _NAMES.get(unit, unit)


def plural(unit: str) -> str:
    return _PLURALS.get(unit) or f"{singular(unit)}s"


def bare(unit: str) -> str:
    """The unit as a thing that something is said of: a character, spaces or not."""
    return "character" if unit == "character" else singular(unit)


def bare_plural(unit: str) -> str:
    return "characters" if unit == "character" else plural(unit)


class Thing:
    """What is counted, in the singular and plural; sentences that contain "x" are one, too."""

    def __init__(self, unit: str, inside: str | None = None, where: Predicate | None = None) -> None:
        nested = _NESTED.get(unit, f"{bare(unit)} inside it") if unit == inside else None
        self.one = nested or singular(unit)
        self.many = f"{nested}s" if nested in _NESTED.values() else plural(unit)
        if where is not None:
            self.one += f" that {condition(where)}"
            self.many += f" that {condition(where, several=True)}"

    @classmethod
    def counted(cls, measure: Count, scope: Sequence[Selection]) -> Thing:
        return cls(measure.unit, scope[-1].unit if scope else None, measure.where)

    def after(self, size: float) -> str:
        """The name behind an amount."""
        return self.one if size == 1 else self.many


def number(value: float, voice: Voice) -> str:
    if voice.spells and value == int(value) and 0 <= value < len(_CARDINALS):
        return _CARDINALS[int(value)]
    return figures(value)


def quoted(text: str) -> str:
    """The text in quotation marks that it does not hold itself."""
    return f"“{text}”" if '"' in text else f'"{text}"'


def ordinal(index: int) -> str:
    """first, second, ... 12th, last, second-to-last."""
    if index < 0:
        return "last" if index == -1 else f"{ordinal(-index)}-to-last"
    if index <= len(_ORDINALS):
        return _ORDINALS[index - 1]
    return _short_ordinal(index)


def _short_ordinal(index: int) -> str:
    suffix = "th" if index % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(index % 10, "th")
    return f"{index}{suffix}"


def amount(bounds: Bounds, thing: Thing, voice: Voice) -> str:
    """at most 3 sentences; exactly 1 word; between 2 and 4 commas."""
    lower, upper = bounds.lower, bounds.upper
    if lower is not None and upper is not None:
        if lower == upper:
            return f"{voice.pick('exactly', 'exactly', 'precisely')} {number(lower, voice)} {thing.after(lower)}"
        form = voice.pick(
            "between {} and {} {} (inclusive)",
            "from {} to {} {} (inclusive)",
            "at least {} and at most {} {}",
            "no fewer than {} and no more than {} {}",
        )
        return form.format(number(lower, voice), number(upper, voice), thing.after(upper))
    if upper is not None:
        return f"{voice.pick('at most', 'no more than')} {number(upper, voice)} {thing.after(upper)}"
    bound = lower or 0
    lead = "at least" if bound <= 1 else voice.pick("at least", "no fewer than")
    return f"{lead} {number(bound, voice)} {thing.after(bound)}"


def times(bounds: Bounds, voice: Voice) -> str:
    """at least 2 times; exactly once; at most twice."""
    lower, upper = bounds.lower, bounds.upper
    if lower is not None and upper is not None and lower != upper:
        return amount(bounds, _TIME, voice)
    size = upper if upper is not None else lower
    if size in (1, 2) and (size == 1 or voice.spells):
        lead = "exactly" if lower == upper else "at most" if upper is not None else "at least"
        return f"{lead} {'once' if size == 1 else 'twice'}"
    return amount(bounds, _TIME, voice)


def string_name(text: str, whole_word: bool, case_sensitive: bool) -> str:
    """How a string is called: the word, the phrase, the letter, the string."""
    if len(text) == 1 and not whole_word:
        if not text.isalpha():
            return f"the character {quoted(text)}"
        cased = text.lower() != text.upper()
        note = "" if not cased else case_note(text, True) if case_sensitive else " (uppercase or lowercase)"
        return f"the letter {quoted(text)}{note}"
    if not whole_word or not any(char.isalnum() for char in text):
        return f"the string {quoted(text)}{case_note(text, case_sensitive)}"
    kind = "phrase" if " " in text.strip() else "word"
    return f"the {kind} {quoted(text)}{case_note(text, case_sensitive)}"


def case_note(text: str, case_sensitive: bool) -> str:
    """How a text's letters are read; marks and scripts without case need no note."""
    return " (with exactly this capitalization)" if case_sensitive and text.lower() != text.upper() else ""


def _as_written(predicate: Contains | StartsWith | EndsWith | UnderHeading) -> str:
    return f"{quoted(predicate.text)}{case_note(predicate.text, predicate.case_sensitive)}"


def pattern_name(pattern: str, case_sensitive: bool) -> str:
    mark = '"' if "`" in pattern else "`"
    return f"the regular expression {mark}{pattern}{mark}{'' if case_sensitive else ' (in any capitalization)'}"


# -- selected segments -------------------------------------------------------------------------------------------


def segment(
    chain: Sequence[Selection],
    voice: Voice,
    determiners: tuple[str, ...] = ("each", "every"),
    inside: str | None = None,
) -> str:
    """The selected segments: the last sentence of each paragraph; the response for an empty chain.

    `inside` is the unit that the chain stands in: a section in a section is a subsection.
    """
    steps = [step for step in chain if step.unit != "response"]
    if not steps:
        return voice.pick("the response", "your response", "the response", "your answer")
    if len(steps) == 2:
        owner, owned = steps
        if isinstance(owner, Each) and isinstance(owned, At) and voice.pick("of", "of", "'s") == "'s":
            owned_name = _called(owned.unit, owner.unit)
            return f"{_step(owner, voice, determiners, inside)}'s {ordinal(owned.index)} {owned_name}"
    outer = [inside, *(step.unit for step in steps)]
    parts = [_step(step, voice, determiners, unit) for step, unit in reversed(list(zip(steps, outer, strict=False)))]
    links = [" of " if isinstance(step, At) else " in " for step in reversed(steps)][:-1]
    return "".join(part + link for part, link in zip(parts, [*links, ""], strict=True))


def parted(chain: Sequence[Selection], voice: Voice) -> tuple[str, str]:
    """The outer segments as an adverbial, or nothing, and the segments in them: "in each section, " "every line"."""
    steps = [step for step in chain if step.unit != "response"]
    if len(steps) > 1 and voice.pick("whole", "parted") == "parted":
        return f"{voice.pick('in', 'within')} {segment(steps[:-1], voice)}, ", segment(
            steps[-1:], voice, inside=steps[-2].unit
        )
    return "", segment(steps, voice)


def _step(step: Selection, voice: Voice, determiners: tuple[str, ...], outer: str | None) -> str:
    name = _called(step.unit, outer)
    match step:
        case Each():
            return f"{voice.pick(*determiners)} {name}"
        case At():
            return f"the {ordinal(step.index)} {name}"
        case Where():
            return where(step, voice, determiners, outer)


def _called(unit: str, outer: str | None) -> str:
    """A section in a section is a subsection."""
    return _NESTED.get(unit, bare(unit)) if unit == outer else bare(unit)


def where(step: Where, voice: Voice, determiners: tuple[str, ...] = ("each", "every"), outer: str | None = None) -> str:
    """each paragraph that contains "x"; each odd-numbered line; every paragraph under the heading "x"."""
    name, predicate, every = _called(step.unit, outer), step.predicate, voice.pick(*determiners)
    match predicate:
        case IndexIs(modulus=2):
            return f"{every} {'odd' if predicate.remainder else 'even'}-numbered {name}"
        case IndexIs():
            first = predicate.remainder or predicate.modulus
            named = ", ".join(_short_ordinal(first + predicate.modulus * turn) for turn in (0, 1, 2))
            return (
                f"{'every' if every == 'each' else every} {ordinal(predicate.modulus)} {name} (the {named} and so on)"
            )
        case UnderHeading():
            return f"{every} {name} under the heading {_as_written(predicate)}"
        case Contains() | StartsWith() | EndsWith() if voice.pick("that", "ing") == "ing":
            verb = {"contains": "containing", "starts": "starting with", "ends": "ending with"}[predicate.test]
            return f"{every} {name} {verb} {_as_written(predicate)}"
    return f"{every} {name} that {condition(predicate)}"


def condition(predicate: Predicate, negated: bool = False, several: bool = False) -> str:
    """A verb phrase for what a predicate asks of one unit, or of several."""

    def verb(infinitive: str) -> str:
        if negated:
            return f"{'do' if several else 'does'} not {infinitive}"
        return infinitive if several else _VERBS[infinitive]

    match predicate:
        case Not():
            return condition(predicate.of, not negated, several)
        case AllOf() | AnyOf():
            parts = [condition(inner, negated, several) for inner in predicate.of]
            if isinstance(predicate, AllOf) == negated:
                return ("either " if len(parts) > 1 else "") + " or ".join(parts)
            return ("both " if len(parts) == 2 else "") + " and ".join(parts)
        case LengthIs():
            return f"{'have' if several else 'has'} {_length(predicate, negated)}"
        case IndexIs():
            return f"{'have' if several else 'has'} {_index(predicate, negated)}"
        case MatchesPattern():
            return f"{verb('match')} {pattern_name(predicate.pattern, predicate.case_sensitive)}"
        case UnderHeading():
            return f"{verb('stand')} under the heading {_as_written(predicate)}"
        case Contains():
            return f"{verb('contain')} {_as_written(predicate)}"
        case StartsWith() | EndsWith():
            side = "start" if isinstance(predicate, StartsWith) else "end"
            return f"{verb(side)} with {_as_written(predicate)}"


def _index(predicate: IndexIs, negated: bool) -> str:
    if predicate.modulus == 2:
        return f"an {'odd' if bool(predicate.remainder) != negated else 'even'} number"
    no = "not " if negated else ""
    if predicate.remainder == 0:
        return f"a number that is {no}a multiple of {predicate.modulus}"
    return f"a number that does {no}leave remainder {predicate.remainder} when divided by {predicate.modulus}".replace(
        "does leave", "leaves"
    )


def _length(predicate: LengthIs, negated: bool) -> str:
    """at least 2 words; fewer than 2 words or more than 4 words."""
    lower, upper, thing = predicate.lower, predicate.upper, Thing(predicate.unit)
    if negated:
        outside = [f"fewer than {lower} {thing.after(lower)}"] if lower is not None else []
        outside += [f"more than {upper} {thing.after(upper)}"] if upper is not None else []
        return " or ".join(outside)
    if lower is not None and upper is not None:
        if lower == upper:
            return f"exactly {lower} {thing.after(lower)}"
        return f"between {lower} and {upper} {thing.after(upper)} (inclusive)"
    return (
        f"at most {upper} {thing.after(upper)}" if upper is not None else f"at least {lower} {thing.after(lower or 0)}"
    )


_TIME = Thing("time")
