"""Every formal spec of the catalog: a text that satisfies it and one that violates it, in both languages."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tools_sandbox.text as helpers
from scopeif.errors import AmbiguousResponse
from scopeif.measure import compile_spec, evaluate, records_from
from scopeif.measure.compile import ENTRY
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.templates import draw_parameters, instantiate, measurable
from scopeif.reformbench.models import Language, Mode, Requirement
from scopeif.reward.graded import satisfied
from tests.reformbench.catalog_texts import having, lacking, texts
from tools_sandbox.linter import lint

LANGUAGES: tuple[Language, ...] = ("en", "zh")
MODES: tuple[Mode, ...] = ("require", "forbid")
FEATURES = [feature.id for feature in catalog().features]
REQUIRED = [feature for feature in FEATURES if measurable(feature, "require")]
FORBIDDEN = [feature for feature in FEATURES if measurable(feature, "forbid")]


def holds(requirement: Requirement, text: str) -> bool:
    assert requirement.spec is not None
    return satisfied(evaluate(requirement.spec, text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("feature", REQUIRED)
def test_a_text_that_has_the_feature_satisfies_require_and_one_that_lacks_it_does_not(
    feature: str, language: Language
) -> None:
    requirement = instantiate(feature, "require", {}, language)
    assert holds(requirement, having(feature, language))
    assert not holds(requirement, lacking(feature, language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("feature", FORBIDDEN)
def test_a_text_that_lacks_the_feature_satisfies_forbid_and_one_that_has_it_does_not(
    feature: str, language: Language
) -> None:
    requirement = instantiate(feature, "forbid", {}, language)
    assert holds(requirement, lacking(feature, language))
    assert not holds(requirement, having(feature, language))


@pytest.mark.parametrize("feature", FEATURES)
def test_the_compiled_tool_gives_the_same_records(feature: str) -> None:
    for mode, language in product(MODES, LANGUAGES):
        spec = instantiate(feature, mode, {}, language).spec
        if spec is None:
            continue
        source = compile_spec(spec)
        assert not lint(source)
        names: dict[str, Any] = {name: getattr(helpers, name) for name in helpers.__all__}
        exec(source, names)
        for text in (texts(language)["plain"], texts(language).get(f"{feature} with", "One line.")):
            assert records_from(names[ENTRY](text)) == evaluate(spec, text)


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32), name=st.sampled_from(FEATURES), mode=st.sampled_from(("require", "forbid")),
    language=st.sampled_from(LANGUAGES),
)  # fmt: skip
def test_any_parameters_make_a_spec_that_can_be_measured(seed: int, name: str, mode: Mode, language: Language) -> None:
    parameters = draw_parameters(name, mode, random.Random(seed), language)
    requirement = instantiate(name, mode, parameters, language)
    assert requirement.parameters == parameters
    assert (requirement.spec is not None) == measurable(name, mode)
    if requirement.spec is not None:
        for text in texts(language).values():
            with suppress(AmbiguousResponse):  # a dialogue may be read as one paragraph or as several
                assert evaluate(requirement.spec, text)


WRITERS: dict[str, tuple[str, Callable[[int], str]]] = {
    "bullet_list": ("items", lambda n: "\n".join(["Things:", "", *["- item"] * n])),
    "checklist": ("items", lambda n: "\n".join(["- [ ] item"] * n)),
    "numbered_enumeration": ("items", lambda n: "\n".join(f"{at}. item" for at in range(1, n + 1))),
    "section_divider": ("parts", lambda n: "\n\n***\n\n".join(["Text."] * n)),
    "line_breaks_and_spacing": ("blocks", lambda n: "\n\n".join(["Text."] * n)),
    "paragraph_or_sentence_count": ("count", lambda n: "\n\n".join(["Text."] * n)),
    "glossary_entries": ("terms", lambda n: "\n".join(["**Bed**: a strip"] * n)),
    "examples_and_cases": ("examples", lambda n: " ".join(["For example, ferns."] * n)),
    "citations_and_links": (
        "sources",
        lambda n: "As in [1].\n\n" + "\n".join(f"[{at}] Book" for at in range(1, n + 1)),
    ),
}
AT_LEAST = {"line_breaks_and_spacing"}


@settings(deadline=None)
@given(feature=st.sampled_from(sorted(WRITERS)), asked=st.integers(2, 6), written=st.integers(1, 8))
def test_the_count_that_is_asked_for_decides(feature: str, asked: int, written: int) -> None:
    parameter, write = WRITERS[feature]
    lower = 3 if feature == "checklist" else 2
    asked = max(asked, lower) if feature != "citations_and_links" else min(asked, 4)
    asked = min(asked, 4) if feature == "examples_and_cases" else asked
    requirement = instantiate(feature, "require", {parameter: asked}, "en")
    wanted = written >= asked if feature in AT_LEAST else written == asked
    assert holds(requirement, write(written)) == wanted
