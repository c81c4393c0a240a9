"""Refusals of contracts in the words of a page's language.

The API's messages are English; each has a name (`web/refusal_messages`), by which the pages have it
in all languages. A message without a name is shown in English.

>>> from einvoice.domain.errors import FieldError, Phrase
>>> from einvoice.web.dashboard.words import speaker
>>> worded(FieldError("/at", "not-a-date", "…", Phrase("day")), speaker("en"))
'must be a date of the calendar, written YYYY-MM-DD'
"""

from __future__ import annotations

import re

from einvoice.domain.errors import FieldError, InvalidField, RequestRefused
from einvoice.web.dashboard import sentences
from einvoice.web.dashboard.words import Say
from einvoice.web.shared import report_words

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"  # a part of a line with a direction of its own
_NO_NAME = re.compile(r"[^a-z0-9]+")


def worded(error: FieldError, say: Say) -> str:
    """The fault of a field."""
    phrase = error.phrase
    if phrase is None:
        return " ".join([say.sentence(error.message), *_of_country(error.message, say)])
    values = {
        name: say.sentence(value) if name == "why" and isinstance(value, str) else value
        for name, value in phrase.values.items()
    }
    if "kind" in values and "codes" not in values:
        values["kind"] = say(f"kinds.{kind_of(str(values['kind']))}")
    text = say(f"refusals.{phrase.name}", **values)
    hint = phrase.hint
    return text if hint is None else text + say(f"refusals.{hint.name}", **hint.values)


def _of_country(message: str, say: Say) -> list[str]:
    """The words of the country where a document would be reported; each keeps its own direction."""
    found = sentences.matched(message)
    words = report_words.of_refused_send(*found, say.language) if found else []
    return [f"{_ISOLATE}{each}{_END_ISOLATE}" for each in words]


def kind_of(form: str) -> str:
    """The name of what a field expects, from its English words.

    >>> kind_of("an ISO 4217 currency code")
    'an-iso-4217-currency-code'
    """
    return _NO_NAME.sub("-", form.lower()).strip("-")


def reason(refusal: RequestRefused, say: Say) -> str:
    """Why something was refused: the detail of its problem document, with its fields in words."""
    if not isinstance(refusal, InvalidField):
        return say.sentence(refusal.detail)
    first, more = refusal.errors[0], len(refusal.errors) - 1
    text = f"{first.pointer or '/'}: {worded(first, say)}"
    return text + (say("refusals.more", count=more) if more else "")
