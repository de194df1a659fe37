"""Findings, statistics and single instructions as people read them in a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from rich.columns import Columns
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from scopeif.constraints.compatibility import compatible, key_of
from scopeif.constraints.examination import Examination, Finding, Kind
from scopeif.constraints.models import Constraint, Instruction
from scopeif.constraints.statistics import Statistics
from scopeif.constraints.taxonomy import Scope

_QUOTED = 100
_BAR = 20
_HEADINGS = {
    Kind.BAD_ROW: "Faults of bad rows",
    Kind.UNSATISFIABLE: "Constraints that nothing can meet",
    Kind.CONTRADICTION: "Constraints that contradict each other",
    Kind.DISAGREEMENT: "Texts and specs that name different numbers",
    Kind.DUPLICATE: "Rows that stand twice",
    Kind.LEAK: "Test rows that leak into training",
    Kind.LONG_PROMPT: "Prompts that are too long",
}


def counted(count: int, noun: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def visible(text: str) -> str:
    """A text that leaves the terminal as it is: control characters are shown, not sent."""
    return "".join(char if char in "\n\t" or unicodedata.category(char) != "Cc" else _shown(char) for char in text)


def _shown(char: str) -> str:
    return chr(0x2400 + ord(char)) if ord(char) < 32 else "\N{REPLACEMENT CHARACTER}"


def show_findings(console: Console, examination: Examination, limit: int | None) -> None:
    """The findings by kind, at most `limit` of each kind (all that are kept if None)."""
    for kind, heading in _HEADINGS.items():
        count = examination.counts[kind]
        if not count:
            continue
        kept = [one for one in examination.findings if one.kind is kind]
        shown = kept if limit is None else kept[:limit]
        rows = f" in {counted(examination.bad_rows, 'row')}" if kind is Kind.BAD_ROW else ""
        console.print(Text(f"{heading}: {count:,}{rows}", style="bold red"))
        for finding in shown:
            _show_finding(console, finding)
        if count > len(shown):
            rest = f"... and {count - len(shown)} more"
            more = " (--limit 0 shows all)" if len(kept) > len(shown) else ""
            console.print(f"  {rest}{more}", style="dim")
        console.print()


def _show_finding(console: Console, finding: Finding) -> None:
    name = f" ({finding.id})" if finding.id else ""
    line = Text.assemble("  ", (visible(finding.place), "bold"), visible(f"{name}: {finding.message}"))
    console.print(line, soft_wrap=True)
    for quote in finding.quotes:
        flat = " ".join(visible(quote).split())
        console.print(Text(f"    “{flat[:_QUOTED]}{'…' if len(flat) > _QUOTED else ''}”", style="dim"), soft_wrap=True)
    if finding.fix:
        console.print(Text(f"    fix: {visible(finding.fix)}", style="dim"), soft_wrap=True)


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Counts and shares of everything that `Statistics` counts."""
    if not statistics.instructions:
        return
    console.print(Text("Statistics", style="bold"))
    per_row = statistics.constraints_per_row
    mean = f"{statistics.mean_constraints or 0:.2f} a row ({min(per_row)} to {max(per_row)})"
    tokens = statistics.longest_prompt_tokens
    longest = f"{statistics.longest_prompt:,} characters" + (f", {tokens:,} tokens" if tokens is not None else "")
    nested = statistics.scopes["Nested"] / statistics.constraints
    facts = {
        "instructions": f"{statistics.instructions:,}  ({_listed(statistics.rows)})",
        "languages": _listed(statistics.languages),
        "constraints": f"{statistics.constraints:,}, {mean}",
        "with a spec": _of(statistics.with_spec, statistics.constraints),
        "nested": f"{nested:.1%}",
        "counting objects": _listed(statistics.objects),
        "longest prompt": longest,
    }
    if statistics.uncommon:
        facts["uncommon"] = (
            f"{_of(statistics.uncommon, statistics.constraints)} have categories that exclude each other"
        )
    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        table.add_row(f"  {name}", Text(visible(value)))
    console.print(table)
    console.print()
    counts = statistics.to_json()
    tables = [_histogram("Constraints a row", counts["constraints_per_row"], statistics.instructions)]
    tables += [
        _histogram(name, counts[key], statistics.constraints)
        for name, key in (("Scope", "scope"), ("Range", "range"), ("Target", "target"))
    ]
    met = {name: count for name, count in counts["secondary_target"].items() if count}
    tables.append(_histogram("Secondary Target", met, statistics.constraints))
    console.print(Padding(Columns(tables, padding=(0, 3)), (0, 2)))


def _histogram(title: str, counts: Mapping[str, int], total: int) -> Table:
    table = Table(
        title=title, title_style="bold", title_justify="left", box=None, show_header=False, padding=(0, 1, 0, 0)
    )
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right", style="dim")
    table.add_column(style="cyan", width=_BAR)
    top = max(counts.values(), default=0) or 1
    for name, count in counts.items():
        table.add_row(name, f"{count:,}", f"{count / total:.1%}", "▇" * round(_BAR * count / top))
    table.add_row("")
    return table


def show_instruction(
    console: Console, instruction: Instruction, place: str, describe: Callable[[Constraint], list[str]]
) -> None:
    """One instruction: prompt, and each constraint with its categories, counting objects and spec in words.

    Args:
        console: where to.
        instruction: what is shown.
        place: its file and line.
        describe: the sentences of a constraint's spec, one a clause.
    """
    head = f"{instruction.id}  {instruction.language}, {instruction.split}"
    console.print(Text.assemble((visible(head), "bold"), (f"   {visible(place)}", "dim")), soft_wrap=True)
    if instruction.provenance:
        console.print(Text(visible(f"provenance: {instruction.provenance}"), style="dim"), soft_wrap=True)
    for message in instruction.chat():
        console.print()
        console.print(Text(message["role"], style="bold"))
        console.print(Padding(Text(visible(message["content"])), (0, 2)))
    for number, constraint in enumerate(instruction.constraints):
        console.print()
        console.print(Text.assemble((f"constraints[{number}]", "bold"), f"  {visible(constraint.text)}"))
        console.print(_details(constraint, describe))


def _details(constraint: Constraint, describe: Callable[[Constraint], list[str]]) -> Padding:
    target = constraint.target
    table = Table.grid(padding=(0, 2))
    table.add_row("scope", constraint.scope)
    table.add_row("target", f"{target.primary.value} / {target.secondary.value}")
    table.add_row("range", constraint.range.value)
    if not compatible(*key_of(Scope.parse(constraint.scope), target.secondary, constraint.range)):
        table.add_row("", Text("target and range exclude each other; a label of several objects", style="dim"))
    for number, one in enumerate(constraint.counting_objects):
        table.add_row("objects" if number == 0 else "", Text(visible(f"{one.object} ({one.type})")))
    for number, sentence in enumerate(describe(constraint)):
        table.add_row("spec" if number == 0 else "", Text(visible(sentence)))
    if constraint.spec is None:
        table.add_row("spec", Text("none: a judge has to verify it", style="dim"))
    return Padding(table, (0, 2))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))


def _of(count: int, total: int) -> str:
    return f"{count:,} of {total:,}"
