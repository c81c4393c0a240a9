"""Legal holds: placed, listed and released by administrators."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from einvoice.domain.roles import Role
from einvoice.services.archive import holds
from tests.builders import accepted
from tests.web.caller import slug
from tests.web.dashboard import Dashboard

HOLDS = "/api/holds"


@pytest.fixture
def admin(service: Flask) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


def invoice_of(admin: Dashboard, number: str = "1") -> str:
    with admin.app.app_context():
        return accepted(admin.tenant, number=number).invoice_id


def placed(admin: Dashboard, **body: Any) -> dict[str, Any]:
    answer = admin.post(HOLDS, {"reason": "Lawsuit 4711"} | body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json
    return found


def ids(admin: Dashboard, query: str = "") -> list[str]:
    return [one["holdId"] for one in admin.get(HOLDS + query).json["items"]]


def test_a_hold_is_placed_read_and_released(admin: Dashboard) -> None:
    invoice = invoice_of(admin)
    made = admin.post(HOLDS, {"invoiceId": invoice, "reason": " Lawsuit 4711 "})
    path = made.headers["Location"]
    read = admin.get(path).json
    released = admin.post(f"{path}/release")

    assert made.json == read
    assert path == f"{HOLDS}/{read['holdId']}"
    assert (read["invoiceId"], read["reason"], read["placedBy"]) == (invoice, "Lawsuit 4711", "ann")
    assert (read["releasedAt"], read["releasedBy"]) == (None, None)
    assert released.json["releasedBy"] == "ann"
    assert released.json["releasedAt"] is not None
    assert admin.get(path).json == released.json


def test_a_hold_is_released_once(admin: Dashboard) -> None:
    path = f"{HOLDS}/{placed(admin)['holdId']}/release"
    answers = [admin.post(path) for _ in range(2)]

    assert [one.status_code for one in answers] == [200, 409]


def test_the_list_has_filters_and_pages_newest_first(admin: Dashboard) -> None:
    one, two = invoice_of(admin), invoice_of(admin, "2")
    of_one, of_two = (placed(admin, invoiceId=each)["holdId"] for each in (one, two))
    of_all = placed(admin)["holdId"]
    ended = placed(admin, invoiceId=one)["holdId"]
    admin.post(f"{HOLDS}/{ended}/release")
    first = admin.get(f"{HOLDS}?limit=3").json
    second = ids(admin, f"?limit=3&cursor={first['nextCursor']}")

    assert ids(admin) == [ended, of_all, of_two, of_one]
    assert ids(admin, f"?invoiceId={one}") == [ended, of_all, of_one]
    assert ids(admin, f"?invoiceId={one}&state=active") == [of_all, of_one]
    assert ids(admin, "?state=released") == [ended]
    assert [each["holdId"] for each in first["items"]] + second == ids(admin)


def test_a_hold_of_the_operator_is_listed_and_stays(admin: Dashboard) -> None:
    """Of a court's order that the tenant may not lift."""
    with admin.app.app_context():
        hold = holds.place(admin.tenant, None, "Order 12")
    answer = admin.post(f"{HOLDS}/{hold.id}/release")

    assert admin.get(f"{HOLDS}/{hold.id}").json["placedBy"] == "operator"
    assert (answer.status_code, slug(answer)) == (409, "conflict")
    assert ids(admin, "?state=active") == [hold.id]
    with admin.app.app_context():
        assert holds.release(hold.id).released_by is None
    assert admin.get(f"{HOLDS}/{hold.id}").json["releasedBy"] == "operator"


def test_placing_and_releasing_are_in_the_audit_log_with_reason_and_person(
    admin: Dashboard,
) -> None:
    invoice = invoice_of(admin)
    hold = placed(admin, invoiceId=invoice)["holdId"]
    admin.post(f"{HOLDS}/{hold}/release")
    found = admin.get("/api/audit").json["items"]

    assert [(one["action"], one["actor"], one["target"]) for one in found] == [
        ("hold.released", "ann", invoice),
        ("hold.placed", "ann", invoice),
    ]
    assert [one["detail"] for one in found] == [{"holdId": hold, "reason": "Lawsuit 4711"}] * 2


def test_members_neither_read_nor_change_holds(service: Flask, admin: Dashboard) -> None:
    hold = placed(admin)["holdId"]
    member = Dashboard(service, admin.tenant, role=Role.MEMBER)
    asked = [
        member.get(HOLDS),
        member.post(HOLDS, {"reason": "x"}),
        member.get(f"{HOLDS}/{hold}"),
        member.post(f"{HOLDS}/{hold}/release"),
    ]

    assert [slug(one) for one in asked] == ["forbidden"] * 4
    assert ids(admin, "?state=active") == [hold]


@pytest.mark.parametrize("body", [{}, {"reason": " "}, {"reason": "x" * 501}])
def test_a_hold_needs_a_reason(admin: Dashboard, body: dict[str, Any]) -> None:
    assert slug(admin.post(HOLDS, body)) == "invalid-field"


def test_an_invoice_of_another_tenant_is_not_found(service: Flask, admin: Dashboard) -> None:
    stranger = invoice_of(Dashboard(service))

    assert slug(admin.post(HOLDS, {"invoiceId": stranger, "reason": "x"})) == "not-found"
    assert ids(admin) == []


def test_an_account_has_a_bounded_number_of_holds(
    admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "MAX_ACTIVE", 1)
    first = placed(admin)["holdId"]
    refused = admin.post(HOLDS, {"reason": "x"})
    admin.post(f"{HOLDS}/{first}/release")

    assert slug(refused) == "conflict"
    assert placed(admin)["holdId"] != first
