"""Generic presence of a feature, measured without a judge where its definition is structural (appendix A.6, A.7.3).

>>> present("line_breaks_and_spacing", "One line.")
False
>>> present("bilingual_parallel_layout", "One line.") is None
True
"""

from __future__ import annotations

from functools import lru_cache

from scopeif.constraints.spec import Spec
from scopeif.errors import AmbiguousResponse
from scopeif.measure import evaluate
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.spec_template import filled
from scopeif.reward.graded import satisfied


def present(feature_id: str, text: str) -> bool | None:
    """Whether a feature is present in a text whatever its parameters; None where measuring cannot tell.

    It cannot where the definition speaks of what a text means, and where the measuring rules can fairly read the text
    in two ways. An empty text has no feature.

    Raises:
        DataError: an unknown feature.
    """
    specs = presence_specs(feature_id)
    if not specs:
        return None
    if not text.strip():
        return False
    try:
        return any(satisfied(evaluate(spec, text)) for spec in specs)
    except AmbiguousResponse:
        return None


@lru_cache(maxsize=128)
def presence_specs(feature_id: str) -> tuple[Spec, ...]:
    """What is measured: a text has the feature where one of these holds; none where measuring cannot tell.

    Raises:
        DataError: an unknown feature.
    """
    presence = catalog().feature(feature_id).presence
    ways = [[clause] for clause in presence["any"]] if isinstance(presence, dict) else [presence]
    specs = (filled(clauses, {}, "en") for clauses in ways if clauses is not None)
    return tuple(spec for spec in specs if spec is not None)
