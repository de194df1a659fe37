"""Rows that tests write to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPEC = {
    "clauses": [
        {
            "object": "words",
            "scope": [],
            "measure": {"kind": "length", "unit": "word"},
            "range": {"kind": "bounds", "upper": 20},
        }
    ]
}
CONSTRAINT = {
    "text": "Use at most 20 words.",
    "scope": "Global(Entire Response)",
    "target": {"primary": "Capacity", "secondary": "Text Length"},
    "range": "One-Sided Bounds",
    "counting_objects": [{"object": "words", "type": "specific"}],
    "spec": SPEC,
}


def row(**changes: Any) -> dict[str, Any]:
    """A good row, with top-level changes; a change to None removes the key."""
    good = {
        "id": "a",
        "prompt": "Describe a rainy day. Use at most 20 words.",
        "language": "en",
        "constraints": [CONSTRAINT],
        "provenance": {"seed": 3, "note": None},
        "split": "train",
    }
    return {key: value for key, value in {**good, **changes}.items() if value is not None}


def constraint(**changes: Any) -> list[dict[str, Any]]:
    """The good row's constraint, changed; a change to None removes the key."""
    return [{key: value for key, value in {**CONSTRAINT, **changes}.items() if value is not None}]


def official(**changes: Any) -> dict[str, Any]:
    """A row of the official release, with top-level changes; a change to None removes the key."""
    good = {
        "id": 7,
        "prompt": "Describe a harbour in four paragraphs. End every one with a question.",
        "constraints": [
            {
                "constraint": "Describe a harbour in four paragraphs.",
                "category": {
                    "scope": "Global(Entire Response)",
                    "primary_target": "Capacity",
                    "secondary_target": "Unit Count",
                    "range": "Equality",
                },
            },
            {
                "constraint": "End every one with a question",
                "category": {
                    "scope": "Traversal(Paragraph) -> Position(Sentence)",
                    "primary_target": "Pattern",
                    "secondary_target": "Boundary",
                    "range": "Equality",
                },
            },
        ],
        "targets": [
            '```json\n[\n    {\n        "counting_object": "Paragraphs",\n        "type": "Specific"\n    }\n]\n```',
            '```json\n[{"counting_object": "Whether each paragraph ends with a \\"?\\"", "type": "Universal"}]\n```',
        ],
    }
    return {key: value for key, value in {**good, **changes}.items() if value is not None}


def category(**changes: Any) -> list[dict[str, Any]]:
    """The official row's constraints, the category of the first one changed; a change to None removes the key."""
    first, second = official()["constraints"]
    changed = {key: value for key, value in {**first["category"], **changes}.items() if value is not None}
    return [{**first, "category": changed}, second]


def lines(path: Path, *rows: dict[str, Any] | str) -> Path:
    """A JSON Lines file of rows, or of texts as they are."""
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in rows]
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path
