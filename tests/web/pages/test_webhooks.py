"""The pages of webhooks: endpoints, their secrets, and the log of deliveries."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.roles import Role
from tests.web.pages.visitor import Visitor
from tests.web.webhook_events import emit

HOOKS = "/dashboard/developers/webhooks"
FORM = {
    "url": "https://receiver.example/hook",
    "description": "ERP",
    "eventTypes": ["transaction.sent", "invoice.responded"],
}


@pytest.fixture
def visitor(service) -> Visitor:
    one = Visitor(service)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


@pytest.fixture
def path(visitor) -> str:
    """The page of a webhook."""
    assert visitor.post(HOOKS, FORM).status_code == 303
    return re.search(rf'href="({HOOKS}/[\w-]+)"', visitor.get(HOOKS).text)[1]


def secrets_of(answer) -> list[str]:
    assert answer.status_code == 200, answer.text
    found = re.findall(r'id="(?:secret|signingSecret)" readonly value="([^"]+)"', answer.text)
    assert len(found) == 2
    return found


def webhook(visitor) -> dict:
    (one,) = visitor.person.get("/api/webhooks").json["items"]
    return one


def log(visitor, path: str) -> list[dict]:
    endpoint = path.rpartition("/")[2]
    return visitor.person.get(f"/api/webhooks/{endpoint}/deliveries").json["items"]


def ago(**period: int) -> str:
    """A moment in UTC as a browser sends it."""
    return (clock.now() - timedelta(**period)).strftime("%Y-%m-%dT%H:%M")


def test_secrets_are_shown_when_a_webhook_is_made_or_rotated_and_never_again(visitor):
    first = secrets_of(visitor.followed(visitor.post(HOOKS, FORM)))
    path = f"{HOOKS}/{webhook(visitor)['webhookId']}"
    second = secrets_of(visitor.followed(visitor.post(f"{path}/rotate")))

    assert len({*first, *second}) == 4
    for page in (HOOKS, path):
        assert not any(secret in visitor.get(page).text for secret in (*first, *second))


def test_a_webhook_is_of_the_chosen_environment_with_its_events(visitor, path):
    made = webhook(visitor)

    assert {name: made[name] for name in FORM} == FORM
    assert made["environment"] == "test"
    assert FORM["url"] in visitor.get(HOOKS).text
    assert FORM["url"] not in visitor.get(f"{HOOKS}?environment=live").text


@pytest.mark.parametrize(
    "change",
    [{"url": ""}, {"url": "http://127.0.0.1/"}, {"description": "x" * 501}, {"eventTypes": "paid"}],
)
def test_a_refused_form_keeps_what_was_typed_and_changes_nothing(visitor, path, change):
    typed = {"description": "Typed", "eventTypes": ["response.sent"]} | change
    for address in (HOOKS, path):
        answer = visitor.post(address, FORM | typed)

        assert answer.status_code == 409
        assert 'class="error"' in answer.text
        assert f'value="{typed["description"]}"' in answer.text
        marked = re.findall(r'value="([\w.]+)" checked', answer.text)
        assert marked == [name for name in ["response.sent"] if name in typed["eventTypes"]]
    assert webhook(visitor)["description"] == "ERP"


def test_a_change_also_removes_what_was_blanked(visitor, path):
    done = visitor.post(path, {"url": FORM["url"] + "/2", "description": ""})
    changed = webhook(visitor)

    assert "Saved." in visitor.get(done.headers["Location"]).text
    assert (changed["url"], changed["description"], changed["eventTypes"]) == (
        FORM["url"] + "/2",
        None,
        [],
    )


def test_a_disabled_webhook_says_why_and_offers_to_be_enabled(visitor, path):
    visitor.post(f"{path}/disabled")
    for page in (HOOKS, path):
        assert "by its owner" in visitor.get(page).text
    assert f"{path}/recover" not in visitor.get(path).text
    visitor.post(f"{path}/active")

    assert webhook(visitor)["status"] == "active"
    assert "by its owner" not in visitor.get(path).text


def test_a_test_is_in_the_log(visitor, path):
    done = visitor.post(f"{path}/test")
    page = visitor.get(done.headers["Location"]).text

    assert "The test is on its way" in page
    assert [each["trigger"] for each in log(visitor, path)] == ["test"]
    assert f"<code>{log(visitor, path)[0]['eventType']}</code>" in page


def test_one_event_is_delivered_again_unless_the_webhook_is_disabled(service, visitor, path):
    event = emit(service, visitor.tenant)
    (first,) = log(visitor, path)
    again = f"{path}/deliveries/{first['deliveryId']}"
    assert again in visitor.get(path).text
    assert visitor.post(again).status_code == 303
    visitor.post(f"{path}/disabled")

    assert [(each["eventId"], each["trigger"]) for each in log(visitor, path)] == [
        (event, "manual"),
        (event, "schedule"),
    ]
    assert again not in visitor.get(path).text
    assert visitor.post(again).status_code == 409


def test_missed_events_are_sent_once(service, visitor, path):
    visitor.post(f"{path}/disabled")
    emit(service, visitor.tenant)
    visitor.post(f"{path}/active")
    pages = [visitor.post(f"{path}/recover", {"since": ago(hours=1)}).text for _ in range(2)]

    assert ["sent again: 1" in pages[0], "sent again: 0" in pages[1]] == [True, True]
    assert len(log(visitor, path)) == 1


@pytest.mark.parametrize("since", ["", "yesterday", "2020-01-01T10:00"])
def test_a_refused_period_is_kept(visitor, path, since):
    answer = visitor.post(f"{path}/recover", {"since": since})

    assert answer.status_code == 409
    assert 'id="since-error"' in answer.text
    assert f'name="since" type="datetime-local" value="{since}"' in answer.text


def test_the_log_has_pages(service, visitor, path):
    for _ in range(51):
        emit(service, visitor.tenant)
    first = visitor.get(path).text
    following = re.search(r'rel="next" href="([^"]+)"', first)[1]
    second = visitor.get(following).text
    refused = visitor.post(f"{path}/recover", {"since": ""}).text

    assert [page.count("<td><code>") for page in (first, second, refused)] == [50, 1, 50]
    assert 'rel="next"' not in second
    assert f'<a href="{path}">' in second
    assert re.search(r'rel="next" href="([^"]+)"', refused)


def test_a_deleted_webhook_is_gone(visitor, path):
    assert "data-confirm" in visitor.get(path).text
    visitor.post(f"{path}/delete")

    assert visitor.get(path).status_code == 404
    assert visitor.person.get("/api/webhooks").json["items"] == []


def test_webhooks_are_for_administrators_of_their_account(service, visitor, path):
    emit(service, visitor.tenant)
    delivery = f"/deliveries/{log(visitor, path)[0]['deliveryId']}"
    stranger, member = Visitor(service), Visitor(service, visitor.tenant, Role.MEMBER)
    actions = ["", "/rotate", "/test", "/disabled", "/active", "/delete", "/recover", delivery]

    for action in actions:
        form = FORM | {"since": ago(hours=1)}
        assert stranger.post(path + action, form).status_code == 404
        assert member.post(path + action, form).status_code == 403
    assert stranger.get(path).status_code == 404
    assert member.get(HOOKS).status_code == 403
    assert FORM["url"] not in stranger.get(f"{HOOKS}?environment=test").text
