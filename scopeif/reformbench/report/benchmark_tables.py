"""Tables A9 to A12: what the benchmark is made of, whoever is evaluated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from scopeif.reformbench.catalog.features import Feature, catalog
from scopeif.reformbench.models import Requirement
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import Table, Value, count
from scopeif.reformbench.report.task_tables import label
from scopeif.reformbench.scoring.multiplicity import multiplicity

_RECONSTRUCTED = "†"
N = TypeVar("N", str, tuple[str, str])


def table_a9(material: Material) -> Table:
    """Questions by domain and task, the largest domain first; tasks by their number of questions."""
    cells = Counter((one.domain, one.task) for one in material.questions.values())
    domains = _by_size(one.domain for one in material.questions.values())
    tasks = _by_size(one.task for one in material.questions.values())
    rows: list[tuple[str, list[int]]] = [
        (domain, [*(cells[domain, task] for task in tasks), domains[domain]]) for domain in domains
    ]
    rows.append(("Total", [*tasks.values(), len(material.questions)]))
    return Table(
        name="table_a9",
        title="Table A9. Source questions by domain and task",
        head=["Domain", *map(label, tasks), "Total"],
        rows=[[label(name), *map(count, numbers)] for name, numbers in rows],
        data_head=["domain", *tasks, "total"],
        data=[[name, *numbers] for name, numbers in rows],
        notes=["Each question counts once, whatever its number of variants."],
    )


def table_a10(material: Material) -> Table:
    """Sources of the questions with their licences."""
    questions = material.questions.values()
    found = _by_size((one.source, one.licence) for one in questions)
    languages = Counter(one.language for one in questions)
    said = ", ".join(f"{number:,} {language}" for language, number in sorted(languages.items()))
    return Table(
        name="table_a10",
        title="Table A10. Sources of the questions and their licences",
        head=["Dataset", "Licence / use", "Questions"],
        rows=[[*where, count(number)] for where, number in found.items()],
        data_head=["source", "licence", "questions"],
        data=[[*where, number] for where, number in found.items()],
        notes=[f"{count(len(questions))} questions by language: {said}. The licence of a source governs its content."],
    )


class _Asked(NamedTuple):
    question: str
    targets: tuple[Requirement, ...]


def table_a11(material: Material) -> Table:
    """How often questions are varied and targets recur, before any baseline."""
    found = multiplicity(_Asked(one.question, one.requirements) for one in material.variants.values())
    groups = sum(found.targets.values())
    rows = [(band, found.questions[band], found.targets[band]) for band in found.questions]
    rows.append(("Total", sum(found.questions.values()), groups))
    without = len(material.questions) - rows[-1][1]
    notes = [
        f"Of {count(groups)} targets, {count(found.recurring)} recur. The most are {found.most_variants} variants of a "
        f"question and {found.most_occurrences} of a target."
    ]
    if without:
        notes.append(f"{count(without)} further questions have no variant.")
    return Table(
        name="table_a11",
        title="Table A11. Multiplicity of variants before any baseline",
        head=["Variants", "Questions", "Target groups"],
        rows=[[band, count(questions), count(targets)] for band, questions, targets in rows],
        data_head=["variants", "questions", "target_groups"],
        data=rows,
        notes=notes,
    )


def table_a12(material: Material) -> Table:
    """The catalog with the occurrences of each feature in this benchmark."""
    asked = Counter((one.feature, one.mode) for variant in material.variants.values() for one in variant.requirements)
    features = catalog().features
    names = {category.id: category.name["en"] for category in catalog().categories}
    others = sorted({feature for feature, _ in asked} - {feature.id for feature in features})
    slots = sum(asked.values())
    notes = [
        f"Req. and Forb. count occurrences in the {count(slots)} constraint slots of this benchmark; the file has the "
        f"paper's beside them. {_RECONSTRUCTED}: words that the paper's text lacks are reconstructed, as are all names "
        "of categories."
    ]
    if others:
        notes.append(f"Not in the catalog: {', '.join(others)}.")
    data: list[list[Value]] = [
        [one.id, one.category, one.name["en"], asked[one.id, "require"], asked[one.id, "forbid"], *_paper(one)]
        for one in features
    ]
    data += [[name, None, None, asked[name, "require"], asked[name, "forbid"], None, None] for name in others]
    numbers = {one.id: (asked[one.id, "require"], asked[one.id, "forbid"]) for one in features}
    return Table(
        name="table_a12",
        title="Table A12. The formatting catalog and its occurrences in this benchmark",
        head=["Category", "Feature", "Generic presence definition", "Req.", "Forb."],
        rows=[
            [names[one.category], _shown(one, "name"), _shown(one, "definition"), *map(count, numbers[one.id])]
            for one in features
        ],
        data_head=["feature", "category", "name", "require", "forbid", "paper_require", "paper_forbid"],
        data=data,
        notes=notes,
    )


def _paper(feature: Feature) -> tuple[int, int]:
    return feature.counts.require, feature.counts.forbid


def _shown(feature: Feature, what: str) -> str:
    words = feature.name["en"] if what == "name" else feature.definition["en"]
    return f"{words} {_RECONSTRUCTED}" if what in feature.reconstructed else words


def _by_size(values: Iterable[N]) -> dict[N, int]:
    return dict(sorted(Counter(values).items(), key=lambda one: (-one[1], one[0])))
