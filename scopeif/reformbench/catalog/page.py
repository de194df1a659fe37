"""The catalog as a page of tables, written from the data so that it cannot disagree with it.

python -m scopeif.reformbench.catalog.page docs/reformbench_catalog.md    # renew the page
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from scopeif.reformbench.catalog.compatibility import exclusions
from scopeif.reformbench.catalog.features import DATA, Category, Feature, Template, catalog
from scopeif.reformbench.catalog.parameters import (
    ChoiceParameter,
    CountParameter,
    NamesParameter,
    Parameter,
    TextParameter,
)
from scopeif.reformbench.catalog.presence import presence_specs
from scopeif.reformbench.models import Mode

MODES: tuple[Mode, ...] = ("require", "forbid")
_NOUN = re.compile(r"\{([a-z_.]+):[^{}|]*\|([^{}|]*)\}")
_INTRODUCTION = """\
# Formatting catalog

The shared constraint space of ReFormBench: {features} features in {categories} categories, each with a template to
require it and one to forbid it (paper, section 3.3, appendix A.7.3 and Table A12). Written by
`python -m scopeif.reformbench.catalog.page` from `scopeif/reformbench/catalog/data/`.

```python
from scopeif.reformbench.catalog.templates import instantiate

requirement = instantiate("table_or_grid", "require", {{"columns": ["Item", "Use"], "rows": 2}}, "en")
requirement.text, requirement.acceptance    # the words of the constraint, and when it counts as met
requirement.spec                            # its formal spec, measured without a judge; None where it has none
```

- **Origin**: names, definitions and the occurrences in the paper's retained benchmark (require / forbid) are those of
  Table A12, whose {slots:,} occurrences fill the three slots of 5,000 variants. † marks English words of which the
  paper's text leaves some blank, so that they are reconstructions. The text does not name the categories at all: where
  one ends is read from the alphabetical order within them, their names are ours. Templates, parameters, acceptance
  criteria and everything Chinese are ours.
- **Both templates exist for every feature**, although some targets do not occur in the paper's retained benchmark
  (0 below).
- **Parameters** are given as name: bounds (default). They belong to require; no prohibition has any. A template's
  second wording, and the Chinese acceptance criteria, stand in the data.
- **Measured** says for which modes a requirement has a formal spec ({measured} of {targets} targets); it measures the
  acceptance criterion, and a judge decides on the others. *presence* means that the feature's generic presence is
  measured too ({present} features, `scopeif/reformbench/catalog/presence.py`); of the others measuring says nothing,
  neither present nor absent.
- **Excludes** is the number of targets that cannot stand beside it in one variant, whatever the parameters, for
  require / forbid; the rules are at the [end](#compatibility).
"""
_COMPATIBILITY = """\
## Compatibility

Requirements of these targets cannot be met by one response. The relation is symmetric; a feature also excludes itself
in the other mode. A parameter behind a target limits the rule to that value, or to counts below (<) or above (>) it.
Two requirements further exclude each other where their formal specs contradict each other, and where both give the same
name to a line, column or heading of their own. A third requirement may need paragraphs, sentences or lines too; where
their number is fixed, each of the others is therefore left at most half of them.
"""


def page() -> str:
    """The page as Markdown."""
    read, excluded = catalog(), _excluded()
    templates = [feature.template(mode) for feature in read.features for mode in MODES]
    counts = [count for feature in read.features for count in (feature.counts.require, feature.counts.forbid)]
    parts = [
        _INTRODUCTION.format(
            features=len(read.features), categories=len(read.categories), slots=sum(counts), targets=len(templates),
            measured=sum(template.spec is not None for template in templates),
            present=sum(bool(presence_specs(feature.id)) for feature in read.features),
        )
    ]  # fmt: skip
    parts += [_section(category, read.members(category.id), excluded) for category in read.categories]
    return "\n".join([*parts, _COMPATIBILITY, _rules()])


def _excluded() -> Counter[tuple[str, str]]:
    """How many other targets each feature and mode excludes whatever the parameters."""
    always = [pair for pair, found in exclusions().items() if any(not one.wanted for one in found)]
    return Counter(target for pair in always for target in pair)


def _section(category: Category, features: tuple[Feature, ...], excluded: Counter[tuple[str, str]]) -> str:
    lines = [
        f"## {category.index}. {category.name['en']} ({category.name['zh']})†",
        "",
        "| feature | definition | require | forbid | parameters | measured | excludes | occurrences |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(_row(feature, excluded) for feature in features), ""])


def _row(feature: Feature, excluded: Counter[tuple[str, str]]) -> str:
    name, definition = (
        feature.model_dump()[part]["en"] + ("†" if part in feature.reconstructed else "")
        for part in ("name", "definition")
    )
    cells = [
        f"{name}<br>{feature.name['zh']}<br>`{feature.id}`",
        f"{definition}<br>{feature.definition['zh']}",
        _template(feature.require),
        _template(feature.forbid),
        "<br>".join(_parameter(one) for mode in MODES for one in feature.template(mode).parameters) or "-",
        _measured(feature),
        " / ".join(str(excluded[feature.id, mode]) for mode in MODES),
        f"{feature.counts.require:,} / {feature.counts.forbid:,}",
    ]
    return f"| {' | '.join(cells)} |"


def _template(template: Template) -> str:
    words = (template.text["en"][0], template.text["zh"][0])
    return "<br>".join([*map(_cell, words), f"*{_cell(template.acceptance['en'])}*"])


def _cell(text: str) -> str:
    """Text with its places for parameters as it may stand in a table."""
    return re.sub(r"([|*_`\[\]<>~])", r"\\\1", _NOUN.sub(r"{\1} \2", text))


def _parameter(parameter: Parameter) -> str:
    match parameter:
        case CountParameter():
            said = f"{parameter.lower} to {parameter.upper} ({parameter.default})"
        case NamesParameter():
            many = (
                f"{parameter.lower} to {parameter.upper}" if parameter.lower < parameter.upper else str(parameter.lower)
            )
            said = f"{many} names ({', '.join(parameter.value('en'))})"
        case TextParameter():
            said = f"a text ({parameter.value('en')})"
        case ChoiceParameter():
            said = f"one of {', '.join(map(_cell, parameter.options))}"
    return f"{parameter.name}: {said}"


def _measured(feature: Feature) -> str:
    found: list[str] = [mode for mode in MODES if feature.template(mode).spec is not None]
    return ", ".join(found + ["*presence*"] * bool(presence_specs(feature.id))) or "-"


def _rules() -> str:
    data: dict[str, Any] = json.loads((DATA / "compatibility.json").read_text(encoding="utf-8"))
    lines = ["| targets | exclude | because |", "|---|---|---|"]
    for rule in data["rules"]:
        lines.append(f"| {_listed(rule['first'])} | {_listed(rule['second'])} | {rule['reason']} |")
    lines += ["", "Groups of targets:", "", "| group | targets |", "|---|---|"]
    lines += [f"| {name.removeprefix('@')} | {_listed(names)} |" for name, names in data["groups"].items()]
    return "\n".join(lines) + "\n"


def _listed(names: list[str]) -> str:
    return ", ".join(f"*{name.removeprefix('@')}*" if name.startswith("@") else f"`{name}`" for name in names)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m scopeif.reformbench.catalog.page docs/reformbench_catalog.md")
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
