"""A verifier, and the sandbox that it needs, from settings."""

from __future__ import annotations

from scopeif.verification.asking import Asker, Judge
from scopeif.verification.auto import AutoVerifier
from scopeif.verification.checkers import RuleVerifier, StaticToolVerifier
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.llm_only import LLMVerifier
from scopeif.verification.per_response import PerResponseVerifier
from scopeif.verification.settings import VerificationSettings, require_judge
from scopeif.verification.tool_grounded import ToolGroundedVerifier
from scopeif.verification.verifier import Verifier
from tools_sandbox import Limits, ToolPool


def build_pool(settings: VerificationSettings) -> ToolPool:
    """The sandbox; the caller closes it. Only tools that the judge wrote for many responses can get into quarantine."""
    return ToolPool(
        quarantine_after=3 if settings.kind in ("rule", "static_tool") else 0,
        workers=settings.sandbox_workers,
        limits=Limits(cpu_s=settings.tool_cpu_s, wall_s=settings.tool_wall_s, memory_mb=settings.tool_memory_mb),
        require=settings.sandbox_require,
    )


def build_verifier(settings: VerificationSettings, pool: ToolPool, judge: Judge | None) -> Verifier:
    """The verifier that the settings name.

    Raises:
        ConfigError: it needs a judge and there is none.
    """
    require_judge(settings, judge is not None)
    compiled = CompiledVerifier(pool)
    if judge is None:
        return compiled if settings.kind == "compiled" else AutoVerifier(compiled)
    asker = Asker(judge, settings.attempts, settings.layout)
    grounded = ToolGroundedVerifier(asker, pool)
    verifiers: dict[str, Verifier] = {
        "compiled": compiled,
        "tgv": grounded,
        "per_response": PerResponseVerifier(asker, pool),
        "auto": AutoVerifier(compiled, grounded, settings.audit_frac, settings.judged_scopes),
        "llm": LLMVerifier(asker),
        "rule": RuleVerifier(asker, pool),
        "static_tool": StaticToolVerifier(asker, pool),
    }
    return verifiers[settings.kind]
