"""What a fixed meta-prompt after each instruction changes (section 4.4, appendix A.8, Fig. 4).

    figure_rows(compare(original, improved))

The meta-prompt is `prompts/meta_prompt_<language>.txt`; `answering` appends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scopeif.reformbench.scoring.bootstrap import Interval
from scopeif.reformbench.scoring.comparison import Change, Comparison
from scopeif.reformbench.scoring.units import LEVELS


@dataclass(frozen=True)
class Dumbbell:
    """One pair of dots of Fig. 4: a score in both conditions, in [0, 1], and the interval of the difference."""

    name: str
    change: Change
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "before": self.change.before,
            "after": self.change.after,
            "difference": self.change.difference,
            "relative": self.change.relative,
            "interval": self.interval.to_json(),
        }


def figure_rows(comparison: Comparison) -> list[Dumbbell]:
    """The rows of Fig. 4, top to bottom: TCPR, EMCR, then the correction rates of K = 1, 2, 3.

    `comparison.compare(original, improved)` sees to it that both conditions share baseline, units and calibration.
    """
    intervals = comparison.intervals
    levels = [Dumbbell(f"K={k}", comparison.correction_rate(k), intervals.correction_rate[k]) for k in LEVELS]
    return [
        Dumbbell("TCPR", comparison.tcpr, intervals.tcpr),
        Dumbbell("EMCR", comparison.emcr, intervals.emcr),
        *levels,
    ]
