"""The pages of the console in Chromium: usable for everybody, at 320 points too."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services import operator_notes
from einvoice.services.account import claims
from einvoice.services.caches import Caches
from einvoice.services.operator_notes import DoctorFinding
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from einvoice.web.operator.pages import OperatorPages
from tests.browser import accessibility, serving, visiting
from tests.builders import accepted
from tests.web.caller import Caller
from tests.web.console import OperatorPerson, OperatorProgram
from tests.web.operator.test_tenants import identified
from tests.web.platform import Platform

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def places(service) -> list[str]:
    """The address of every page, of an installation with work."""
    caller = Caller(service)
    with service.app_context():
        participant = ParticipantId.parse("0208:0403019261")
        claims.claim(caller.tenant, Environment.LIVE, participant, Caches())
        sent = accepted(caller.tenant)
        with db.writing() as connection:
            connection.execute(
                sa.update(Transmission).values(phase="unknown", attention=True, reason="r" * 300)
            )
        finding = DoctorFinding("serious", "m" * 300, "Free some space", "peppol: certificate")
        ends = {"peppol-live": clock.now() + timedelta(days=3)}
        operator_notes.note_doctor("web-1", {"serious": 1}, ends, [finding])
    identified(service, Platform(service), "t-1")
    hold = {"tenantId": caller.tenant, "reason": "Lawsuit " + "4711" * 40}
    OperatorProgram(service).post("/holds", hold)
    ids = {
        "tenant": caller.tenant,
        "transmission_id": sent.transmission_id,
        "invoice_id": sent.invoice_id,
    }
    return [
        path
        for rule in service.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and rule.arguments <= ids.keys()
        and isinstance(service.blueprints[rule.endpoint.partition(".")[0]], OperatorPages)
        if (path := _filled(rule.rule, ids))
        not in {"/operator/login/callback", "/operator/login/local"}
    ]  # fmt: skip


def _filled(rule: str, ids: dict[str, str]) -> str:
    for name, one in ids.items():
        rule = rule.replace(f"<{name}>", one)
    return f"{rule}?participantId=0208:0403019261" if rule.endswith("/lookup") else rule


def test_every_page_is_accessible_quiet_and_fits_a_telephone(browser, service, places):
    """By all rules of axe-core; WCAG 1.4.10: 320 points are enough."""
    wrong, wide = {}, {}
    with (
        serving(service) as origin,
        visiting(browser, origin, locale="en-GB", viewport={"width": 320, "height": 700}) as one,
    ):
        one.page.goto(origin + OperatorPerson(service, log_in=False).link)
        for path in places:
            answer = one.page.goto(origin + path)
            assert answer is not None
            assert answer.status == 200, path
            wrong[path], _ = accessibility(one.page)
            wide[path] = one.page.evaluate(
                "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )

    assert len(places) > 9
    assert wrong == {path: [] for path in places}
    assert wide == dict.fromkeys(places, False)
    assert one.said == []
    assert one.outside == []


def test_a_tenant_is_suspended_without_scripts(browser, service, places):
    caller = Caller(service)
    with (
        serving(service) as origin,
        visiting(browser, origin, locale="en-GB", java_script_enabled=False) as one,
    ):
        one.page.goto(origin + OperatorPerson(service, log_in=False).link)
        one.page.goto(f"{origin}/operator/tenants/{caller.tenant}")
        one.page.get_by_label("Reason, which its refusals name").fill("May is unpaid")
        one.page.get_by_role("button", name="Suspend: it receives").click()
        assert "The tenant is suspended." in one.page.inner_text("main")
        one.page.get_by_role("button", name="Resume: it sends again").click()
        assert "The tenant sends again." in one.page.inner_text("main")
