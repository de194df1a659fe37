"""A benchmark folder small enough that its report can be computed by hand, with two judged models.

Question q1 is the paper's worked example (appendix A.1): the baseline of `Org/alpha` has a bullet list and a closing
invitation and no heading, so that it forbids a (bullet list), requires b (headings) and forbids c (call to action). All
its labels pass except b in v2. Question q2 has one variant and hence no unit.

For `beta` no feature is present, so that b alone is opposed. The judges disagree about b in v1 (reviewed: pass), in v2
(not reviewed) and about the title in v4 (reviewed: failure), all of one stratum, whose estimate is 1/2.
"""

import json

from scopeif.reformbench.adjudication.adjudication import Adjudication
from scopeif.reformbench.adjudication.strata import pairs
from scopeif.reformbench.baseline import Baseline, Extraction
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.calibration.calibration import pooled, stratified
from scopeif.reformbench.calibration.file import write_adjudications, write_calibrated
from scopeif.reformbench.calibration.pool import Pool
from scopeif.reformbench.catalog.templates import instantiate, parameters_of
from scopeif.reformbench.judging.judgment_file import key_of
from scopeif.reformbench.judging.prompt import assessed
from scopeif.reformbench.models import Judgment, Question, Response, Variant, text_hash
from scopeif.reformbench.report.places import MAIN, PROMPTED, SINGLE, Places

ALPHA, BETA, GAMMA = "Org/alpha", "beta", "gamma"
A, B, C = ("bullet_list", "forbid"), ("section_headings", "require"), ("call_to_action", "forbid")
TARGETS = {
    "v1": (A, B, C),
    "v2": (A, B, ("code_block", "forbid")),
    "v3": (A, ("code_block", "forbid"), ("visual_symbols", "forbid")),
    "v4": (("document_title", "require"), ("table_or_grid", "forbid"), ("checklist", "forbid")),
}
BASELINES = {ALPHA: {"q1": ("bullet_list", "call_to_action"), "q2": ()}, BETA: {"q1": (), "q2": ()}}
PASSES = dict.fromkeys(TARGETS, ((1, 1), (1, 1), (1, 1)))
LABELS = {
    ALPHA: {**PASSES, "v2": ((1, 1), (0, 0), (1, 1))},
    BETA: {
        **PASSES,
        "v1": ((1, 1), (1, 0), (1, 1)),
        "v2": ((1, 1), (1, 0), (1, 1)),
        "v4": ((1, 0), (1, 1), (1, 1)),
    },
}
POOL = Pool(3, 1)
REVIEWS = {(BETA, "v1", 1): "first", (BETA, "v4", 0): "second"}
SETTINGS = {
    "temperature": 0.0,
    "reasoning_effort": None,
    "max_tokens": 65536,
    "extra_body": {"top_p": 1, "top_k": 0, "chat_template_kwargs": {"enable_thinking": True, "thinking_budget": 32768}},
}


def questions():
    shared = {"language": "en", "source": "own", "licence": "CC0-1.0"}
    return [
        Question(id="q1", text="Why is the sea salty?", domain="nature", task="concept_explanation", **shared),
        Question(id="q2", text="Write a sorting function.", domain="software", task="code_generation", **shared),
    ]


def variants():
    return [
        Variant(
            id=name,
            question="q2" if name == "v4" else "q1",
            instruction=f"Instruction {name} | with a pipe.",
            requirements=tuple(_requirement(*target) for target in targets),
        )
        for name, targets in TARGETS.items()
    ]


def _requirement(feature, mode):
    parameters = {one.name: one.value("en") for one in parameters_of(feature, mode)}
    return instantiate(feature, mode, parameters, "en")


def responses(model, asked=MAIN, text="## Salt\n\nRivers bring it.\n```\ncode | fence\n```"):
    """A model's responses; those to single requirements are three a variant."""
    kind = {"kind": asked.kind, "settings": SETTINGS | {"condition": asked.condition}}
    if asked.kind == "unconstrained":
        return [_response(model, name, asked, text, **kind) for name in ("q1", "q2")]
    if asked.kind == "single":
        return [
            _response(model, name, asked, text, position=position, **kind) for name in TARGETS for position in range(3)
        ]
    return [_response(model, name, asked, text, truncated=name == "v3", **kind) for name in TARGETS]


def _response(model, item, asked, text, **given):
    name = f"{model}-{asked.folder}-{item}-{given.get('position', '')}"
    return Response(id=text_hash(name)[:12], model=model, item=item, prompt_hash=text_hash(item), text=text, **given)


