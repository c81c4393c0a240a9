"""How platforms have identified their tenants (decisions 21.2)."""

from __future__ import annotations

import base64
import itertools
from datetime import timedelta

import pytest
from sqlalchemy import select

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.domain.events import IDENTIFICATION_DECIDED
from einvoice.domain.roles import Role
from einvoice.services import retention
from einvoice.services.account import identifications, platforms
from einvoice.services.account.identifications import NewFile, NewIdentification
from einvoice.services.principal import Session
from einvoice.store.core import db
from einvoice.store.tables import Event
from einvoice.web.runtime import runtime_of
from tests.tables import each_row
from tests.web.caller import slug
from tests.web.platform import Platform

SAID = {
    "method": "register-extract",
    "documentKind": "company-register",
    "numbers": ["be 0123.456.749"],
    "identifiedAt": "2026-11-20T09:00:00Z",
    "identifiedBy": "ann@erp.example",
}
CLAIM = {"participantId": "9925:BE0123456749", "environment": "live"}
NAMES = itertools.count(1)
FILE = {"name": "a.pdf", "contentType": "application/pdf", "content": "cHJvb2Y="}

FILED = SAID | {"files": [FILE, FILE | {"keepUntil": "2031-01-01T00:00:00Z"}]}


@pytest.fixture
def platform(service) -> Platform:
    return Platform(service, Environment.LIVE)


@pytest.fixture
def path(platform) -> str:
    return f"/api/platform/tenants/{platform.created('c-1')}/identifications"


def claim(platform: Platform, number: str = "BE0123456749") -> str:
    body = CLAIM | {"participantId": f"9925:{number}"}
    answer = platform.post("/api/participants", body, "c-1")
    assert answer.status_code == 201, answer.text
    status: str = answer.json["status"]
    return status


def test_the_word_of_a_trusted_platform_verifies_numbers_and_claims(service, platform, path):
    """Claims that wait, and those to come; the event tells."""
    with service.app_context():
        platforms.set_verifies_numbers(platform.id, verifies=True)
    before = claim(platform)

    made = platform.post(path, SAID)

    assert made.status_code == 201, made.text
    assert (made.json["status"], made.json["decidedBy"]) == ("verified", "platform")
    assert made.json["numbers"] == ["BE0123456749"]
    assert before == "pending"
    assert platform.get("/api/participants", "c-1").json["items"][0]["status"] == "verified"
    assert platform.get("/api/platform/tenants/c-1").json["verifiedNumbers"] == ["BE0123456749"]


@pytest.mark.parametrize("verified", [True, False])
def test_otherwise_the_operator_decides(service, platform, path, verified):
    """It waits in a list; a decision is made once."""
    claim(platform, "BE0403019261")
    said = SAID | {"numbers": ["BE0403019261"]}
    made = platform.post(path, said).json["identificationId"]
    with service.app_context():
        waiting = [one.record.id for one in identifications.pending()]
        caches = runtime_of(service).caches
        identifications.decide(made, verified=verified, reason="seen", caches=caches)
        rest = [one.record.id for one in identifications.pending()]
        with pytest.raises(Conflict):
            identifications.decide(made, verified=True, reason=None, caches=caches)

    (found,) = platform.get(path).json["items"]
    status = platform.get("/api/participants", "c-1").json["items"][0]["status"]
    assert (made in waiting, made in rest) == (True, False)
    assert (found["decidedBy"], found["reason"]) == ("operator", "seen")
    assert (found["status"], status) == (
        ("verified", "verified") if verified else ("rejected", "pending")
    )
    numbers = platform.get("/api/platform/tenants/c-1").json["verifiedNumbers"]
    assert numbers == (["BE0403019261"] if verified else [])


def test_the_same_identification_again_changes_nothing(platform, path):
    first, again = (platform.post(path, SAID | {"files": [FILE]}) for _ in range(2))
    other = platform.post(path, SAID | {"method": "video"})

    assert [first.status_code, again.status_code, other.status_code] == [201, 200, 201]
    assert first.json == again.json
    assert len(platform.get(path).json["items"]) == 2


