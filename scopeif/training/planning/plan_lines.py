"""A plan as lines of text for a console."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scopeif.training.planning.hours import PAPER_STEP_S
from scopeif.training.planning.judge_load import JudgeRate
from scopeif.training.planning.memory import GIB
from scopeif.training.planning.plan import CARD_BYTES, Plan

NODE_GPUS = 8
"""Of a usual node."""
FEW_SPECS = 0.01
"""A smaller share of constraints with a spec makes measuring worthless."""
_NAMES = {
    "whole_layers": "whole layers",
    "whole_model": "whole model",
    "whole_models": "whole models",
    "vllm_weights": "vLLM's weights",
    "vllm_reserve": "vLLM's reserve",
    "kv_cache": "KV cache",
    "offloaded_weights": "offloaded weights",
    "offloaded_optimizer": "offloaded optimizer",
    "offloaded_vllm_weights": "vLLM's weights asleep",
}


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan as text for a console."""
    yield from _work_lines(plan)
    yield from _memory_lines(plan)
    yield from _host_memory_lines(plan)
    yield _disk_line(plan)
    yield from _judge_lines(plan)
    yield from _hours_lines(plan)
    yield from _warnings(plan)


def _work_lines(plan: Plan) -> Iterator[str]:
    work, needs = plan.work, plan.resources
    yield f"policy      {_count(plan.shape.parameters)} parameters"
    source = "the paper's figures: the files are not there" if plan.data.assumed else "from the files"
    yield (
        f"data        {plan.data.instructions} instructions, {plan.data.constraints:.2f} constraints each, "
        f"{plan.data.with_spec:.0%} of them with a spec ({source})"
    )
    yield f"steps       {work.steps} of {work.prompts} prompts x {work.rollouts} responses"
    unit = "logical GPU" if plan.on_cpu else "GPU"
    yield (
        f"resources   {needs.nodes} node x {needs.gpus_per_node} {unit}; Ray bundles {needs.bundles}, {needs.cpus} "
        f"logical processors; {needs.vllm_replicas} vLLM, {needs.data_parallel} data parallel"
    )
    if plan.overlapped:
        yield (
            f"overlapped  each {unit} generates, then trains; the next step's {work.responses} responses begin while "
            "the last ones of this step are waited for, and are verified while it trains"
        )


def _memory_lines(plan: Plan) -> Iterator[str]:
    size = plan.memory
    learning, generating = _summed(size.learning), _summed(size.generating)
    where = "the machine" if plan.on_cpu else f"a GPU of {_gib(CARD_BYTES)}"
    over = " TOO MUCH" if not plan.on_cpu and size.peak > CARD_BYTES else ""
    note = "estimated" if plan.on_cpu else "estimated, unchecked against a GPU"
    yield f"memory      {max(learning.total, generating.total):.1f} GiB of {where} at the peak{over}; {note}"
    yield f"  learning    {learning.text}"
    yield f"  generating  {generating.text}"
    held = size.kv_cache_tokens // plan.work.sequence_tokens
    short = "" if held else " TOO SMALL"
    yield (
        f"              the KV cache holds {size.kv_cache_tokens} tokens{short}, {held} of the longest sequences "
        "at once"
    )


def _host_memory_lines(plan: Plan) -> Iterator[str]:
    if plan.host_memory is None:
        return
    host, node = plan.host_memory, "the node" if plan.resources.nodes == 1 else "the first node"
    loading, saving = _summed(host.loading), _summed(host.saving)
    yield f"host memory {max(loading.total, saving.total):.1f} GiB of {node} at the peak; estimated, unchecked"
    tied = ", since its embeddings are tied" if plan.shape.tie_word_embeddings else ""
    ranks = "1 rank loads" if host.copies == 1 else f"{host.copies} ranks load"
    yield f"  loading     {loading.text} ({ranks} the whole model{tied})"
    yield f"  saving      {saving.text}"


def _disk_line(plan: Plan) -> str:
    size = plan.disk
    merging = f", {_gib(size.merging)} while a LoRA is merged" if size.merging else ""
    kept = f", {_gib(size.kept_models)} for weights kept" if size.kept_models else ""
    return (
        f"disk        {_gib(size.checkpoints)} for checkpoints ({size.count} of {_gib(size.checkpoint)}, one of "
        f"them being written{merging}; the best model {_gib(size.best)}), {_gib(size.rollouts)} for rollouts{kept}"
    )


