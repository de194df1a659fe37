"""Changes to how many blocks, items, rows or pieces a part of a document has."""

from __future__ import annotations

from collections.abc import Callable

from scopeif.constraints import spec as sp
from scopeif.synthesis import document as doc
from scopeif.synthesis.changes import highlights, slots
from scopeif.synthesis.document import Block, Bullets, Code, Divider, Document, Holder, Item, Paragraph, Quote, Section
from scopeif.synthesis.pen import Pen


def count(node: Holder, unit: sp.Unit, delta: int, pen: Pen) -> bool:
    """`delta` units more or fewer in a part."""
    match unit:
        case "highlight":
            return highlights(node, delta, pen)
        case "placeholder":
            return slots(node, delta, pen)
        case "sentence":
            return _pieces(node, False, delta, pen)
        case "line":
            return _lines(node, delta, pen)
        case "list_item":
            return _items(node, delta, pen)
        case "table_row":
            return _rows(node, delta, pen)
        case "table_cell":
            return _columns(node, delta, pen)
        case "json_pair":
            return _pairs(node, delta, pen)
    kinds: dict[str, tuple[type, Callable[[], Block]]] = {
        "paragraph": (Paragraph, lambda: pen.paragraph(1)),
        "list": (Bullets, lambda: pen.bullets(pen.rng.choice((2, 3)))),
        "table": (doc.Table, lambda: pen.table(2, 2)),
        "quote": (Quote, pen.quote),
        "code_block": (Code, lambda: Code(pen.object(2))),
        "section": (Section, lambda: pen.section(1)),
        "heading": (Section, lambda: pen.section(1)),
    }
    if unit not in kinds:
        return False
    kind, make = kinds[unit]
    return all(_block(node, kind, make, delta > 0, pen) for _ in range(abs(delta)))


def divide(node: Holder, delta: int, pen: Pen) -> bool:
    """`delta` parts more or fewer between lines of ``***``."""
    for _ in range(abs(delta)):
        places = _gaps(node) if delta > 0 else [(b, n) for b, n in _places(node) if isinstance(b[n], Divider)]
        if not places and delta > 0 and isinstance(node, Section | Document):
            end = _innermost_end(node)
            end.append(pen.paragraph(1))
            places = [(end, len(end) - 1)]
        if not places:
            return False
        among, number = pen.rng.choice(places)
        if delta > 0:
            _insert_divider(among, number)
        else:
            among.pop(number)
    return True


def _insert_divider(among: list[Block], number: int) -> None:
    """Before a block; what stands behind a section belongs to the innermost section before it."""
    before = among[number - 1]
    if isinstance(before, Section):
        _innermost_end(before).append(Divider())
    else:
        among.insert(number, Divider())


def _innermost_end(node: Document | Section) -> list[Block]:
    """The blocks of the last section in the last section, and so on: what is appended in a text stands there."""
    while node.blocks and isinstance(node.blocks[-1], Section):
        node = node.blocks[-1]
    return node.blocks


# -- blocks ----------------------------------------------------------------------------------------------


def _places(node: Holder) -> list[tuple[list[Block], int]]:
    """Every block with the list that it stands in."""
    if not isinstance(node, Document | Section):
        return []
    found = [(node.blocks, number) for number in range(len(node.blocks))]
    for block in node.blocks:
        found += _places(block)
    return found


def _gaps(node: Holder) -> list[tuple[list[Block], int]]:
    """Where a divider parts two blocks that hold text."""
    return [
        (among, number)
        for among, number in _places(node)
        if number and not _ends_divided(among[number - 1]) and not isinstance(among[number], Divider)
    ]


def _ends_divided(block: Block) -> bool:
    if isinstance(block, Section):
        return bool(block.blocks) and _ends_divided(block.blocks[-1])
    return isinstance(block, Divider)


def _block(node: Holder, kind: type, make: Callable[[], Block], more: bool, pen: Pen) -> bool:
    if not isinstance(node, Document | Section):
        return False
    return _add_block(node, make(), pen) if more else _drop_block(node, kind, pen)


def _add_block(node: Document | Section, block: Block, pen: Pen) -> bool:
    if isinstance(block, Section):
        sections = [at for at, other in enumerate(node.blocks) if isinstance(other, Section)]
        if sections and pen.rng.random() < 0.6:  # like another one, so that it meets what each of them must meet
            block = node.blocks[pen.rng.choice(sections)].clone({})
        elif isinstance(node, Section):
            block = pen.section(1, node.level + 1)
        node.blocks.insert(pen.rng.choice(sections) if sections else len(node.blocks), block)
        return True
    inner = [other for other in node.blocks if isinstance(other, Section)]
    if inner:
        return _add_block(pen.rng.choice(inner), block, pen)
    if isinstance(block, Paragraph) and any(isinstance(other, Paragraph) and other.lines for other in node.blocks):
        block = pen.stanza(2)
    # Not first, where what opens the response may be fixed, nor behind another list, which it would join.
    spots = [
        at
        for at in range(1, len(node.blocks) + 1)
        if not any(_join(other, block) for other in node.blocks[at - 1 : at + 1])
    ]
    siblings = [other for other in node.blocks if type(other) is type(block)]
    if siblings and pen.rng.random() < 0.4:
        block = pen.rng.choice(siblings).clone({})
    if spots:
        node.blocks.insert(pen.rng.choice(spots), block)
    else:
        node.blocks += [pen.paragraph(1), block]
    return True


