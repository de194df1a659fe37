"""A verifier, with the sandbox or the connection that it needs, from settings."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

from scopeif.constraints.models import Constraint
from scopeif.errors import ConfigError
from scopeif.verification.agreement import Agreement
from scopeif.verification.asking import Asker, Judge
from scopeif.verification.auto import AutoVerifier
from scopeif.verification.checkers import RuleVerifier, StaticToolVerifier
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.llm_only import LLMVerifier
from scopeif.verification.per_response import PerResponseVerifier
from scopeif.verification.remote import RemoteVerifier
from scopeif.verification.sandbox import build_pool
from scopeif.verification.settings import VerificationSettings, require_judge
from scopeif.verification.tool_grounded import ToolGroundedVerifier
from scopeif.verification.verifier import Verifier
from tools_sandbox import ToolPool


@contextlib.asynccontextmanager
async def open_verifier(settings: VerificationSettings, judge: Judge | None) -> AsyncIterator[Verifier]:
    """The verifier that the settings name, with the sandbox or the connection that it needs.

    Raises:
        ConfigError: it needs a judge and there is none, or the other way round.
    """
    require_judge(settings, judge is not None)
    if settings.kind == "remote":
        async with RemoteVerifier(settings.remote) as remote:
            yield remote
        return
    with build_pool(settings) as pool:
        yield build_verifier(settings, pool, judge)


def build_verifier(settings: VerificationSettings, pool: ToolPool, judge: Judge | None) -> Verifier:
    """The verifier that the settings name, for a sandbox that is there; `remote` needs none.

    Raises:
        ConfigError: it needs a judge and there is none, or it is remote.
    """
    if settings.kind == "remote":
        raise ConfigError("remote verifies elsewhere", place="verification.kind", fix="take open_verifier")
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
        "auto": AutoVerifier(compiled, grounded, settings.audit_frac, _trust(settings)),
        "llm": LLMVerifier(asker),
        "rule": RuleVerifier(asker, pool),
        "static_tool": StaticToolVerifier(asker, pool),
    }
    return verifiers[settings.kind]


def _trust(settings: VerificationSettings) -> Callable[[Constraint], bool]:
    """Which constraints measuring decides: one route a constraint, the same for the whole run."""
    agreement = Agreement.read(settings.agreement_file) if settings.agreement_file else Agreement()
    judged = frozenset(settings.judged_scopes)

    def trusts(constraint: Constraint) -> bool:
        if constraint.scope_category in judged:
            return False
        return agreement.trusts(constraint, settings.min_agreement, settings.min_audited)

    return trusts
