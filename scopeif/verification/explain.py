"""How a reward came about, for a terminal: every constraint with its tool, evidence and records, and the arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from scopeif.constraints.models import Instruction
from scopeif.reward import Record
from scopeif.reward.graded import deviation, graded_reward, magnitude

_STYLES = {"satisfied": "green", "violated": "red", "unverified": "yellow"}


def explain(console: Console, instruction: Instruction, row: Mapping[str, Any], alpha: float = 3.0) -> None:
    """Print one row of a file of outcomes.

    Args:
        instruction: what was asked.
        row: as `scopeif.verification.responses.outcome_row` writes it.
    """
    console.print(Panel(Text(instruction.chat()[-1]["content"]), title=Text(f"instruction {instruction.id}")))
    console.print(Panel(Text(row["answer"] or "(nothing)"), title=Text(f"answer, response {row['response_id']}")))
    if row["format_fault"]:
        console.print(f"format reward 0: {row['format_fault']}. Nothing of the response is measured; its reward is 0.")
        return
    for number, (constraint, outcome) in enumerate(
        zip(instruction.constraints, row["constraints"], strict=True), start=1
    ):
        console.print(_constraint(number, constraint.text, outcome, alpha))
    console.print(_arithmetic(row))


def _constraint(number: int, text: str, outcome: Mapping[str, Any], alpha: float) -> Panel:
    parts: list[Any] = []
    if outcome["tool_source"] and outcome["verifier"] != "compiled":
        parts.append(Syntax(outcome["tool_source"], "python", word_wrap=True))
        parts += [Text(f"on {argument!r}", style="dim") for argument in outcome["tool_arguments"]]
    if outcome["evidence"]:
        parts.append(Text(f"evidence: {outcome['evidence']}", style="dim"))
    if outcome["records"]:
        parts.append(_records(outcome["records"], alpha))
        parts.append(Text(f"g = exp(-{alpha:g} x mean of d/s) = {outcome['g']:.4f}"))
    notes = [outcome["reason"] and f"{outcome['reason']}: {outcome['detail']}"]
    notes.append(outcome["conflict"] and "the judge's verdict in words disagrees with its records; the records decide")
    notes.append(outcome["escalated"] and "measuring found the response ambiguous; the judge decided")
    parts += [Text(str(note), style="yellow") for note in notes if note]
    status = outcome["status"]
    title = f"{number}. [{_STYLES[status]}]{status}[/] by {outcome['verifier'] or 'nobody'}"
    return Panel(Group(Text(text, style="bold"), *parts), title=title, title_align="left")


def _records(records: list[Mapping[str, Any]], alpha: float) -> Table:
    table = Table(show_edge=False, header_style="dim")
    for name in ("counting object", "lower", "actual", "upper", "d", "s", "r"):
        table.add_column(name, justify="left" if name == "counting object" else "right")
    for row in records:
        lower = -math.inf if row["lower"] is None else row["lower"]
        upper = math.inf if row["upper"] is None else row["upper"]
        record = Record(lower, upper, row["actual"], object=row["object"])
        graded = graded_reward([record], alpha)
        values = (lower, record.actual, upper, deviation(record), magnitude(record), graded)
        figures = (f"{value:g}" for value in values)
        style = None if record.satisfied else "red"
        table.add_row(Text(row["object"] + (" (vacuous)" if row["vacuous"] else "")), *figures, style=style)
    return table


def _arithmetic(row: Mapping[str, Any]) -> Text:
    """Eq. 7 with its figures."""
    outcomes = row["constraints"]
    if any(outcome["status"] == "unverified" for outcome in outcomes):
        return Text("A constraint is unverified: the response has no reward.", style="yellow")
    satisfied = [outcome for outcome in outcomes if outcome["status"] == "satisfied"]
    violated = [outcome["g"] for outcome in outcomes if outcome["status"] == "violated"]
    if not violated:
        return Text(f"R = {row['reward']['scopeif']:.4f}: nothing is violated", style="bold")
    mean = math.fsum(violated) / len(violated)
    formula = f"R = ({len(satisfied)} satisfied + {mean:.4f} mean g of {len(violated)} violated) / {len(outcomes)}"
    return Text(f"{formula} = {row['reward']['scopeif']:.4f}", style="bold")