def benchmark(path, models=(ALPHA, BETA)):
    """The shared part with responses and baselines of models, nothing judged."""
    folder = BenchmarkDir(path)
    folder.write_shared(questions(), variants())
    folder.write_of_models("responses/variant", [row for model in models for row in responses(model)])
    baselines = [
        Baseline(model=model, question=question, response="r", response_hash="h", features=features)
        for model in models
        for question, features in BASELINES[model].items()
    ]
    folder.write_of_models("baselines", baselines)
    return folder


def judge(path, labels, asked=MAIN, reviews=None, rules=("probabilities", "pooled"), fallback=None):
    """Judgments, adjudications and probabilities of models, by judges g and h.

    Args:
        labels: by model and variant, the labels of both judges for each position; None is unverified.
    """
    places = Places(path, path / "judging")
    folder = places.judging_of(asked)
    folder.mkdir(parents=True, exist_ok=True)
    judging = {"judges": ["g", "h"], "variants": "variants.jsonl", "responses": ["responses.jsonl"]}
    (folder / "judging.json").write_text(json.dumps(judging), encoding="utf-8")
    singles = {(name, position): f"{name} {position}" for name in TARGETS for position in range(3)}
    items = list(assessed(variants(), [row for model in labels for row in responses(model, asked)], singles))
    sides = {}
    for side, name in enumerate(("g", "h")):
        rows = [(item, [_judgment(name, item, at, labels, side) for at in item.positions]) for item in items]
        sides[name] = [judgment for _, of_item in rows for judgment in of_item]
        with (folder / f"judgments_{name}.jsonl").open("w", encoding="utf-8") as file:
            file.write(json.dumps({"given": {"judge": name, "model": f"{name}-1", "reasoning_effort": "high"}}) + "\n")
            for item, judgments in rows:
                plain = [one.model_dump(mode="json") for one in judgments]
                file.write(json.dumps({"key": key_of(item), "judgments": plain}) + "\n")
    population = pairs(variants(), sides["g"], sides["h"])
    records = [_record(pair, reviews[where]) for pair in population if (where := _where(pair)) in (reviews or {})]
    write_adjudications(folder / "adjudications.jsonl", records)
    if "probabilities" in rules:
        calibrated = stratified(population, records, fallback=fallback, unverified="exclude")
        write_calibrated(folder / "probabilities.jsonl", calibrated)
    if "pooled" in rules:
        write_calibrated(folder / "pooled.jsonl", pooled(population, POOL, unverified="exclude"))


def whole(path):
    """Everything that a report can have: both models judged, a study of each kind on alpha, an additional model."""
    folder = benchmark(path)
    judge(path, LABELS, reviews=REVIEWS)
    for asked in (SINGLE, PROMPTED):
        folder.write_of_models(f"responses/{asked.folder}", responses(ALPHA, asked))
        better = {ALPHA: {**PASSES, "v4": ((1, 1), (1, 0), (1, 1))}}
        judge(path, better, asked, rules=("pooled",))
    baselines = [
        Baseline(model=GAMMA, question=question, response="r", response_hash="h", features=("bullet_list",))
        for question in ("q1", "q2")
    ]
    folder.write_of_models("baselines", baselines)
    mappings = (("q1", "exact", ("bullet_list",)), ("q1", "composite", ("call_to_action", "code_block")))
    mappings += (("q2", "uncovered", ()), ("q2", "not_format", ()))
    folder.write_of_models("extractions", [_extraction(number, *row) for number, row in enumerate(mappings)])
    return folder


def _extraction(number, question, mapping, features):
    return Extraction(
        model=GAMMA,
        question=question,
        response="r",
        response_hash="h",
        index=number,
        name="x",
        mapping=mapping,
        features=features,
    )


def _judgment(judge, item, position, labels, side):
    label = labels[item.response.model][item.variant.id][position][side]
    return Judgment(
        judge=judge,
        model=item.response.model,
        variant=item.variant.id,
        position=position,
        response=item.response.id,
        response_hash=item.response.hash,
        label=label,
        evidence="" if label is None else f"{judge} saw <b>|</b> and *stars*\non two lines",
        reason="parse: no JSON" if label is None else "",
    )


def _where(pair):
    return pair.instance.model, pair.instance.variant, pair.instance.position


def _record(pair, chosen):
    stratum = pair.stratum
    return Adjudication(
        **pair.instance._asdict(),
        instruction_hash="i",
        requirement_hash="q",
        response_hash=pair.first.response_hash,
        direction=stratum.direction,
        category=stratum.category,
        mode=stratum.mode,
        first="g",
        second="h",
        chosen=chosen,
        label=int((chosen == "first") == (stratum.direction == "first_passes")),
        matched=False,
    )
