"""Answers at the edge of what a criterion asks for, each with what measuring says of it."""

from __future__ import annotations

from typing import Any

import pytest

from scopeif.errors import DataError
from scopeif.measure import evaluate
from scopeif.reformbench.catalog.presence import present
from scopeif.reformbench.catalog.spec_template import filled
from scopeif.reformbench.catalog.templates import instantiate
from scopeif.reformbench.models import Language
from scopeif.reward.graded import satisfied

REQUIRED: list[tuple[str, dict[str, Any], Language, str, bool]] = [
    # numbers glued to their text
    ("numbered_enumeration", {"items": 2}, "zh", "1.苹果\n2.香蕉", True),
    ("numbered_enumeration", {"items": 2}, "zh", "1．苹果\n2．香蕉", True),
    ("numbered_enumeration", {"items": 2}, "en", "1.Apple\n2.Banana", True),
    ("numbered_enumeration", {"items": 2}, "en", "1.5 kg\n2.5 kg", False),
    ("numbered_enumeration", {"items": 2}, "zh", "1.5公斤\n2.5公斤", False),
    ("numbered_enumeration", {"items": 2}, "zh", "1.苹果\n2.香蕉\n3.梨", False),
    # list numbers before the words of a line
    ("alternative_options", {"options": 2}, "en", "1. Option 1: a can\n2. Option 2: a hose", True),
    ("alternative_options", {"options": 2}, "en", "1. **Option 1**: a can\n(2) **Option 2**: a hose", True),
    ("alternative_options", {"options": 2}, "en", "In 1. Option 1: a can\n2. Option 2: a hose", False),
    ("alternative_options", {"options": 2}, "en", "2024 Option 1: a can\n2024 Option 2: a hose", False),
    ("alternative_options", {"options": 2}, "zh", "1. 方案1：水壶\n2、方案2：水管", True),
    ("cause_and_effect", {}, "en", "1. Cause: a\n2. Effect: b\n3) Cause: c\n4) **Effect:** d", True),
    ("cause_and_effect", {}, "en", "1. Cause: a\n2. Effect: b\n3) No Cause: c\n4) Effect: d", False),
    ("cause_and_effect", {}, "zh", "1. 原因：甲\n   结果：乙\n2. 原因：丙\n   结果：丁", True),
    ("cause_and_effect", {}, "zh", "1. 原因：甲\n2. 原因：丙\n3. 结果：丁", False),
    ("rationale_and_evidence", {}, "en", "So.\n1. Reason: a\n2. Reason: b", True),
    ("rationale_and_evidence", {}, "en", "1. Reason: a\n2. Reason: b", False),
    ("rationale_and_evidence", {}, "zh", "结论。\n1. 理由：甲\n2. 理由：乙", True),
    ("rationale_and_evidence", {}, "zh", "1. 理由：甲\n2. 理由：乙", False),
    ("ranking_and_priority", {"ranks": 2}, "en", "1. Priority 1: a\n2. Priority 2: b", True),
    ("ranking_and_priority", {"ranks": 2}, "en", "1. Priority 2: a\n2. Priority 1: b", False),
    ("ranking_and_priority", {"ranks": 2}, "zh", "1. 优先级1：甲\n2. 优先级2：乙", True),
    ("timeline_and_stages", {"stages": 2}, "en", "1. Stage 1: a\n2. Stage 2: b", True),
    ("timeline_and_stages", {"stages": 2}, "en", "1. Stage 1: a\n2. A stage 2: b", False),
    ("timeline_and_stages", {"stages": 2}, "zh", "1. 阶段1：甲\n2. 阶段2：乙", True),
    ("recommendations", {"count": 2}, "en", "1. Recommendation 1: a\n2. Recommendation 2: b", True),
    ("question_and_answer", {"pairs": 2}, "en", "1. Q: a?\n   A: b\n2. Q: c?\n   A: d", True),
    ("question_and_answer", {"pairs": 2}, "en", "1. QA: a?\n   A: b\n2. Q: c?\n   A: d", False),
    ("question_and_answer", {"pairs": 2}, "zh", "1. 问：甲？\n   答：乙\n2. 问：丙？\n   答：丁", True),
    ("classification", {}, "en", "1. Basic: a\n2. Intermediate: b\n3. **Advanced:** c", True),
    ("classification", {}, "en", "1. Basic: a\n2. Advanced: b\n3. Intermediate: c", False),
    ("classification", {}, "zh", "1. 基础：甲\n2. 中级：乙\n3. 高级：丙", True),
    ("labels_and_tags", {}, "en", "1. [Fact] a\n2. [Claim] b", True),
    ("labels_and_tags", {}, "en", "1. A [Fact]\n2. [Claim] b", False),
    ("labels_and_tags", {}, "zh", "1. 【事实】甲\n2. 【观点】乙", True),
    ("schedule_or_itinerary", {"by": "time"}, "en", "1. 09:30 a\n2. 10:30 b\n3. **11:30** c", True),
    ("schedule_or_itinerary", {"by": "time"}, "en", "1. at 09:30 a\n2. 10:30 b\n3. 11:30 c", False),
    ("schedule_or_itinerary", {"by": "day"}, "zh", "1. 第一天：甲\n2. 第二天：乙\n3. 第3天：丙", True),
    ("roles_and_interaction", {}, "en", "1. Your turn: a\n2. Your turn: b", True),
    ("roles_and_interaction", {}, "zh", "1. 轮到你了：甲\n2. 现在轮到你了：乙", False),
    ("conditional_branches", {"branches": 2}, "en", "1) If it rains, rest.\n2. If not, water.", True),
    ("conditional_branches", {"branches": 2}, "en", "1) Iffy rain.\n2. If not, water.", False),
    ("conditional_branches", {"branches": 2}, "zh", "1）如果下雨就休息。\n2、如果不下就浇水。", True),
    ("form_or_record_card", {"cards": 2, "fields": ["Name", "Owner"]}, "en",
     "1. Card 1\n   - Name: a\n   - Owner: b\n2. Card 2\n   1. Name: c\n   2. Owner: d", True),
    ("script_or_narrative", {"scenes": 2}, "en", "1. [Scene 1] a\n2. Scene 2: b", True),
    # Chinese numerals
    ("alternative_options", {"options": 2}, "zh", "方案一：水壶\n## 方案二", True),
    ("alternative_options", {"options": 2}, "zh", "方案一：水壶\n方案三：水管", False),
    ("alternative_options", {"options": 2}, "zh", "方案一般都可行。\n方案二：水管", False),
    ("recommendations", {"count": 2}, "zh", "**建议一**：浇水\n**建议二**：除草", True),
    ("recommendations", {"count": 2}, "zh", "建议一：浇水\n建议二周一次浇水", False),
    ("ranking_and_priority", {"ranks": 2}, "zh", "优先级一：水\n优先级二：光", True),
    ("ranking_and_priority", {"ranks": 2}, "zh", "优先级二：光\n优先级一：水", False),
    ("timeline_and_stages", {"stages": 3}, "zh", "1. 阶段一：甲\n2. 阶段二：乙\n3. 阶段三：丙", True),
    ("timeline_and_stages", {"stages": 3}, "zh", "阶段一：甲\n阶段二：乙", False),
    ("script_or_narrative", {"scenes": 2}, "zh", "## 场景一\n晴。\n## 场景二\n雨。", True),
    ("script_or_narrative", {"scenes": 2}, "zh", "## 场景一\n晴。\n## 场景三\n雨。", False),
    ("form_or_record_card", {"cards": 2, "fields": ["名称", "用途"]}, "zh",
     "卡片一\n名称：甲\n用途：乙\n卡片二\n名称：丙\n用途：丁", True),
    # bullets
    ("glossary_entries", {"terms": 2}, "en", "* **Loam**: soil\n* **Bed:** a strip", True),
    ("glossary_entries", {"terms": 2}, "en", "* **Loam** is soil\n* **Bed:** a strip", False),
    ("glossary_entries", {"terms": 2}, "zh", "* **壤土**：肥土\n1. **苗床：** 地块", True),
    ("glossary_entries", {"terms": 2}, "zh", "* 壤土：肥土\n* **苗床：** 地块", False),
    ("bullet_list", {"items": 2}, "en", "- --verbose\n- -q", True),
    ("bullet_list", {"items": 2}, "en", "- --verbose\n- - -", False),
    ("bullet_list", {"items": 2}, "zh", "- --verbose选项\n- -q选项", True),
    # others
    ("visual_symbols", {"count": 2}, "en", "⏰ now and 1️⃣ first", True),
    ("visual_symbols", {"count": 2}, "zh", "⏰现在，✓之后", False),
    ("document_template", {"sections": 2, "blanks": 2}, "zh", "# 甲\n\n请填[姓名]。\n\n# 乙\n\n在[日期]。", True),
    ("document_template", {"sections": 2, "blanks": 2}, "zh", "# 甲\n\n[文档](http://a.b)\n\n# 乙\n\n[日期]", False),
    ("code_annotations", {"comments": 2}, "en", "```c\n#comment\n// more\n```", True),
    ("code_annotations", {"comments": 2}, "zh", "```c\n#include <a.h>\n// 注释\n```", False),
]  # fmt: skip

