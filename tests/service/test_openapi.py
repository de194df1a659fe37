"""The service does what its OpenAPI document says, for whatever schemathesis makes of it."""

import hashlib

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from scopeif.verification.service.documentation import REFUSALS, VERIFY_EXAMPLES

TOKEN = "s3cret"
FUZZ = settings(
    max_examples=15, deadline=None, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.fixture
def document(make_app):
    return make_app(token_sha256=hashlib.sha256(TOKEN.encode()).hexdigest()).openapi()


def test_every_refusal_is_documented_with_its_form_and_an_example(document):
    for path in ("/v1/verify", "/v1/reward"):
        operation = document["paths"][path]["post"]
        statuses = {"200", "401", "413", "422", "429", "500", "503"}
        assert set(operation["responses"]) == statuses
        for status in statuses - {"200"}:
            content = operation["responses"][status]["content"]["application/json"]
            assert content["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
            assert content["examples"]
        assert set(operation["requestBody"]["content"]["application/json"]["examples"]) >= set(VERIFY_EXAMPLES)
        assert operation["security"] == [{"HTTPBearer": []}]
        assert operation["responses"]["429"]["headers"].keys() == {"Retry-After"}
    assert {"draining", "unavailable"} == set(
        document["paths"]["/readyz"]["get"]["responses"]["503"]["content"]["application/json"]["examples"]
    )
    assert "HTTPValidationError" not in document["components"]["schemas"]
    assert set(REFUSALS) < set(document["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"])


def test_without_a_token_none_is_documented(make_app):
    document = make_app().openapi()
    assert "401" not in document["paths"]["/v1/verify"]["post"]["responses"]
    assert "securitySchemes" not in document["components"]


CHECKED = {
    # Which texts are a Scope, and what belongs together, is more than JSON Schema says.
    "excluded_checks": [positive_data_acceptance]
}


@pytest.fixture
def operation_of(make_app):
    schema = schemathesis.openapi.from_asgi("/openapi.json", make_app())
    return lambda path, method: schema[path][method]


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/reward"])
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_bodies_of_all_kinds_are_answered_as_documented(operation_of, path, mode):
    @FUZZ
    @given(case=operation_of(path, "POST").as_strategy(generation_mode=mode))
    def conforms(case):
        case.call_and_validate(**CHECKED)

    conforms()


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/reward"])
def test_requests_about_a_real_instruction_are_served(operation_of, request_body, path):
    @FUZZ
    @given(case=operation_of(path, "POST").as_strategy(generation_mode=GenerationMode.POSITIVE))
    def served(case):
        case.body["instruction"] = request_body["instruction"]
        assert case.call_and_validate(**CHECKED).status_code == 200

    served()


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_operation_is_answered_as_documented(operation_of, path):
    operation_of(path, "GET").Case().call_and_validate()
