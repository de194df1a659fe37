"""Which labels stand behind every number: agreed, reviewed, estimated by stratum or pool, unverified (section 3.5).

A number rests on occurrences, a requirement in a variant: TCPR on all of them; a level K on those of targets of its
eligible units, each counted once; EMCR on those of any level. Unverified occurrences are counted too, though the
variants and units that hold them are left out of the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from scopeif.errors import InvalidInputError
from scopeif.reformbench.calibration.calibration import Origin
from scopeif.reformbench.report.evaluated import Labelled, Place
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.places import MAIN, PROMPTED, SINGLE, Asked
from scopeif.reformbench.report.studied import study_labels, study_models
from scopeif.reformbench.report.table import Table, Value
from scopeif.reformbench.scoring.benchmark_shape import ScoredVariant
from scopeif.reformbench.scoring.links import is_opposed, link
from scopeif.reformbench.scoring.units import LEVELS, eligible_units

ORIGINS: tuple[Origin, ...] = get_args(Origin)
ALL = "all"
METRICS = ("tcpr", "emcr", *(f"k{level}" for level in LEVELS), "opposed", "aligned")
_WORDS: dict[Origin, str] = {
    "agreed": "agreed",
    "reviewed": "reviewed",
    "stratum": "estimated by stratum",
    "pooled": "estimated by the pool",
    "measured": "measured by their specs",
    "unverified": "unverified",
}
Counts = Counter[Origin]
Behind = dict[tuple[str, str], Counts]
"""By group of questions and metric."""


def behind(model: Labelled, group_of: Mapping[str, str] | None = None) -> Behind:
    """The origins behind the numbers of a model, over all questions and by group.

    Args:
        group_of: the group of each question, such as its task.

    Metrics are `tcpr`, `emcr`, `k1`, `k2`, `k3`, `opposed` and `aligned`.
    """
    found: Behind = {}
    by_question = dict(model.benchmark.by_question())
    for question, baseline in model.questions():
        groups = (ALL, group_of[question]) if group_of is not None else (ALL,)
        for metric, places in _places(by_question[question], baseline).items():
            for group in groups:
                found.setdefault((group, metric), Counter()).update(model.origins[place] for place in places)
    return found


def counted(several: Iterable[Counts]) -> str:
    """Several counts together, in words."""
    total: Counts = Counter()
    for one in several:
        total.update(one)
    words = ", ".join(f"{total[origin]:,} {_WORDS[origin]}" for origin in ORIGINS if total[origin])
    return f"{total.total():,} labels ({words})" if words else "no labels"


def study_line(material: Material, other: Asked) -> str:
    """The footnote about calibration of a study."""
    sides = {
        asked.folder: counted(behind(labels)[ALL, "tcpr"] for labels, of in _studied(material, other) if of == asked)
        for asked in (MAIN, other)
    }
    said = " and ".join(f"{words} for {folder} responses" for folder, words in sides.items())
    calibration = material.calibrated(MAIN, "pooled").calibration
    return f"Calibration of both conditions: {calibration}. Behind the numbers stand {said}."


def provenance(material: Material) -> Table:
    """The counts behind every number of Tables 2, 3, A2, A5 and A6 and of Figs. 3 and 4."""
    data: list[list[Value]] = []
    for table, model, asked, found in _cells(material):
        for (group, metric), counts in sorted(found.items(), key=lambda one: (one[0][0], METRICS.index(one[0][1]))):
            numbers = [counts[origin] for origin in ORIGINS]
            data.append([table, model, asked, group, metric, *numbers, counts.total()])
    head = ["table", "model", "responses", "group", "metric", *ORIGINS, "total"]
    whole = [row for row in data if row[3] == ALL and str(row[0]).startswith("2")]
    return Table(
        name="provenance",
        title="Calibration provenance",
        head=["Model", "Metric", *(_WORDS[origin] for origin in ORIGINS), "total"],
        rows=[[str(row[1]), str(row[4]).upper(), *(f"{number:,}" for number in row[5:])] for row in whole],
        data_head=head,
        data=data,
        notes=[
            "Labels behind the numbers of Table 2: agreed by both judges, reviewed, estimated from the reviewed part "
            "of their stratum, estimated by the pool, or unverified. The file has them by task and for the studies too."
        ],
    )


def _cells(material: Material) -> Iterator[tuple[str, str, str, Behind]]:
    tasks = {question.id: question.task for question in material.questions.values()}
    for one in material.evaluated:
        found = behind(one, tasks)
        rates = {key: counts for key, counts in found.items() if key[1] not in ("opposed", "aligned")}
        yield "2, A2", one.model, MAIN.folder, {key: value for key, value in rates.items() if key[0] == ALL}
        by_task = {key: value for key, value in rates.items() if key[0] != ALL and key[1] in ("tcpr", "emcr")}
        yield "A5, A6, Fig. 3", one.model, MAIN.folder, by_task
    for table, other, metrics in (
        ("3", SINGLE, ("tcpr", "opposed", "aligned")),
        ("Fig. 4", PROMPTED, ("tcpr", "emcr", *(f"k{level}" for level in LEVELS))),
    ):
        for labels, asked in _studied(material, other):
            every = behind(labels)
            yield table, labels.model, asked.folder, {key: one for key, one in every.items() if key[1] in metrics}


def _studied(material: Material, other: Asked) -> Iterator[tuple[Labelled, Asked]]:
    """Both sides of a study for every model; nothing where the study cannot be made, which its own part says."""
    try:
        models = study_models(material, other)
        found = [(study_labels(material, model, asked), asked) for model in models for asked in (MAIN, other)]
    except InvalidInputError:
        return
    yield from found


def _places(variants: list[ScoredVariant], baseline: frozenset[str] | None) -> dict[str, set[Place]]:
    every = {(one.id, position) for one in variants for position in range(len(one.targets))}
    if baseline is None:
        return {"tcpr": every}
    opposed = {
        (one.id, position)
        for one in variants
        for position, target in enumerate(one.targets)
        if is_opposed(target, baseline)
    }
    found = {"tcpr": every, "opposed": opposed, "aligned": every - opposed}
    levels: dict[int, set[Place]] = {level: set() for level in LEVELS}
    for unit in eligible_units(link(variants, baseline)):
        for number, one in enumerate(variants):
            if unit.covered >> number & 1:
                levels[len(unit.targets)].update(
                    (one.id, position) for position, target in enumerate(one.targets) if target in unit.targets
                )
    found |= {f"k{level}": places for level, places in levels.items()}
    return found | {"emcr": set().union(*levels.values())}
