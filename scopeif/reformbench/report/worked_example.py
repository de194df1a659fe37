"""One response as it was judged: instruction, response, and each requirement with both labels, the measured outcome and
the calibrated probability (appendix A.11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scopeif.errors import DataError
from scopeif.reformbench.adjudication.strata import Pair
from scopeif.reformbench.calibration.calibration import Probability
from scopeif.reformbench.judging.prompt import Assessed
from scopeif.reformbench.judging.third_opinion import opinion
from scopeif.reformbench.models import Judgment
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import decimal, fenced, plain, quoted

_ORIGINS = {
    "agreed": "both judges agree",
    "reviewed": "the label that a reviewer found better supported",
    "stratum": "mean of the reviewed labels of its stratum (Eq. 7)",
    "pooled": "weight of the pool (Eq. 13)",
    "unverified": "no probability: a judge gave no label",
}
_LABELS = {1: "pass", 0: "fail", None: "unverified"}


@dataclass(frozen=True)
class Example:
    """One judged response."""

    item: Assessed
    pairs: tuple[Pair, ...]
    probabilities: tuple[Probability, ...]

    def markdown(self) -> str:
        """The view; lines of the response are numbered."""
        response = self.item.response
        cut = " It was cut off by the token limit." if response.truncated else ""
        parts = [
            f"### Variant {plain(self.item.variant.id)}, {plain(response.model)}\n",
            f"Instruction:\n\n{fenced(self.item.instruction)}",
            f"Response {plain(response.id)}, its lines numbered.{cut}\n\n{fenced(_numbered(response.text))}",
            *(self._requirement(number) for number in range(len(self.pairs))),
        ]
        return "\n".join(parts)

    def _requirement(self, number: int) -> str:
        pair, probability = self.pairs[number], self.probabilities[number]
        asked = pair.requirement
        measured = opinion(asked, self.item.response.text)
        why = (
            "" if measured is not None else " (no formal spec)" if asked.spec is None else " (can be read in two ways)"
        )
        origin = _ORIGINS[probability.origin]
        if probability.origin in ("stratum", "pooled", "reviewed") and probability.stratum is not None:
            origin += f"; {probability.stratum}"
        target = f"{asked.mode} {quoted(asked.feature)}"
        return "\n".join(
            [
                f"**Requirement {pair.instance.position + 1}: {target}.** {quoted(asked.text)}\n",
                f"- Accepted when: {quoted(asked.acceptance)}",
                *(f"- {_judged(one)}" for one in (pair.first, pair.second)),
                f"- Measured: {'—' if measured is None else _LABELS[measured]}{why}",
                f"- Calibrated pass probability: {decimal(probability.value, 4)} ({quoted(origin)})\n",
            ]
        )


def examples(material: Material, variants: Sequence[str] = ()) -> list[Example]:
    """Responses to show.

    Args:
        variants: ids; every evaluated model's responses to them. Without any, one response whose labels all agree on a
            pass and one with an unreviewed disagreement (else a reviewed one), as the paper shows.

    Raises:
        DataError: an id is unknown, or there is no judging.
    """
    if unknown := [name for name in variants if name not in material.variants]:
        raise DataError(f"variant {unknown[0]!r} is unknown", fix="name an id of variants.jsonl")
    wanted = set(variants)
    found = list(_all(material))
    if wanted:
        return [one for one in found if one.item.variant.id in wanted]
    agreed = [one for one in found if _origins(one) == {"agreed"} and _passes(one)]
    estimated = [one for one in found if _origins(one) & {"stratum", "pooled"}]
    reviewed = [one for one in found if "reviewed" in _origins(one)]
    return [*agreed[:1], *(estimated or reviewed)[:1]] or found[:1]


def _all(material: Material) -> Iterator[Example]:
    by_response: dict[tuple[str, str], list[Pair]] = {}
    for pair in material.main_pairs:
        by_response.setdefault((pair.instance.model, pair.instance.response), []).append(pair)
    probabilities = material.main.probabilities
    for item in sorted(
        material.main_items, key=lambda one: material.order.get(one.response.model, len(material.order))
    ):
        pairs = by_response[item.response.model, item.response.id]
        if all(pair.instance in probabilities for pair in pairs):
            yield Example(item, tuple(pairs), tuple(probabilities[pair.instance] for pair in pairs))


def _origins(one: Example) -> set[str]:
    return {probability.origin for probability in one.probabilities}


def _passes(one: Example) -> bool:
    return all(probability.value == 1 for probability in one.probabilities)


def _judged(one: Judgment) -> str:
    said = one.evidence if one.label is not None else one.reason
    return f"Judge {plain(one.judge)}: {_LABELS[one.label]}" + (f". {quoted(said)}" if said else "")


def _numbered(text: str) -> str:
    lines = text.split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}} | {line}".rstrip() for number, line in enumerate(lines, start=1))