def _drop_block(node: Document | Section, kind: type, pen: Pen) -> bool:
    places = [
        (among, at)
        for among, at in _places(node)
        if isinstance(among[at], kind)
        and (len(among) > 1 or (kind is Section and among is not node.blocks))
        and (kind is not Section or isinstance(node, Section) or among is node.blocks)
        and not (0 < at < len(among) - 1 and _join(among[at - 1], among[at + 1]))
    ]
    if not places:
        return False
    among, at = pen.rng.choice(places)
    among.pop(at)
    if among and isinstance(among[0], Divider):  # it would part nothing
        among.pop(0)
    return True


def _join(left: Block, right: Block) -> bool:
    """Whether two blocks would be read as one where nothing stands between them."""
    return type(left) is type(right) and isinstance(left, Bullets | Quote | doc.Table)


# -- sentences and lines ---------------------------------------------------------------------------------


def _holders(node: Holder) -> list[list[doc.Piece]]:
    """The lists of sentences or lines in a part."""
    match node:
        case Paragraph():
            return [node.pieces]
        case Quote(paragraph=paragraph):
            return [paragraph.pieces]
        case Item():
            return [node.pieces] if node.pieces[0].end else []
        case Bullets(items=items):
            return [pieces for item in items for pieces in _holders(item)]
        case Document() | Section():
            return [pieces for block in node.blocks for pieces in _holders(block)]
    return []


def _pieces(node: Holder, lines: bool, delta: int, pen: Pen) -> bool:
    if isinstance(node, Item):
        return _item_sentences(node, delta, pen)
    for _ in range(abs(delta)):
        holders = [pieces for pieces in _holders(node) if delta > 0 or len(pieces) > 1]
        if not holders:
            return False
        pieces = pen.rng.choice(holders)
        if delta > 0:
            fresh = pen.line() if lines else pen.sentence()
            piece = pen.rng.choice(pieces).clone({}) if pen.rng.random() < 0.4 else fresh
            if lines:
                piece.end = ""  # two lines with end marks may be two paragraphs
            pieces.insert(pen.rng.randint(1, len(pieces)), piece)
        else:
            pieces.pop(pen.rng.randrange(len(pieces)))
    return True


def _item_sentences(item: Item, delta: int, pen: Pen) -> bool:
    """A list item without an end mark holds no sentence."""
    number = (len(item.pieces) if item.pieces[0].end else 0) + delta
    if number < 0 or item.wrap:
        return False
    while len(item.pieces) > max(number, 1):
        item.pieces.pop()
    for piece in item.pieces:
        piece.end = pen.script.stop if number else ""
    while len(item.pieces) < number:
        item.pieces.append(pen.sentence())
    return True


def _lines(node: Holder, delta: int, pen: Pen) -> bool:
    grid = node.value if isinstance(node, Code) else node.blocks[0] if isinstance(node, Document) else None
    if isinstance(grid, doc.Grid):
        for _ in range(abs(delta)):
            if delta > 0:
                grid.rows.append(pen.row(len(grid.rows[0])))
            elif len(grid.rows) > 2:
                grid.rows.pop()
            else:
                return False
        return True
    if isinstance(node, Code):
        return False
    return _pieces(node, True, delta, pen)


# -- items, rows, pairs ----------------------------------------------------------------------------------


def _items(node: Holder, delta: int, pen: Pen) -> bool:
    for _ in range(abs(delta)):
        lists = [block.items for block in (node, *doc.blocks(node)) if isinstance(block, Bullets)]
        if isinstance(node, Item):
            lists = [node.items]
        lists = [items for items in lists if delta > 0 or len(items) > (0 if isinstance(node, Item) else 1)]
        if not lists:
            return False
        items = pen.rng.choice(lists)
        if delta > 0:
            like = pen.rng.choice(items) if items and pen.rng.random() < 0.5 else None
            sentences = len(items[0].pieces) if items and items[0].pieces[0].end else 0
            items.insert(pen.rng.randint(0, len(items)), like.clone({}) if like else pen.item(sentences))
        else:
            items.pop(pen.rng.randrange(len(items)))
    return True


def _tables(node: Holder) -> list[doc.Table]:
    return [block for block in (node, *doc.blocks(node)) if isinstance(block, doc.Table)]


def _rows(node: Holder, delta: int, pen: Pen) -> bool:
    for _ in range(abs(delta)):
        tables = [table for table in _tables(node) if delta > 0 or len(table.rows) > 2]
        if not tables:
            return False
        rows = pen.rng.choice(tables).rows
        if delta > 0:
            like = [cell.clone({}) for cell in pen.rng.choice(rows[1:])] if pen.rng.random() < 0.5 else None
            rows.insert(pen.rng.randint(1, len(rows)), like or pen.row(len(rows[0])))
        else:
            rows.pop(pen.rng.randrange(1, len(rows)))
    return True


def _columns(node: Holder, delta: int, pen: Pen) -> bool:
    """Columns of a table; a row alone cannot be wider than its header."""
    tables = _tables(node)
    if not tables or isinstance(node, list):
        return False
    for table in tables:
        if len(table.rows[0]) + delta < 2:
            return False
        for row in table.rows:
            row[len(row) + min(delta, 0) :] = [pen.row(1)[0] for _ in range(delta)]
    return True


def _pairs(node: Holder, delta: int, pen: Pen) -> bool:
    one = node.value if isinstance(node, Code) else node.blocks[0] if isinstance(node, Document) else None
    if not isinstance(one, doc.Object):
        return False
    for _ in range(abs(delta)):
        free = [key for key in pen.script.keys if key not in {pair.key for pair in one.pairs}]
        spare = [at for at, pair in enumerate(one.pairs) if isinstance(pair.value, doc.Piece)]
        if (delta > 0 and not free) or (delta < 0 and (not spare or len(one.pairs) < 2)):
            return False
        if delta > 0:
            one.pairs.append(pen.pair(pen.rng.choice(free)))
        else:
            one.pairs.pop(pen.rng.choice(spare))
    return True