@each_row(
    ("changes", "differs"),
    [
        ({"numbers": ["BE0123456749", "be 0123.456.749"]}, None),  # the same number
        ({"files": [FILE | {"keepUntil": "2031-01-01T00:00:00Z"}, FILE]}, None),  # their order
        ({"documentKind": "passport"}, "documentKind"),
        (
            {"documentKind": None, "identifiedBy": "bob@erp.example"},
            "documentKind and identifiedBy",
        ),
        ({"files": []}, "files"),
        ({"files": [FILE]}, "files"),
        ({"files": [FILE, FILE | {"keepUntil": "2031-01-01T00:00:01Z"}]}, "files"),
        ({"files": [FILE, FILE | {"name": "b.pdf", "keepUntil": "2031-01-01"}]}, "files"),
        ({"files": [FILE, FILE | {"content": "cHJvb2Y0", "keepUntil": "2031-01-01"}]}, "files"),
    ],
)
def test_the_same_identification_with_other_values_is_a_conflict(platform, changes, differs):
    """Method, numbers and moment say which one it is. What differs is named, nothing is changed."""
    path = f"/api/platform/tenants/{platform.created(f'c-{next(NAMES)}')}/identifications"
    first = platform.post(path, FILED)
    again = platform.post(path, FILED | changes)

    assert platform.get(path).json["items"][0] | {"provider": "eInvoice"} == first.json
    if differs is None:
        assert (again.status_code, again.json) == (200, first.json)
    else:
        assert (again.status_code, slug(again)) == (409, "conflict")
        assert f"with another {differs}: a new identification" in again.json["detail"]


def test_a_repetition_after_its_files_were_deleted_is_the_same(service, platform, path, move):
    """Of files whose time is over nothing is compared."""
    end = clock.now() + timedelta(days=30)
    said = SAID | {"files": [FILE, FILE | {"name": "b.pdf", "keepUntil": clock.timestamp(end)}]}
    first = platform.post(path, said)
    move(days=identifications.DEFAULT_KEPT.days, seconds=1)
    before = platform.post(path, SAID | {"files": [FILE]})
    with service.app_context():
        retention.sweep_for(60, clock.now())
    again = platform.post(path, SAID | {"files": [FILE]})

    assert (before.status_code, before.json) == (200, first.json)
    assert (again.status_code, again.json["files"]) == (200, [])
    assert again.json["identificationId"] == first.json["identificationId"]


@each_row("environment", list(Environment))
def test_the_event_of_a_decision_is_of_the_environment_of_the_tenant(service, environment):
    """A tenant of the sandbox hears of it there, any other one in live."""
    platform = Platform(service, environment)
    tenant = platform.created("c-1")
    numbers = ["0208:0403019261", "BE0123456749", "BE0403019261"]
    made = platform.post(
        f"/api/platform/tenants/{tenant}/identifications",
        SAID | {"numbers": [numbers[2], numbers[0], numbers[1], numbers[2].lower()]},
    ).json
    with service.app_context():
        caches = runtime_of(service).caches
        identifications.decide(
            made["identificationId"], verified=True, reason="seen", caches=caches
        )
        with db.reading() as connection:
            found = connection.execute(
                select(Event.environment, Event.payload).where(
                    Event.tenant_id == tenant, Event.type == IDENTIFICATION_DECIDED
                )
            ).all()

    assert made["numbers"] == numbers, "in their normal form, each once, in order"
    assert [tuple(row) for row in found] == [
        (
            environment.value,
            {
                "identificationId": made["identificationId"],
                "status": "verified",
                "decidedBy": "operator",
                "numbers": numbers,
                "reason": "seen",
            },
        )
    ]


def test_a_tenant_waits_with_five_of_its_own_beside_those_of_its_platform(
    service, platform, path, monkeypatch
):
    """The bound is on what it sends of itself; the same files again are stored once."""
    monkeypatch.setattr(identifications, "MAX_OWN_PENDING", 2)
    tenant = platform.created("c-1")
    for method in ("video", "visit", "letter"):
        assert platform.post(path, SAID | {"method": method}).status_code == 201
    ann = Session(tenant, "ann", None, Role.ADMIN)

    def own(content: bytes) -> str:
        file = NewFile("a.pdf", "application/pdf", content, None)
        said = NewIdentification("own", ["BE0123456749"], clock.now(), "Ann", None, [file])
        return identifications.add_own(tenant, said, ann).record.id

    with service.app_context():
        made = [own(content) for content in (b"1", b"2", b"1")]
        with pytest.raises(Conflict, match="2 identifications wait"):
            own(b"3")
        caches = runtime_of(service).caches
        identifications.decide(made[0], verified=False, reason=None, caches=caches)
        made += [own(b"1")]

    assert made[0] == made[2]
    assert len(set(made)) == 3, "a rejected one is sent again"


