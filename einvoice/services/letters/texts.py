"""The text of a letter, in the language of its person: plain, without secrets and reasons.

Numbers and names are of others: each is put on one line and cut.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from urllib.parse import urlsplit

from sqlalchemy.engine import Connection

from einvoice.domain import events, letters
from einvoice.domain.letters import Topic
from einvoice.mail import one_line
from einvoice.services.account import tenants
from einvoice.services.letters import writing
from einvoice.services.runtime import Runtime
from einvoice.store.account import letters as stored
from einvoice.store.account.letters import DownWebhook, LetterRecord, News
from einvoice.store.account.preferences import PreferencesRecord

DEFAULT_LANGUAGE = "en"
MAX_LISTED = 10  # of a topic
_MAX_NAME = 80
# Where all of a topic are.
_LISTS: Mapping[Topic, str] = {
    Topic.FAILED: "invoices?networkStatus=Failed&environment=live",
    Topic.DELAYED: "invoices?networkStatus=Processing&environment=live",
    Topic.REJECTED: "invoices?response=rejected&environment=live",
    Topic.RECEIVED: "bills?environment=live",
    Topic.CONNECTION: "connections",
    Topic.WEBHOOK: "developers/webhooks",
}


@dataclass(frozen=True, slots=True)
class Text:
    """The subject and the body of a letter."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """The event of one document, connection or webhook, and its page."""

    name: str
    path: str


def written(
    connection: Connection,
    letter: LetterRecord,
    person: PreferencesRecord,
    base: str,
    stop: str,
    runtime: Runtime,
) -> Text | None:
    """The letter; None if nothing is left to say. `base`, `stop`: addresses of the pages, and of
    the link that stops letters."""
    say = words(person.language or DEFAULT_LANGUAGE)
    entries = _entries(connection, letter, person, say)
    if not entries:
        return None
    account = one_line(tenants.get(person.tenant_id, runtime.caches).name, _MAX_NAME)
    counts = ", ".join(f"{say[topic]}: {_count(entries[topic])}" for topic in entries)
    body = "\n".join(_lines(entries, say, f"{base}/dashboard"))
    end = say["why"].format(account=account, page=f"{base}/dashboard/settings/you")
    return Text(f"{counts} – {account}", f"{account}\n\n{body}\n{end}\n{say['stop']}\n{stop}\n")


def _count(found: Sequence[_Entry]) -> str:
    return f"{len(found)}+" if len(found) >= writing.MAX_NEWS else str(len(found))


def _lines(
    entries: Mapping[Topic, Sequence[_Entry]], say: Mapping[str, str], pages: str
) -> Iterator[str]:
    for topic, found in entries.items():
        yield f"{say[topic]} ({_count(found)})"
        for each in found[:MAX_LISTED]:
            yield f"- {each.name}\n  {pages}/{each.path}"
        if len(found) > MAX_LISTED:
            yield f"- {say['all']}\n  {pages}/{_LISTS[topic]}"
        yield ""


def _entries(
    connection: Connection,
    letter: LetterRecord,
    person: PreferencesRecord,
    say: Mapping[str, str],
) -> dict[Topic, list[_Entry]]:
    """By topic, in the order of topics, those that the person wants."""
    found: dict[Topic, list[_Entry]] = defaultdict(list)
    for environment in writing.environments_of(person):
        place = letter.tenant_id, environment, letter.after, letter.until
        for each in stored.news(connection, *place, writing.MAX_NEWS):
            topic = letters.topic_of(each.type, each.payload)
            if topic is not None:
                found[topic].append(_of_event(each, say))
    window = letter.down_after, letter.down_until
    for down in stored.went_down(connection, letter.tenant_id, *window, writing.MAX_NEWS):
        if down.environment in writing.environments_of(person):
            found[Topic.WEBHOOK].append(_of_webhook(down, say))
    return {topic: found[topic] for topic in writing.wanted(person) if found[topic]}


def _of_event(news: News, say: Mapping[str, str]) -> _Entry:
    if news.invoice_id is None:
        payload = news.payload
        named = str(payload.get("name") or payload.get("domain") or payload.get("network") or "")
        where = f"connections/{news.payload.get('connectionId', '')}"
        if news.type == events.MAIL_WITHOUT_INVOICE:
            where = "bills"
        if news.type == events.MAIL_DOMAIN_LOST:
            where = "settings/mail/domains"
        if news.type == events.PERIOD_REPORT_REFUSED:
            where = "connections/reports"
        return _Entry(_named(named, None, news.environment, say), where)
    name = _named(news.number or say["unnumbered"], news.party, news.environment, say)
    return _Entry(name, f"invoices/{news.invoice_id}")


def _of_webhook(down: DownWebhook, say: Mapping[str, str]) -> _Entry:
    """By its host: the path of a URL may hold a secret."""
    host = urlsplit(down.url).hostname or ""
    path = f"developers/webhooks/{down.id}"
    return _Entry(_named(host, None, down.environment, say), path)


def _named(name: str, party: str | None, environment: str, say: Mapping[str, str]) -> str:
    parts = [one_line(each, _MAX_NAME) for each in (name, party) if each]
    return ", ".join(parts) + (f" ({say['sandbox']})" if environment == "test" else "")


@cache
def words(language: str) -> Mapping[str, str]:
    """The words of letters in a language, else in English."""
    folder = resources.files(__package__).joinpath("words")
    file = folder.joinpath(f"{language}.toml")
    if not file.is_file():
        file = folder.joinpath(f"{DEFAULT_LANGUAGE}.toml")
    return tomllib.loads(file.read_text("utf-8"))
