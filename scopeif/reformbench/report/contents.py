"""The parts of a report in their order, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scopeif.errors import InvalidInputError
from scopeif.reformbench.report import benchmark_tables as of_benchmark
from scopeif.reformbench.report import task_tables as by_task
from scopeif.reformbench.report.canvas import Figure
from scopeif.reformbench.report.difficulty_tables import table_combinations
from scopeif.reformbench.report.figure_levels import figure_levels
from scopeif.reformbench.report.figure_prompting import figure_4
from scopeif.reformbench.report.figure_ranks import figure_ranks
from scopeif.reformbench.report.figure_tasks import figure_3
from scopeif.reformbench.report.judging_tables import table_a3, table_third_opinion
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.provenance import provenance
from scopeif.reformbench.report.rank_table import table_ranks
from scopeif.reformbench.report.score_tables import table_2, table_a2
from scopeif.reformbench.report.settings_tables import table_a13, table_a14
from scopeif.reformbench.report.study_tables import table_3, table_4, table_a4, table_prompting
from scopeif.reformbench.report.table import Absent, Table


class Part(NamedTuple):
    """A table or a figure: the stem of its files, what it is called where it is missing, and how it is made."""

    name: str
    title: str
    make: Callable[[Material], Table | Figure]


CHAPTERS: dict[str, tuple[Part, ...]] = {
    "Main results": (
        Part("table_2", "Table 2 (TCPR, EMCR and its levels)", table_2),
        Part("fig_levels", "Bars of the correction rates", figure_levels),
        Part("fig_ranks", "Rank plot of TCPR against EMCR", figure_ranks),
        Part("fig_ranks", "Numbers of the rank plot", table_ranks),
        Part("table_a2", "Table A2 (violation spread)", table_a2),
        Part("table_a8", "Table A8 (baseline annotations and units)", by_task.table_a8),
        Part("provenance", "Calibration provenance", provenance),
    ),
    "Results by task": (
        Part("fig_3", "Fig. 3 (heat maps)", figure_3),
        Part("table_a5", "Table A5 (tasks)", by_task.table_a5),
        Part("table_a6", "Table A6 (models and tasks)", by_task.table_a6),
        Part("table_a7", "Table A7 (eligible units)", by_task.table_a7),
    ),
    "Studies": (
        Part("table_3", "Table 3 (composition)", table_3),
        Part("fig_4", "Fig. 4 (prompting)", figure_4),
        Part("fig_4", "Numbers of Fig. 4", table_prompting),
        Part("table_4", "Table 4 (catalog coverage)", table_4),
        Part("table_a4", "Table A4 (instances behind the coverage)", table_a4),
        Part("combinations", "Difficult combinations (A.9)", table_combinations),
    ),
    "Judging": (
        Part("table_a3", "Table A3 (agreement and adjudication)", table_a3),
        Part("third_opinion", "Agreement of the judges with measuring", table_third_opinion),
    ),
    "The benchmark": (
        Part("table_a9", "Table A9 (domains and tasks)", of_benchmark.table_a9),
        Part("table_a10", "Table A10 (sources and licences)", of_benchmark.table_a10),
        Part("table_a11", "Table A11 (multiplicity)", of_benchmark.table_a11),
        Part("table_a12", "Table A12 (catalog)", of_benchmark.table_a12),
    ),
    "Settings and workload": (
        Part("table_a13", "Table A13 (generation settings)", table_a13),
        Part("table_a14", "Table A14 (workload)", table_a14),
    ),
}


def made(part: Part, material: Material) -> Table | Figure | Absent:
    """The part, or why there is none."""
    try:
        return part.make(material)
    except InvalidInputError as error:
        return absent(part.name, part.title, error)


def absent(name: str, title: str, error: InvalidInputError) -> Absent:
    """A part that an error prevents."""
    why = f"{error.place}: {error.message}" if error.place else error.message
    return Absent(name, title, why, error.fix or "")