def _judge_lines(plan: Plan) -> Iterator[str]:
    judge, load = plan.judge, plan.judge.step
    if judge.kind == "remote":
        yield "judge       the verification service asks its own"
        return
    if not load.calls:
        yield "judge       none is asked"
        return
    yield (
        f"judge       {load.calls:,.0f} calls a step for {load.verifications:,.0f} constraints, "
        f"{load.prompt_tokens / 1e6:.1f} M tokens read and {load.answer_tokens / 1e6:.1f} M written (estimated)"
    )
    if judge.validation.calls:
        whole = load.calls * plan.work.steps + judge.validation.calls * plan.validations.count
        yield (
            f"            {judge.validation.calls:,.0f} calls in each of {plan.validations.count} validations of "
            f"{plan.validations.instructions} instructions; {_count(whole)} in the whole run"
        )
    if judge.rate is None:
        yield f"            no rate of {judge.model} is known: count its GPUs from the tokens"
    elif not plan.on_cpu:
        yield from _judge_gpus(plan, judge.rate)


def _judge_gpus(plan: Plan, rate: JudgeRate) -> Iterator[str]:
    load, computing = plan.judge.step, plan.hours.step_s
    basis = "scaled from GPT-OSS-120B's by active parameters" if rate.scaled else "from published figures"
    alone = f"{load.gpus(computing, rate)} with steps of {computing:.0f} s (computing alone)"
    others = NODE_GPUS - plan.resources.gpus
    if others > 0:  # option=one_node: they serve the judge
        alone += (
            f", the other {others} of a node of {NODE_GPUS} with steps of {load.per_gpu_step_s(others, rate):.0f} s"
        )
    if plan.papers_setting:
        alone = f"{load.gpus(PAPER_STEP_S, rate)} with the paper's steps of {PAPER_STEP_S:.0f} s, {alone}"
        alone += f", the paper's 24 with steps of {load.per_gpu_step_s(24, rate):.0f} s"
    yield f"            H100-class GPUs of {plan.judge.model} that keep up: {alone}; estimated, {basis}"


def _hours_lines(plan: Plan) -> Iterator[str]:
    time, work = plan.hours, plan.work
    if time.fitted:
        yield (
            f"time        {_duration(time.total)}: {time.steps} steps of {time.step_s:.0f} s, without start and "
            "validation (estimated)"
        )
        return
    yield (
        f"time        {_duration(time.total)} of computing: {time.steps} steps of {time.step_s:.0f} s (rollouts "
        f"{time.rollout_s:.0f} s, passes {time.passes_s:.0f} s); estimated, without start, validation, saving, and "
        "waiting for the judge"
    )
    cap = "the cap, " if work.longest_response_tokens == work.response_tokens else ""
    mean = f"{work.mean_response_tokens:.0f} after a prompt of {work.mean_prompt_tokens:.0f}"
    yield (
        f"            if one response of each step reaches {cap}{work.longest_response_tokens} tokens and the mean is "
        f"{mean}; the lengths are assumed"
    )
    if plan.papers_setting:
        pace = time.steps * PAPER_STEP_S / 3600
        yield f"            at the paper's pace of {PAPER_STEP_S:.0f} s a step, all included, {pace:.0f} h"


def _warnings(plan: Plan) -> Iterator[str]:
    kind, share = plan.judge.kind, plan.work.with_spec
    if kind == "auto" and plan.judge.model and share < FEW_SPECS:
        yield (
            f"WARNING     verification.kind=auto saves no judge calls here: {share:.0%} of the constraints have a "
            "spec (the official release has none), so all are judged, as with tgv"
        )
    elif share < 1 and (kind == "compiled" or (kind == "auto" and not plan.judge.model)):
        yield (
            f"WARNING     {1 - share:.0%} of the constraints have no spec and nothing else verifies them: samples "
            "with one stay unverified"
        )


@dataclass(frozen=True)
class _Sum:
    total: float
    """GiB: the sum of the parts as they are printed."""
    text: str


def _summed(parts: Mapping[str, int]) -> _Sum:
    """Parts in GiB with their sum, which is that of the rounded parts, so that a reader can add them up."""
    rounded = {name: round(part / GIB, 1) for name, part in parts.items()}
    total = sum(rounded.values())
    shown = ", ".join(f"{_NAMES.get(name, name)} {part:.1f}" for name, part in rounded.items() if parts[name])
    return _Sum(total, f"{total:.1f} GiB: {shown}")


def _gib(size: float) -> str:
    return f"{size / GIB:.1f} GiB" if size >= GIB / 10 or not size else f"{size / (1 << 20):.1f} MiB"


def _count(number: float) -> str:
    for unit, size in (("B", 1e9), ("M", 1e6)):
        if number >= size / 10:
            return f"{number / size:.3g} {unit}"
    return f"{number:,.0f}"


def _duration(hours: float) -> str:
    if hours >= 2:
        return f"{hours:.0f} h"
    return f"{60 * hours:.0f} min" if hours > 1 / 30 else f"{3600 * hours:.0f} s"
