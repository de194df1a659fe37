"""Parameters of the catalog: bounds, defaults, drawing by a seed, and what is refused."""

from __future__ import annotations

import random
import string
from itertools import product
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import DataError
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.parameters import CountParameter, NamesParameter, TextParameter
from scopeif.reformbench.catalog.templates import draw_parameters, instantiate, parameters_of
from scopeif.reformbench.models import Language, Mode

LANGUAGES: tuple[Language, ...] = ("en", "zh")
MODES: tuple[Mode, ...] = ("require", "forbid")
FEATURES = [feature.id for feature in catalog().features]
TARGETS = list(product(FEATURES, MODES))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_names_of_signs_alone_still_make_a_spec(language: Language) -> None:
    made = 0
    for feature, mode in TARGETS:
        longest: dict[str, object] = {}
        for parameter in parameters_of(feature, mode):
            if isinstance(parameter, NamesParameter):
                longest[parameter.name] = ["?" * (39 - at) + "." * (at + 1) for at in range(parameter.upper)]
            elif isinstance(parameter, CountParameter):
                longest[parameter.name] = parameter.upper
            elif isinstance(parameter, TextParameter):
                longest[parameter.name] = "." * 40
        requirement = instantiate(feature, mode, longest, language)
        made += requirement.spec is not None
        assert type(requirement).model_validate_json(requirement.model_dump_json()) == requirement
    assert made == 82


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: catalog().feature("bulletlist"), r"not in the catalog \(did you mean 'bullet_list'\?\)"),
        (lambda: catalog().category("list"), r"\(did you mean 'lists'\?\)"),
        (lambda: instantiate("nope_xyz", "require", {}, "en"), "'nope_xyz' is not in the catalog"),
        (lambda: instantiate("bullet_list", "require", {"item": 3}, "en"), r"'item' .*did you mean 'items'"),
        (lambda: instantiate("bullet_list", "forbid", {"items": 3}, "en"), "it has none"),
        (lambda: instantiate("bullet_list", "require", {"items": 99}, "en"), "'items' is 99\n.*from 2 to 8"),
        (lambda: instantiate("bullet_list", "require", {"items": True}, "en"), "'items' is True"),
        (lambda: instantiate("bullet_list", "require", {"items": "3"}, "en"), "'items' is '3'"),
        (lambda: instantiate("section_headings", "require", {"names": ["A", "a"]}, "en"), "distinct names"),
        (lambda: instantiate("section_headings", "require", {"names": ["A"]}, "en"), "2 to 4"),
        (lambda: instantiate("section_headings", "require", {"names": ["A", "{B}"]}, "en"), "without"),
        (lambda: instantiate("appendix_section", "require", {"title": "two\nlines"}, "en"), "one line"),
        (lambda: instantiate("section_divider", "require", {"marker": "+++"}, "en"), r"one of: \*\*\*, ---, ___"),
        (lambda: instantiate("bullet_list", "require", {}, cast("Language", "fr")), "no templates in 'fr'"),
        (lambda: instantiate("bullet_list", cast("Mode", "avoid"), {}, "en"), "mode 'avoid' is none"),
        (lambda: instantiate("bullet_list", "require", {}, "en", wording=2), "give 0 to 1"),
        (lambda: instantiate("bullet_list", "require", {}, "en", wording=-1), "give 0 to 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_the_fix(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(DataError, match=message):
        call()


# -- drawing -------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), target=st.sampled_from(TARGETS), language=st.sampled_from(LANGUAGES))
def test_drawn_parameters_are_within_their_bounds_and_follow_the_seed(
    seed: int, target: tuple[str, Mode], language: Language
) -> None:
    drawn = draw_parameters(*target, random.Random(seed), language)
    assert drawn == draw_parameters(*target, random.Random(seed), language)
    assert instantiate(*target, drawn, language).parameters == drawn


def test_every_value_of_a_small_range_is_drawn() -> None:
    rng = random.Random(3)
    assert {draw_parameters("checklist", "require", rng, "en")["items"] for _ in range(200)} == set(range(3, 9))


def test_forbid_has_parameters_nowhere() -> None:
    assert [feature for feature in FEATURES if parameters_of(feature, "forbid")] == []


@given(text=st.text(string.printable, max_size=50))
def test_a_text_is_taken_as_it_is_or_refused(text: str) -> None:
    parameter = TextParameter(name="title", pool={"en": ("Title",), "zh": ("标题",)})
    if text and text.strip() == text and len(text) <= 40 and not set(text) & set("|`{}\n\r"):
        assert parameter.checked(text, "here") == text
    else:
        with pytest.raises(DataError, match="here: parameter 'title'"):
            parameter.checked(text, "here")


@pytest.mark.parametrize(
    "make",
    [
        lambda: CountParameter(name="n", lower=3, upper=2, default=3),
        lambda: NamesParameter(
            name="n", lower=1, upper=3, default=1, pool={"en": ("a", "b"), "zh": ("甲", "乙", "丙")}
        ),
        lambda: NamesParameter(name="n", lower=1, upper=2, default=1, pool={"en": ("a", "A"), "zh": ("甲", "乙")}),
    ],
)
def test_a_parameter_without_values_is_none(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match="n: "):
        make()
