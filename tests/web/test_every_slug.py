"""Every problem there is, is met over HTTP by a test; and the three that no other test meets."""

from __future__ import annotations

from pathlib import Path

from joserfc import jwt
from joserfc.jwk import RSAKey

from einvoice import clock
from einvoice.rules.engine import Engine
from einvoice.web.problems import PROBLEMS
from tests.tables import each_row
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

HERE = Path(__file__).parent
# Slug → the file whose tests provoke it.
PROVOKED = {
    "api-key-required": "test_send.py",
    "invalid-api-key": "test_send.py",
    "token-required": "test_session.py",
    "invalid-token": "test_session.py",
    "token-expired": "test_session.py",
    "session-ended": "test_ending_access.py",
    "account-closed": "test_ending_access.py",
    "tenant-required": "test_platforms.py",
    "tenant-suspended": "test_platforms.py",
    "tenant-moving": "../services/tenant_data/test_moves.py",
    "tenant-moved": "../services/tenant_data/test_moves.py",
    "plan-limit-reached": "test_plans.py",
    "plan-limit-paused": "test_plans.py",
    "not-in-plan": "test_plans.py",
    "forbidden": "test_session.py",
    "insufficient-scope": "test_bearer.py",
    "ip-not-allowed": "test_key_limits.py",
    "receiver-not-allowed": "test_key_limits.py",
    "sender-not-owned": "test_send.py",
    "sender-not-verified": "test_participant_claims.py",
    "missing-participant-id": "test_lookup.py",
    "invalid-participant-id": "test_lookup.py",
    "missing-routing": "test_refusals.py",
    "invalid-sender-id": "test_refusals.py",
    "invalid-receiver-id": "test_refusals.py",
    "self-invoicing": "test_refusals.py",
    "sandbox-participant": "test_lookup.py",
    "invalid-body": "test_bad_input.py",
    "invalid-field": "test_bad_input.py",
    "invalid-idempotency-key": "test_send.py",
    "idempotency-key-unsupported": "test_answered_posts.py",
    "exports-not-shared": "test_exports.py",
    "idempotency-key-reuse": "test_idempotency.py",
    "idempotency-in-progress": "test_idempotency.py",
    "duplicate-invoice": "test_send.py",
    "declared-totals-mismatch": "test_refusals.py",
    "totals-mismatch": "test_legacy.py",
    "validation-failed": "test_refusals.py",
    "unknown-access-point-ref": "test_refusals.py",
    "receiver-not-registered": "test_refusals.py",
    "document-type-not-supported": "test_refusals.py",
    "network-failed": "test_waiting.py",
    "network-not-supported": "submission/test_submit.py",
    "ambiguous-network": "test_networks.py",
    "no-connection": "test_sending_by_connection.py",
    "ambiguous-connection": "test_sending_by_connection.py",
    "empty-batch": "submission/test_batch.py",
    "batch-too-large": "submission/test_batch.py",
    "not-found": "test_isolation.py",
    "method-not-allowed": "test_addresses.py",
    "not-acceptable": "test_addresses.py",
    "factur-x-not-possible": "submission/test_pdf.py",
    "conflict": "test_resend.py",
    "duplicate-customer": "test_directory.py",
    "duplicate-supplier": "test_directory.py",
    "precondition-failed": "test_directory.py",
    "missing-file": "test_directory.py",
    "csv-unreadable": "test_directory.py",
    "csv-missing-columns": "test_directory.py",
    "csv-too-many-columns": "test_directory.py",
    "csv-too-many-rows": "test_directory.py",
    "csv-invalid": "test_directory.py",
    "file-too-large": "test_directory.py",
    "document-too-large": "test_document_size.py",
    "not-shareable": "test_sharing.py",
    "not-cleared": "../networks/toll/test_clearance.py",
    "malformed-request": "test_heads.py",
    "address-too-long": "test_heads.py",
    "headers-too-large": "test_heads.py",
    "payload-too-large": "test_refusals.py",
    "unsupported-media-type": "test_refusals.py",
    "body-too-slow": "test_arrivals.py",
    "too-busy": "test_arrivals.py",
    "internal-error": "test_refusals.py",
    "database-unavailable": "test_database_away.py",
    "access-point-unavailable": "test_lookup.py",
    "overloaded": "test_send.py",
    "computing-unavailable": "test_computing.py",
    "archive-unavailable": "test_archive.py",
    "archive-damaged": "test_archive.py",
    "document-dropped": "test_archive.py",
    "computation-too-large": "test_computing.py",
    "rate-limit-exceeded": "test_every_slug.py",
    "validation-unavailable": "test_every_slug.py",
    "identity-provider-unavailable": "test_every_slug.py",
}


def test_every_problem_is_provoked_somewhere():
    assert set(PROBLEMS) - set(PROVOKED) == set()


@each_row("name", PROVOKED)
def test_the_named_test_file_mentions_the_slug(name):
    """By its name, or by the part before a parametrized kind."""
    text = (HERE / PROVOKED[name]).read_text()
    kind = name.rpartition("-")[0] + "-{"

    assert f'"{name}"' in text or f'f"{kind}' in text


def test_a_used_up_limit_is_a_problem_with_retry_after(build, redis_url):
    caller = Caller(build(redis_url=redis_url, limit_get=1))
    caller.lookup()
    answer = caller.lookup()

    assert (answer.status_code, slug(answer)) == (429, "rate-limit-exceeded")
    assert int(answer.headers["Retry-After"]) >= 1


def test_rules_that_cannot_be_run_send_nothing(caller, monkeypatch):
    """503 with Retry-After: nothing is sent without validation."""
    body = caller.body()

    def broken(*_):
        raise KeyError("a code list that is not there")

    monkeypatch.setattr(Engine, "check", broken)
    monkeypatch.setattr(Engine, "check_invoice", broken)
    answer = caller.send(body)

    assert (answer.status_code, slug(answer)) == (503, "validation-unavailable")
    assert answer.headers["Retry-After"] == "5"
    assert "code list" not in answer.text
    assert caller.stored() == 0


def test_an_unavailable_identity_provider_is_503(build):
    """503, not 401: logging in again would not help. Nothing listens at the URL of its keys."""
    app = build(
        jwt_issuer="https://idp.example", jwt_audience="einvoice",
        jwt_jwks_url="http://127.0.0.1:9/keys",
    )  # fmt: skip
    key = RSAKey.generate_key(2048, {"kid": "1"})
    now = int(clock.now().timestamp())
    claims = {
        "iss": "https://idp.example", "aud": "einvoice", "sub": "ann",
        "iat": now, "exp": now + 60, "tenant_id": Dashboard(app).tenant,
    }  # fmt: skip
    token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)
    answer = app.test_client().get("/api/session", headers={"Authorization": f"Bearer {token}"})

    assert (answer.status_code, slug(answer)) == (503, "identity-provider-unavailable")
    assert "Retry-After" in answer.headers
