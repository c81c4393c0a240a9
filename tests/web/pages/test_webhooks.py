"""The pages of webhooks: endpoints, their secrets, and the log of deliveries."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.store.core import db
from einvoice.store.tables import WebhookDelivery
from einvoice.web.dashboard import words
from einvoice.web.locales import LANGUAGES
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
    assert f'action="{again}"' not in visitor.get(path).text
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

    assert [page.count('<td class="type">') for page in (first, second, refused)] == [50, 1, 50]
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


def settle(service, path: str, **values) -> None:
    """Let the newest delivery of a webhook have ended so."""
    endpoint = path.rpartition("/")[2]
    with service.app_context(), db.writing() as connection:
        its = WebhookDelivery.endpoint_id == endpoint
        newest = sa.select(WebhookDelivery.id).where(its).order_by(WebhookDelivery.id.desc())
        chosen = connection.execute(newest.limit(1)).scalar_one()
        connection.execute(
            sa.update(WebhookDelivery).where(WebhookDelivery.id == chosen).values(**values)
        )


def shown_log(visitor, path: str) -> list[str]:
    """The badges of the log."""
    table = visitor.get(path).text.partition('class="list log"')[2]
    return re.findall(r'<td class="state"><span class="badge \w+">([^<]*)<', table)


def test_failed_and_pending_deliveries_are_tabs_of_the_log(service, visitor, path):
    emit(service, visitor.tenant)
    settle(service, path, status="failed", attempts=10, status_code=503)
    emit(service, visitor.tenant)

    assert sorted(shown_log(visitor, path)) == ["Failed", "Pending"]
    assert shown_log(visitor, f"{path}?status=failed") == ["Failed"]
    assert shown_log(visitor, f"{path}?status=pending") == ["Pending"]
    assert len(shown_log(visitor, f"{path}?status=nothing")) == 2


def test_the_health_of_a_webhook_is_told_in_words(service, visitor, path):
    assert "No deliveries in the last 24 hours." in visitor.get(path).text
    emit(service, visitor.tenant)
    settle(service, path, status="failed", created_at=clock.now() - timedelta(hours=25))
    assert "No deliveries in the last 24 hours." in visitor.get(path).text
    emit(service, visitor.tenant)
    settle(service, path, status="delivered", created_at=clock.now() - timedelta(hours=23))
    emit(service, visitor.tenant)
    text = re.sub(r"<[^>]+>", "", visitor.get(path).text)

    assert "In the last 24 hours: Delivered 1 · Failed 0 · Pending 1" in text


def test_request_and_answer_of_a_delivery_are_side_by_side(service, visitor, path):
    """Of one's own webhooks only; the command has no secret."""
    event = emit(service, visitor.tenant)
    settle(service, path, status="failed", status_code=503, response_excerpt="<b>busy</b>")
    (delivery,) = log(visitor, path)
    address = f"{path}/deliveries/{delivery['deliveryId']}"
    page = visitor.get(address)
    stranger = Visitor(service)

    assert f'href="{address}"' in visitor.get(path).text
    for text in (f"POST {FORM['url']}", f"webhook-id: {event}", "&lt;b&gt;busy&lt;/b&gt;", "503"):
        assert text in page.text, text
    assert "curl -X POST https://receiver.example/hook" in html.unescape(page.text)
    assert stranger.get(address).status_code == 404
    assert visitor.get(f"{path}/deliveries/nothing").status_code == 404


def test_all_that_failed_lately_is_sent_again_at_once(service, visitor, path):
    emit(service, visitor.tenant)
    settle(service, path, status="failed")
    answers = [visitor.post(f"{path}/recover", {"hours": "24"}).text for _ in range(2)]
    wrong = visitor.post(f"{path}/recover", {"hours": "9999999"})

    assert ["sent again: 1" in answers[0], "sent again: 0" in answers[1]] == [True, True]
    assert wrong.status_code == 409
    assert [each["trigger"] for each in log(visitor, path)] == ["manual", "schedule"]


def test_since_when_deliveries_fail_fits_on_a_telephone_in_every_language(browser):
    """A badge with a sentence and a time in it breaks into lines."""
    folder = Path(words.__file__).parent / "assets"
    style = "".join((folder / name).read_text() for name in ("style.css", "documents.css"))
    page = browser.new_page(viewport={"width": 320, "height": 700})
    too_wide = []
    for language in LANGUAGES:
        since = f"{words.speaker(language)('webhooks.failing')} 26 nov. 2026, 20:16"
        badge = f'<p class="health"><span class="badge bad">{since}</span></p>'
        page.set_content(f'<style>{style}</style><main><div class="card">{badge}</div></main>')
        if page.evaluate("document.documentElement.scrollWidth") > 320:
            too_wide.append(language)

    assert too_wide == []
