"""The numbers of the rank plot."""

from __future__ import annotations

from scopeif.reformbench.report.figure_ranks import rank_said, ranked
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import Table, decimal, percent, plural
from scopeif.reformbench.studies.ranks import spearman


def table_ranks(material: Material) -> Table:
    """Both scores with their ranks, and how the two rankings go together."""
    rows = ranked(material)
    both = [(row.tcpr, row.emcr) for row in rows if row.tcpr is not None and row.emcr is not None]
    rho = spearman([tcpr for tcpr, _ in both], [emcr for _, emcr in both])
    return Table(
        name="fig_ranks",
        title="Numbers of the rank plot",
        head=["Model", "TCPR (%)", "Rank", "EMCR (%)", "Rank"],
        rows=[
            [row.model, percent(row.tcpr), rank_said(row.tcpr_rank), percent(row.emcr), rank_said(row.emcr_rank)]
            for row in rows
        ],
        data_head=["model", "tcpr", "tcpr_rank", "emcr", "emcr_rank"],
        data=[[row.model, row.tcpr, row.tcpr_rank, row.emcr, row.emcr_rank] for row in rows],
        notes=[f"Spearman's rho between the two, over {plural(len(both), 'model')}: {decimal(rho, 3)}."],
    )
