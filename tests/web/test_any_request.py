"""Generated requests to all routes: no 500, and no response that /openapi.json does not document.

schemathesis makes requests of the document, good ones and broken ones, by EINVOICE_SEED; a few of
them name what there really is, so that more than 404 is met.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks
from werkzeug.exceptions import HTTPException, MethodNotAllowed

import einvoice_loopback
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.web.addresses import named_addresses
from tests import databases
from tests.computing import InProcess
from tests.seed import SEED
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
# Not refused although the document would be: a header that is only information; and a batch is
# accepted whole, with an answer for each of its documents. A refusal by 413 is one, which the check
# does not know.
LENIENT = re.compile(
    r"AcceptedNegativeData: .*(in header|header:)|(batch → 200|→ 413) AcceptedNegativeData"
)
PARAMETER = re.compile(r"<[^>]*>|{[^}]*}")


def closed(document: dict[str, Any]) -> dict[str, Any]:
    """The document, with the objects of responses closed: here a further member is a fault."""
    for schema in document["components"]["schemas"].values():
        if "properties" in schema and "discriminator" not in schema:
            schema.setdefault("additionalProperties", False)
    return document


class World:
    """An application with an invoice, and callers with each credential."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.caller = Caller(app)
        self.person = Dashboard(app, self.caller.tenant)
        self.body = self.caller.body()
        invoice = self.caller.sent()
        found = self.caller.get(f"/api/invoices/{invoice}/artefacts").json["items"]
        self.ids = {"invoiceId": invoice, "artefactId": found[0]["artefactId"]}
        document = closed(json.loads(app.test_client().get("/openapi.json").data))
        self.named = named_addresses(app)
        self.everywhere = document["x-problems-everywhere"]
        self.schema = schemathesis.openapi.from_dict(document)
        self.schema.app = app

    def headers(self, operation: Any) -> dict[str, str]:
        """The credential the document says the operation takes."""
        if operation.path == "/api/sessions/end":  # it would end those of the other operations
            return {"Authorization": f"Bearer {Dashboard(self.app).token}"}
        schemes = {name for one in operation.definition.raw["security"] for name in one}
        if "apiKey" in schemes:
            return {"x-api-key": self.caller.key}
        if "bearer" in schemes:
            return {"Authorization": f"Bearer {self.caller.key}"}
        return {"Authorization": f"Bearer {self.person.token}"} if schemes else {}

    def names(self, operation: Any, case: Any) -> bool:
        """Is this still a request of the operation? With the id "batch" it may be another's."""
        try:
            rule, _ = self.app.url_map.bind("localhost").match(
                case.formatted_path, operation.method.upper(), return_rule=True
            )
        except MethodNotAllowed:
            return False  # the id is the name of another route, such as "import"
        except HTTPException:
            return True  # an id that no route takes
        if rule.arguments and case.formatted_path in self.named:
            return False  # 405 in every method, also in those that take an id there
        return PARAMETER.sub("", rule.rule) == PARAMETER.sub("", operation.path)

    def make_real(self, case: Any) -> None:
        """Name what there is: the ids, and a routing that leads somewhere."""
        for name in (case.path_parameters or {}).keys() & self.ids.keys():
            case.path_parameters[name] = self.ids[name]
        if isinstance(case.body, dict) and "routing" in case.body:
            case.body["routing"] = self.body["routing"]


@pytest.fixture(scope="module")
def world(sqlite_template, tmp_path_factory) -> Iterator[World]:
    """On SQLite only: the code of the web layer is the same on both databases."""
    directory = tmp_path_factory.mktemp("any")
    shutil.copy(sqlite_template, directory / "einvoice.sqlite3")
    given = Settings(
        data_dir=str(directory), send_wait=0.0, log_level="CRITICAL", max_queue_age=1e9,
        limit_get=10**6, limit_post=10**6, limit_session_get=10**6, limit_session_post=10**6,
    )  # fmt: skip
    app = create_app(given, plugins=[einvoice_loopback], computing=InProcess())
    yield World(app)
    databases.let_go(app)


def faults_of(world: World, operation: Any, mode: GenerationMode, examples: int) -> set[str]:
    """What the checks find wrong with the operation's answers, in words."""
    faults: set[str] = set()
    # Schemathesis asks for compressed answers, and does not decompress those of WSGI.
    headers = world.headers(operation) | {"Accept-Encoding": "identity"}

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
    def ask(case: Any, real: bool) -> None:
        if real:
            world.make_real(case)
        assume(world.names(operation, case))
        answer = case.call(headers=headers)
        if answer.status_code == 414:
            assert "address-too-long" in world.everywhere  # a cursor of 6,001 letters, in percents
            return
        faults.update(undocumented_problem(operation, answer))
        # A key that was used before, with another body: refused, or answered as the first time.
        replayed = (
            b"idempotency-payload-mismatch" in answer.content
            or "idempotency-payload-mismatch" in answer.headers
        )
        asked = CHECKS[:-1] if real or replayed else CHECKS
        try:
            case.validate_response(answer, checks=asked)
        except schemathesis.errors.FailureGroup as group:
            faults.update(_words(operation, answer, one) for one in group.exceptions)

    try:
        ask()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE, operation.label  # there is nothing to get wrong
    return {fault for fault in faults if not LENIENT.search(fault)}


def undocumented_problem(operation: Any, answer: Any) -> list[str]:
    """The problem of the answer, if the operation does not report it under this status."""
    if "problem+json" not in str(answer.headers.get("content-type")):
        return []
    documented = operation.definition.raw["responses"].get(str(answer.status_code), {})
    reported = documented.get("content", {}).get("application/problem+json", {})
    slug = answer.json()["type"].rpartition("/")[2]
    return [] if slug in reported.get("examples", ()) else [f"{operation.label} → {slug}"]


def _words(operation: Any, answer: Any, failure: Any) -> str:
    reported = " ".join(str(failure).split())[:300]
    return f"{operation.label} → {answer.status_code} {type(failure).__name__}: {reported}"


def all_faults(world: World, mode: GenerationMode, examples: int) -> str:
    found: set[str] = set()
    for made in world.schema.get_all_operations():
        found |= faults_of(world, made.ok(), mode, examples)
    return json.dumps(sorted(found), indent=1, ensure_ascii=False)


MODES = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]


@pytest.mark.parametrize("mode", MODES, ids=["good", "broken"])
def test_no_answer_is_undocumented(world, mode):
    """With a small number of examples."""
    assert all_faults(world, mode, 4) == "[]"


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES, ids=["good", "broken"])
def test_no_answer_is_undocumented_with_many_examples(world, mode):
    assert all_faults(world, mode, 400) == "[]"
