"""Writes a report's folder: report.md, a CSV file a table, PNG and SVG a figure, and the target matrices.

OUT/report.md                  everything that is printed, and what is missing
OUT/table_2.csv ...            one file a table: unrounded values, rates in [0, 1], empty where undefined
OUT/fig_3.png, fig_3.svg ...   figures
OUT/table_a1.csv               the cells of all target x variant matrices
OUT/target_matrices/MODEL.md   the matrices of one model, a question each

The same input gives the same bytes of Markdown and CSV. Files of an earlier report that this one lacks are removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.report.canvas import Figure
from scopeif.reformbench.report.contents import CHAPTERS, absent, made
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import Absent, Table, plain, plural
from scopeif.reformbench.report.target_matrix import MATRIX_HEAD, matrices, most_telling
from scopeif.reformbench.report.worked_example import examples

_MATRICES = "target_matrices"
_SUFFIXES = ("csv", "png", "svg")


@dataclass
class Report:
    """What is to be written: files by path within the folder, the text of report.md, and what is missing."""

    files: dict[str, bytes] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    absent: list[Absent] = field(default_factory=list)

    def add(self, part: Table | Figure | Absent) -> None:
        """Add a part with its files."""
        if isinstance(part, Figure):
            part = self._drawn(part) or part
        if isinstance(part, Absent):
            self.absent.append(part)
        elif isinstance(part, Table):
            self.files[f"{part.name}.csv"] = part.csv().encode()
            self.text.append(part.markdown())
        else:
            notes = "".join(f"\n{plain(note)}\n" for note in part.notes)
            title = plain(part.title)
            link = f"![{title}]({part.name}.png)\n\n[{part.name}.svg]({part.name}.svg)"
            self.text.append(f"### {title}\n\n{link}\n{notes}")

    def _drawn(self, figure: Figure) -> Absent | None:
        try:
            files = figure.files()
        except InvalidInputError as error:
            return absent(figure.name, figure.title, error)
        self.files.update({f"{figure.name}.{suffix}": content for suffix, content in files.items()})
        return None


def composed(material: Material, variants: Sequence[str] = ()) -> Report:
    """The whole report.

    Args:
        variants: ids of variants whose responses are shown as worked examples; two are chosen where none is named.

    Raises:
        DataError: the benchmark's questions or variants cannot be read, or a variant is unknown.
    """
    report = Report()
    summary = _summary(material)
    for chapter, parts in CHAPTERS.items():
        report.text.append(f"## {chapter}\n")
        begun = len(report.text)
        for part in parts:
            report.add(made(part, material))
        if chapter == "Main results":
            _add_matrices(report, material)
        if chapter == "Judging":
            _add_examples(report, material, variants)
        if len(report.text) == begun:
            report.text.append("Nothing of this is there yet; see above what makes it.\n")
    with suppress(InvalidInputError):  # without probabilities the parts that need them say so
        report.absent = [*material.left_out(), *report.absent]
    report.text = [*summary, _missing(report.absent), *report.text]
    return report


def write_report(material: Material, out: Path, variants: Sequence[str] = ()) -> Report:
    """Compose and write it; errors as `composed`, and DataError where the folder cannot be written to."""
    report = composed(material, variants)
    report.files["report.md"] = "\n".join(report.text).encode()
    for name, content in report.files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        with replaced(out / name) as whole:
            whole.write_bytes(content)
    for path in _stale(out, report):
        path.unlink()
    return report


def _summary(material: Material) -> list[str]:
    questions, variants = len(material.questions), len(material.variants)
    lines = [f"# ReFormBench report\n\n{plural(questions, 'question')}, {plural(variants, 'instruction variant')}."]
    try:
        models = material.evaluated
    except InvalidInputError:
        lines.append("No model is evaluated yet.")
    else:
        named = ", ".join(one.model for one in models)
        lines.append(f"{plural(len(models), 'evaluated model')}: {plain(named)}.")
    lines.append(
        "Rates are percentages; a dash stands for what is undefined or not known. Each table's file has the unrounded "
        "values, rates in [0, 1]. Models stand in the order of their TCPR.\n"
    )
    return ["\n".join(lines)]


def _missing(parts: Sequence[Absent]) -> str:
    titles: dict[tuple[str, str], list[str]] = {}
    for one in dict.fromkeys(parts):
        titles.setdefault((one.why, one.fix), []).append(one.title)
    grouped = (Absent("", ", ".join(several), *cause) for cause, several in titles.items())
    lines = "".join(f"{one.markdown()}\n" for one in grouped)
    return f"## Missing\n\n{lines or 'Nothing.' + chr(10)}"


def _add_matrices(report: Report, material: Material) -> None:
    """Table A1's layout: one question in the report, all of them in files."""
    title = "Table A1 (targets and variants by question)"
    try:
        models = material.evaluated
        found = {one.model: matrices(one) for one in models}
        shown = most_telling(next((rows for rows in found.values() if rows), []))
    except InvalidInputError as error:
        report.add(absent("table_a1", title, error))
        return
    example = shown.table(f"Table A1. Target judgments of {shown.model} on question {shown.question}")
    rows = [row for of_model in found.values() for one in of_model for row in one.data()]
    files = {model: f"{_MATRICES}/{material.folder.file_of(_MATRICES, model).stem}.md" for model in found}
    links = ", ".join(f"[{plain(model)}]({file})" for model, file in files.items())
    report.add(Table("table_a1", example.title, example.head, example.rows, MATRIX_HEAD, rows, example.notes))
    report.text.append(f"All questions: {links}.\n")
    for model, of_model in found.items():
        tables = (one.table().markdown().rpartition("\n[")[0] for one in of_model)
        report.files[files[model]] = "\n".join([f"# {plain(model)}\n", *tables, ""]).encode()


def _add_examples(report: Report, material: Material, variants: Sequence[str]) -> None:
    if unknown := sorted(set(variants) - material.variants.keys()):
        raise DataError(f"variant {unknown[0]!r} is unknown", fix="name an id of variants.jsonl")
    try:
        found = examples(material, variants)
    except InvalidInputError as error:
        report.add(absent("examples", "Worked examples (A.11)", error))
        return
    report.text += ["## Worked examples\n", *(one.markdown() for one in found)]


def _stale(out: Path, report: Report) -> Iterator[Path]:
    """Files of an earlier report that this one lacks."""
    names = {"table_a1", *(part.name for parts in CHAPTERS.values() for part in parts)}
    owned = [out / f"{name}.{suffix}" for name in sorted(names) for suffix in _SUFFIXES]
    owned += sorted((out / _MATRICES).glob("*.md"))
    yield from (path for path in owned if path.exists() and str(path.relative_to(out)) not in report.files)
