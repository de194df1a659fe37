"""Drafts of responses: for each form of text a document of filler with natural sizes."""

from __future__ import annotations

import random
from collections.abc import Callable

from scopeif.synthesis import document as doc
from scopeif.synthesis.document import Document, Form
from scopeif.synthesis.pen import Pen

FORM_WEIGHTS: dict[Form, int] = {
    "prose": 40, "sections": 26, "list": 16, "lines": 8, "table": 6, "json": 6, "csv": 3,
}  # fmt: skip
"""How often each form is drawn among those that a task allows."""


def draft(form: Form, language: str, pen: Pen, code: bool, rich: bool) -> Document:
    """A document of a form.

    Args:
        code: whether the task is about data, so that code blocks fit.
        rich: sections hold whatever sections can hold.
    """
    blocks = _DRAFTS[form](pen, pen.rng, code, rich)
    return Document(language, form, blocks)


def _prose(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    return [pen.paragraph(rng.choice((1, 2, 2, 3, 3, 4))) for _ in range(rng.choice((1, 2, 2, 3, 3, 4)))]


def _sections(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    paragraphs, numbers = ((1,), (2, 2, 3)) if rich else ((1, 1, 2), (2, 2, 3, 3, 4))
    sections = [pen.section(rng.choice(paragraphs)) for _ in range(rng.choice(numbers))]
    extras: list[Callable[[], doc.Block]] = []
    if rich or rng.random() < 0.55:
        sentences = rng.choice((0, 0, 1))
        extras.append(lambda: pen.bullets(rng.choice((2, 3) if rich else (2, 3, 3, 4)), sentences))
    if rng.random() < (0.5 if rich else 0.2):
        extras.append(lambda: pen.table(rng.choice((2, 3)), rng.choice((2, 3))))
    if rng.random() < 0.15:
        extras.append(pen.quote)
    if code and (rich or rng.random() < 0.6):
        extras.append(lambda: doc.Code(pen.object(rng.choice((2, 3)))))
    every = rich or rng.random() < 0.6
    for number, section in enumerate(sections):
        for extra in extras:
            if every or number == 0 or rng.random() < 0.4:
                section.blocks.append(extra())
        if rng.random() < 0.3 and extras and not code:
            section.blocks.append(pen.paragraph(1))
    if rich or rng.random() < 0.3:
        for section in sections:
            section.blocks += [_subsection(pen, rng, extras) for _ in range(rng.choice((1, 2)))]
    return list[doc.Block](sections)


def _subsection(pen: Pen, rng: random.Random, extras: list[Callable[[], doc.Block]]) -> doc.Section:
    section = pen.section(1, level=3)
    for extra in extras[:2] if rng.random() < 0.5 else []:
        section.blocks.append(extra())
    return section


def _list(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    bullets = pen.bullets(rng.choice((3, 3, 4, 5, 5, 6)), rng.choice((0, 0, 0, 1, 1, 2)))
    if rng.random() < 0.25:
        for item in bullets.items:
            if rng.random() < 0.6:
                item.items = [pen.item() for _ in range(rng.choice((2, 2, 3)))]
    return [bullets]


def _lines(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    stanzas = rng.choice((1, 1, 2, 2, 3))
    lines = rng.choice((3, 4, 4, 5)) if stanzas > 1 else rng.choice((4, 5, 6, 8))
    return [pen.stanza(lines) for _ in range(stanzas)]


def _table(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    return [pen.table(rng.choice((2, 3, 3, 4)), rng.choice((2, 3, 3, 4, 5)))]


def _json(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    one = pen.object(rng.choice((3, 4, 5)))
    if rng.random() < 0.3:
        one.pairs[-1].value = pen.object(2)
    return [one]


def _csv(pen: Pen, rng: random.Random, code: bool, rich: bool) -> list[doc.Block]:
    return [pen.grid(rng.choice((2, 3, 3, 4)), rng.choice((3, 4, 4, 5)))]


_DRAFTS: dict[Form, Callable[[Pen, random.Random, bool, bool], list[doc.Block]]] = {
    "prose": _prose, "sections": _sections, "list": _list, "lines": _lines, "table": _table, "json": _json,
    "csv": _csv,
}  # fmt: skip
