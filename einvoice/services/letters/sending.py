"""Handing letters to the operator's mail server, each once as far as SMTP allows.

`sending` is committed before the first byte leaves. A letter that certainly reached no server is
tried again for a day; one whose end may have reached it (a connection lost after DATA, a killed
worker) is not repeated: what it says is on the pages too.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit

from einvoice import clock
from einvoice.domain import letters
from einvoice.domain.letters import Frequency
from einvoice.mail import Deferred, InvalidAddress, Lost, Mailbox, Message, Outcome, Outgoing, Taken
from einvoice.observability import logging
from einvoice.services.letters import texts
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import letters as stored
from einvoice.store.account import preferences as people
from einvoice.store.account.letters import LetterRecord
from einvoice.store.account.preferences import PreferencesRecord
from einvoice.store.core import db
from einvoice.store.outbox import Held

log = logging.get(__name__)

_TOKEN_BYTES = 24
# Seconds that one letter may take at a mail server, within which its row stays leased.
MAX_SECONDS = 180.0


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Send the letters of these rows. Where no server takes one, the others wait, too."""
    outgoing = runtime.outgoing
    is_away = outgoing is None
    for row in outbox.held(outbox_ids, token, clock.now()):
        if is_away:
            _put_off(row, token)
        elif outbox.extend_from_now(row.id, token, MAX_SECONDS):
            is_away = isinstance(_send(row, token, outgoing, runtime), Deferred)


def _send(row: Held, token: str, outgoing: Outgoing | None, runtime: Runtime) -> Outcome | None:
    """Send one letter; None if there was nothing to send."""
    link = secrets.token_urlsafe(_TOKEN_BYTES)
    begun = _begun(row, token, link)
    if begun is None or outgoing is None:
        return None
    message = _message(*begun, link, outgoing, runtime)
    outcome = outgoing.send(message) if message is not None else None
    _settle(row, token, begun[0], outcome)
    return outcome


def _begun(row: Held, token: str, link: str) -> tuple[LetterRecord, PreferencesRecord] | None:
    """The letter and its person, once the attempt is noted; None if it is over."""
    with db.writing() as connection:
        letter = stored.find(connection, row.subject_id)
        person = people.find_by_id(connection, letter.preferences_id) if letter else None
        if letter is None or person is None:
            outbox.complete(connection, [row.id], token)
            return None
        over = _over(letter, person)
        if over is not None:
            changes = {"state": over, "settled_at": clock.now(), "digest": None}
            stored.change(connection, letter.id, changes)
            outbox.complete(connection, [row.id], token)
            return None
        noted = {"attempts": letter.attempts + 1, "digest": digest(link)}
        stored.change(connection, letter.id, {"state": stored.SENDING, **noted})
    return letter, person


def _over(letter: LetterRecord, person: PreferencesRecord) -> str | None:
    """The state of a letter that is not sent: an attempt was interrupted, or nobody wants it."""
    if letter.state == stored.SENDING:
        return stored.UNKNOWN
    is_wanted = person.letters != Frequency.NEVER and not person.paused and person.email
    return None if is_wanted and letter.state == stored.QUEUED else stored.DROPPED


def _message(
    letter: LetterRecord,
    person: PreferencesRecord,
    link: str,
    outgoing: Outgoing,
    runtime: Runtime,
) -> Message | None:
    """The e-mail; None where the address is none, or nothing is left to say."""
    base = runtime.settings.base_url.rstrip("/")
    stop = f"{base}/dashboard/letters/{link}"
    with db.reading() as connection:
        text = texts.written(connection, letter, person, base, stop, runtime)
    try:
        to = Mailbox.parse(person.email or "")
    except InvalidAddress:
        return None
    if text is None:
        return None
    host = urlsplit(base).hostname or "localhost"
    return Message(
        sender=outgoing.sender.named(runtime.settings.provider),
        to=to,
        subject=text.subject,
        text=text.body,
        message_id=f"<{letter.id}@{host}>",
        headers=(
            ("List-Unsubscribe", f"<{stop}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ),
    )


def _settle(row: Held, token: str, letter: LetterRecord, outcome: Outcome | None) -> None:
    """Store what became of an attempt."""
    now = clock.now()
    state, reason = _state(letter, outcome, now)
    with db.writing() as connection:
        settled = None if state == stored.QUEUED else now
        stored.change(
            connection, letter.id, {"state": state, "reason": reason, "settled_at": settled}
        )
        if settled is not None:
            outbox.complete(connection, [row.id], token)
        else:
            due_at = now + letters.pause_after(letter.attempts + 1)
            outbox.reschedule(connection, [(row.id, outbox.CHORES, due_at)], token)
    log.info("letter attempted", letter=letter.id, tenant=letter.tenant_id, state=state)


def _state(letter: LetterRecord, outcome: Outcome | None, now: datetime) -> tuple[str, str | None]:
    if outcome is None:
        return stored.DROPPED, None
    if isinstance(outcome, Taken):
        return stored.SENT, None
    if isinstance(outcome, Lost):
        return stored.UNKNOWN, outcome.reason
    if isinstance(outcome, Deferred):
        is_kept = now - letter.created_at < letters.KEPT
        return stored.QUEUED if is_kept else stored.REFUSED, outcome.reason
    return stored.REFUSED, str(outcome.reply)


def _put_off(row: Held, token: str) -> None:
    """The letter is due again later: no mail server can be reached. After a day it is given up."""
    now = clock.now()
    with db.writing() as connection:
        letter = stored.find(connection, row.subject_id)
        if letter is None or now - letter.created_at >= letters.KEPT:
            stored.change(connection, row.subject_id, {"state": stored.DROPPED, "settled_at": now})
            outbox.complete(connection, [row.id], token)
            return
        due_at = now + letters.pause_after(letter.attempts + 1)
        outbox.reschedule(connection, [(row.id, outbox.CHORES, due_at)], token)


def digest(token: str) -> str:
    """How the token of a link is stored."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
