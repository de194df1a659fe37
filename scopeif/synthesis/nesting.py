"""Changes to how deep the lists and JSON objects of a part of a document are nested."""

from __future__ import annotations

from scopeif.synthesis import document as doc
from scopeif.synthesis.document import Bullets, Code, Document, Holder, Item
from scopeif.synthesis.pen import Pen


def deepen(node: Holder, delta: int, pen: Pen) -> bool:
    """One or more levels of nested lists (or JSON objects) more or fewer."""
    if isinstance(node, Code) or (isinstance(node, Document) and node.form == "json"):
        one = node.value if isinstance(node, Code) else node.blocks[0]
        return isinstance(one, doc.Object) and all(_nest_object(one, delta > 0, pen) for _ in range(abs(delta)))
    return all(_nest_list(node, delta > 0, pen) for _ in range(abs(delta)))


def _nest_list(node: Holder, more: bool, pen: Pen) -> bool:
    lists = [block.items for block in (node, *doc.blocks(node)) if isinstance(block, Bullets)]
    if isinstance(node, Item):
        lists = [node.items]
    if not lists or not lists[0]:
        return False
    items = pen.rng.choice(lists) if more else lists[0]
    deepest = pen.rng.choice(items)
    if more:
        items = max(lists, key=lambda items: max(map(_depth, items), default=0))
        deepest = max(items, key=_depth)
        while deepest.items:
            deepest = max(deepest.items, key=_depth)
        deepest.items = [pen.item(), pen.item()]
        return True
    done = False
    level = max(max(map(_depth, items), default=0) for items in lists)
    for items in lists:
        done = _cut(items, level) or done
    return done


def _depth(item: Item) -> int:
    return 1 + max(map(_depth, item.items), default=0) if item.items else 0


def _cut(items: list[Item], level: int) -> bool:
    """Drop the lists at the deepest level; `level` is how many levels lie below these items."""
    done = False
    for item in items:
        if item.items:
            if level <= 1:
                item.items = []
                done = True
            else:
                done = _cut(item.items, level - 1) or done
    return done


def _nest_object(one: doc.Object, more: bool, pen: Pen) -> bool:
    inner = next((pair for pair in one.pairs if isinstance(pair.value, doc.Object)), None)
    if inner is not None and isinstance(inner.value, doc.Object):
        if not more and not any(isinstance(pair.value, doc.Object) for pair in inner.value.pairs):
            inner.value = pen.line(2)
            return True
        return _nest_object(inner.value, more, pen)
    if not more:
        return False
    pair = pen.rng.choice(one.pairs)
    taken = {other.key for other in one.pairs}
    free = [key for key in pen.script.keys if key not in taken]
    pair.value = doc.Object([pen.pair(key) for key in pen.rng.sample(free, 2)])
    return True