PRESENT: list[tuple[str, str, bool]] = [
    ("numbered_enumeration", "1.苹果\n2.香蕉", True),
    ("numbered_enumeration", "1．苹果", True),
    ("numbered_enumeration", "1.Apple", True),
    ("numbered_enumeration", "1.5 kg of apples", False),
    ("numbered_enumeration", "3.14是圆周率", False),
    ("numbered_enumeration", "A. Smith wrote the book.", False),
    ("numbered_enumeration", "B. Smith wrote the book.\nA. Smith read it.", False),
    ("numbered_enumeration", "A. Water\nB. Light", True),
    ("numbered_enumeration", "Choose:\nA. 水\nB. 光", True),
    ("numbered_enumeration", "a. water", True),
    ("numbered_enumeration", "I. Water\nII. Light", True),
    ("numbered_enumeration", "09:30 breakfast", False),
    ("visual_symbols", "⏰ now", True),
    ("visual_symbols", "等一下⏳", True),
    ("visual_symbols", "ℹ️ a note", True),
    ("visual_symbols", "1️⃣ first", True),
    ("visual_symbols", "⏱️ ▶️", True),
    ("visual_symbols", "★星", True),
    ("visual_symbols", "1 # * (c) → a", False),
    ("visual_symbols", "1、#号与*号", False),
    ("code_annotations", "```python\nmid = (a + b) // 2\n```", False),
    ("code_annotations", "```python\nmid = (a + b) // n if n else 0\n```", False),
    ("code_annotations", "```bash\nls /tmp/*.txt\nrm -r /*\n```", False),
    ("code_annotations", "```\nfetch('https://a.b/c')\n```", False),
    ("code_annotations", "```c\n#include <a.h>\n#define N 1\nrun();\n```", False),
    ("code_annotations", "```bash\n#!/bin/sh\nls\n```", False),
    ("code_annotations", "```css\n#main {\n}\n```", False),
    ("code_annotations", "```python\n#comment\nrun()\n```", True),
    ("code_annotations", "```python\nrun()\n#注释\n```", True),
    ("code_annotations", "```html\n<!-- head -->\n<p>a</p>\n```", True),
    ("code_annotations", "```js\nrun();// now\n```", True),
    ("code_annotations", "```js\nrun() // 现在\n```", True),
    ("code_annotations", "```js\nif (a) { // 2 cases\n```", True),
    ("code_annotations", "```c\nint a; /* count */\n```", True),
    ("code_annotations", "```c\n/*\n * doc\n */\nint a;\n```", True),
    ("mathematical_notation", "It is open 24/7.", False),
    ("mathematical_notation", "营业时间为24/7，日期为10/12/2024。", False),
    ("mathematical_notation", "Take 1/2 cup by 10/12/2024.", False),
    ("mathematical_notation", "See https://a.b/c?a=b&x=1 or key=value.", False),
    ("mathematical_notation", "It costs US$5/US$6, or $5 to $6.", False),
    ("mathematical_notation", "价格为US$5/US$6。", False),
    ("mathematical_notation", "Call `f(x=1)`, then `g(y = 2)`.", False),
    ("mathematical_notation", "Call `f(x=1)` to get y = 2.", True),
    ("mathematical_notation", "So 2+3=5.", True),
    ("mathematical_notation", "Thus 2x+3=7.", True),
    ("mathematical_notation", "设a²+b²=c²。", True),
    ("mathematical_notation", "With x_1=3 it holds.", True),
    ("mathematical_notation", "利润=收入-成本。", True),
    ("mathematical_notation", "Add 3 * 4 to it.", True),
    ("mathematical_notation", "Run it with --n=4 or -x=1.", False),
    ("mathematical_notation", "See http://a.b/1+2?q=3.", False),
    ("mathematical_notation", "见[文档](http://a.b/?a=1&b=2)。", False),
    ("mathematical_notation", "```python\nx = 1\n```", False),
    ("mathematical_notation", "当x=5时成立。", True),
    ("mathematical_notation", "E=mc^2 holds.", True),
    ("mathematical_notation", "It is $2x$ at most.", True),
    ("mathematical_notation", "因此 1/2 = 0.5。", True),
    ("mathematical_notation", "\\begin{align}\na\n\\end{align}", True),
    ("document_title", "My Title\n========\n\nText.", True),
    ("document_title", "我的标题\n====\n\n正文。", True),
    ("document_title", "🌟 **Title** 🌟\n\nText.", True),
    ("document_title", "🌟 **标题** 🌟\n\n正文。", True),
    ("document_title", "Text.\n\nMy Title\n========", False),
    ("document_title", "- **Item**\n- more", False),
    ("document_title", "**重点。**\n\n正文。", False),
    ("callout_or_note_block", "Text.\n\n注：不要在中午浇。", True),
    ("callout_or_note_block", "温馨提示：不要在中午浇。", True),
    ("callout_or_note_block", "**Pro tip:** not at noon.", True),
    ("callout_or_note_block", "Notes on care: water it.", False),
    ("callout_or_note_block", "## Pro tip\n\nNot at noon.", True),
    ("callout_or_note_block", "## 温馨提示\n\n不要在中午浇。", True),
    ("callout_or_note_block", "## Tips\n\nNot at noon.", False),
    ("callout_or_note_block", "注水要慢：分两次。", False),
    ("bullet_list", "– item", True),
    ("bullet_list", "・项目", True),
    ("bullet_list", "- --verbose", True),
    ("bullet_list", "- - -\n* * *\n---", False),
    ("bullet_list", "–5 degrees", False),
    ("section_divider", "One.\n\n<hr>\n\nTwo.", True),
    ("section_divider", "标签<hr>表示分隔。", False),
    ("table_or_grid", "<table><tr><td>a</td></tr></table>", True),
    ("table_or_grid", "The tag `<table>` makes one.", False),
    ("machine_readable_block", "It is {\"a\": 1} here.", True),
    ("machine_readable_block", "数据如下：\n{\"甲\": 1}", True),
    ("machine_readable_block", "The set {a, b} of \"a\": none.", False),
    ("checklist", "1. [ ] x", True),
    ("checklist", "- [x] 浇水", True),
    ("checklist", "[x](http://a.b)", False),
    ("checklist", "- [x](http://a.b)链接", False),
    ("labels_and_tags", "At 10:30 we met.", False),
    ("labels_and_tags", "比例3:2最好。", False),
    ("labels_and_tags", "[docs](http://a.b) help.", False),
    ("labels_and_tags", "Step 1: dig.", True),
    ("labels_and_tags", "Cost: 3 coins.", True),
    ("labels_and_tags", "价格：3元。", True),
    ("textual_diagrams", "```html\n<!-- c -->\n```", False),
    ("textual_diagrams", "<!-- 注释 -->正文。", False),
    ("textual_diagrams", "A --> B", True),
]  # fmt: skip

