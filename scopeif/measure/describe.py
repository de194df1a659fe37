"""The words of a formal spec, as they stand in a prompt.

>>> import random
>>> from scopeif.constraints.spec import Spec
>>> spec = Spec.model_validate({"clauses": [{
...     "object": "sentences in each paragraph",
...     "scope": [{"select": "each", "unit": "paragraph"}],
...     "measure": {"kind": "count", "unit": "sentence"},
...     "range": {"kind": "bounds", "upper": 3}}]})
>>> describe(spec, "en", random.Random(2))
'Each paragraph must contain at most 3 sentences.'
"""

from __future__ import annotations

import random

from scopeif.constraints.spec import Clause, Spec
from scopeif.errors import SpecError
from scopeif.measure import wording_en, wording_zh


def describe(what: Clause | Spec, language: str, rng: random.Random | None = None) -> str:
    """One sentence a clause that says exactly what the spec measures.

    Args:
        what: a clause, or a spec, whose clauses are said one after the other.
        language: ``en`` or ``zh``, with or without a region.
        rng: chooses among wordings; without one the same spec always has the same words.

    Raises:
        SpecError: a language without wordings.
    """
    words = {"en": wording_en.sentence, "zh": wording_zh.sentence}.get(language.replace("_", "-").split("-")[0].lower())
    if words is None:
        raise SpecError(f"there are no wordings in {language!r}", fix="use en or zh")
    clauses = what.clauses if isinstance(what, Spec) else (what,)
    glue = "" if words is wording_zh.sentence else " "
    chance = rng or random.Random(0)
    return glue.join(words(clause, chance) for clause in clauses)