def test_files_are_kept_for_their_own_time(service, platform, path):
    end = clock.now() + timedelta(days=30)
    files = [FILE, FILE | {"name": "b.pdf", "keepUntil": clock.timestamp(end)}]
    made = platform.post(path, SAID | {"files": files}).json["files"]

    with service.app_context():
        found, content = identifications.file_content(made[0]["fileId"])
        before = retention.sweep(end - timedelta(seconds=1)).files
        after = retention.sweep(end + timedelta(seconds=1)).files

    assert (found.name, content, found.size) == ("a.pdf", b"proof", 5)
    assert (before, after) == (0, 1)
    assert [file["name"] for file in platform.get(path).json["items"][0]["files"]] == ["a.pdf"]


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"numbers": ["nonsense"]}, "/numbers/0"),
        ({"numbers": []}, "/numbers"),
        ({"numbers": ["BE0123456749", "0208:"]}, "/numbers/1"),
        ({"identifiedAt": "2099-01-01"}, "/identifiedAt"),
        ({"method": "Video Call"}, "/method"),
        ({"method": None}, "/method"),
        ({"identifiedBy": "x" * 201}, "/identifiedBy"),
        ({"files": [FILE] * 6}, "/files"),
        ({"files": [FILE | {"keepUntil": "2020-01-01"}]}, "/files/0/keepUntil"),
        ({"files": [FILE | {"keepUntil": "2099-01-01"}]}, "/files/0/keepUntil"),
        ({"files": [FILE | {"content": "%"}]}, "/files/0/content"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(platform, path, changes, pointer):
    answer = platform.post(path, SAID | changes)

    assert slug(answer) == "invalid-field"
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert platform.get(path).json["items"] == []


def test_a_file_above_its_limit_is_refused(platform, path):
    limit = identifications.MAX_FILE_BYTES
    sizes = {
        size: platform.post(
            path, SAID | {"files": [FILE | {"content": base64.b64encode(b"x" * size).decode()}]}
        ).status_code
        for size in (limit + 1, limit)
    }

    assert sizes == {limit + 1: 400, limit: 201}


def test_another_platform_and_a_test_key_identify_nobody(service, platform, path):
    other = Platform(service, Environment.LIVE)
    test = Platform(service, Environment.TEST, platform.id)

    assert slug(other.post(path, SAID)) == "not-found"
    assert slug(other.get(path)) == "not-found"
    assert slug(test.post(path, SAID)) == "insufficient-scope"


def test_moments_are_taken_up_to_their_bounds(platform, path, move):
    """A file is kept for 15 years at most, and nobody is identified later than tomorrow."""
    now, second = clock.now().replace(microsecond=0), timedelta(seconds=1)
    move(seconds=(now - clock.now()).total_seconds())
    tomorrow, last = now + timedelta(days=1), now + identifications.MAX_KEPT

    def status(**changes: object) -> int:
        code: int = platform.post(path, SAID | changes).status_code
        return code

    kept = [
        status(
            method=f"video-{number}",
            files=[FILE | {"keepUntil": clock.timestamp(until)}],
        )
        for number, until in enumerate((now, now + second, last, last + second))
    ]
    identified = [
        status(identifiedAt=clock.timestamp(moment)) for moment in (tomorrow, tomorrow + second)
    ]

    assert kept == [400, 201, 201, 400]
    assert identified == [201, 400]


def test_a_tenant_has_a_hundred_identifications_at_most(platform, path, monkeypatch):
    monkeypatch.setattr(identifications, "MAX_IDENTIFICATIONS", 2)
    answers = [
        platform.post(path, SAID | {"method": method}) for method in ("video", "visit", "letter")
    ]

    assert [answer.status_code for answer in answers] == [201, 201, 409]
    assert "2 identifications" in answers[2].json["detail"]
    assert len(platform.get(path).json["items"]) == 2