FORBIDDEN: list[tuple[str, Language, str, bool]] = [
    ("document_template", "zh", "见[文档](http://a.b)。", True),
    ("document_template", "en", "See the [manual](http://a.b).", True),
    ("document_template", "zh", "请填[姓名]。", False),
    ("question_and_answer", "en", "1. Q: water\n2. A: light", False),
    ("question_and_answer", "zh", "1. 问：水", False),
    ("captioned_visual", "zh", "图一：植物", False),
    ("captioned_visual", "zh", "图一般都清楚。", True),
    *((feature, language, text, not has) for feature, text, has in PRESENT if feature != "machine_readable_block"
      for language in ("en", "zh")),
]  # fmt: skip


@pytest.mark.parametrize("feature, parameters, language, text, expected", REQUIRED)
def test_what_a_requirement_takes(
    feature: str, parameters: dict[str, Any], language: Language, text: str, expected: bool
) -> None:
    spec = instantiate(feature, "require", parameters, language).spec
    assert spec is not None
    assert satisfied(evaluate(spec, text)) is expected


@pytest.mark.parametrize("feature, language, text, expected", FORBIDDEN)
def test_what_a_prohibition_takes(feature: str, language: Language, text: str, expected: bool) -> None:
    spec = instantiate(feature, "forbid", {}, language).spec
    assert spec is not None
    assert satisfied(evaluate(spec, text)) is expected


@pytest.mark.parametrize("feature, text, expected", PRESENT)
def test_what_counts_as_present(feature: str, text: str, expected: bool) -> None:
    assert present(feature, text) is expected


@pytest.mark.parametrize("text", ["⏰ a ⏳ b ℹ️ c", "1️⃣甲 ▶️乙 ⏱️丙"])
def test_no_text_has_the_emoji_that_are_required_and_none(text: str) -> None:
    for language in ("en", "zh"):
        both = [
            instantiate("visual_symbols", "require", {"count": 3}, language).spec,
            instantiate("visual_symbols", "forbid", {}, language).spec,
        ]
        assert [spec is not None and satisfied(evaluate(spec, text)) for spec in both] == [True, False]


def test_a_count_without_a_chinese_numeral_is_refused() -> None:
    clause = {
        "object": "cards",
        "measure": {"kind": "matches", "pattern": "卡片{cards:han}"},
        "range": {"kind": "bounds", "lower": 1},
    }
    spec = filled([clause], {"cards": 10}, "zh")
    assert spec is not None
    assert satisfied(evaluate(spec, "卡片十"))
    with pytest.raises(DataError, match="writes 11 as a Chinese numeral"):
        filled([clause], {"cards": 11}, "zh")
