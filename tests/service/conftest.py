"""The service's app over a real sandbox and a judge that answers from a script."""

import contextlib

import pytest

from scopeif.verification.build import build_verifier
from scopeif.verification.sandbox import build_pool
from scopeif.verification.service.app import build_app
from scopeif.verification.service.backend import Backend, CountedPool
from scopeif.verification.service.documentation import VERIFY_EXAMPLES
from scopeif.verification.service.settings import ServiceSettings
from scopeif.verification.settings import VerificationSettings


@pytest.fixture(scope="session")
def pool():
    with build_pool(VerificationSettings(), CountedPool) as pool:
        yield pool


@pytest.fixture
def request_body():
    """The first example of the documentation: three lines where four are asked for."""
    return dict(VERIFY_EXAMPLES["by spec"]["value"])


@pytest.fixture
def make_app(pool):
    """An app with these settings; `judge` answers, or `verifier` verifies."""

    def make(judge=None, verifier=None, gather=None, **settings):
        chosen = ServiceSettings.model_validate(settings)

        @contextlib.asynccontextmanager
        async def opened(_):
            yield Backend(verifier or build_verifier(chosen.verification, pool, judge), pool)

        return build_app(chosen, opened, gather)

    return make
