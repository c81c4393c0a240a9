"""The messages of contracts by their names: for programs a code, for people a text.

A text has places for values. The API answers in English; the pages have each message in all their
languages, as `refusals.<name>` of `dashboard/words`.

>>> message = message_of("long", count=9, most=8)
>>> message, message.code
('has 9 characters; at most 8 are allowed', 'too-long')
"""

from __future__ import annotations

from typing import Self

from marshmallow import ValidationError

from einvoice.domain.errors import Phrase

# By name: the code, and the English text.
MESSAGES: dict[str, tuple[str, str]] = {
    "required": ("required", "is required"),
    "null": ("required", "must not be null"),
    "unknown": ("unknown-field", "is not a field of this object"),
    "parameter": ("unknown-field", "is not a parameter of this address, which knows {known}"),
    "repeated": ("repeated", "was given more than once"),
    "blank": ("blank", "must not be blank"),
    "blankParameter": ("blank", "must not be blank: leave it out"),
    "object": ("wrong-type", "must be an object"),
    "list": ("wrong-type", "must be a list"),
    "string": ("wrong-type", "must be a string"),
    "number": ("wrong-type", "must be a number"),
    "numberAsText": ("wrong-type", "must be a number, not text"),
    "whole": ("wrong-type", "must be a whole number"),
    "digits": ("wrong-type", "must be a whole number, in digits"),
    "amount": ("wrong-type", "must be an amount in digits, like 1210.50"),
    "flag": ("wrong-type", "must be true or false"),
    "fewItems": ("too-few", "has {count} items; between {least} and {most} are allowed"),
    "manyItems": ("too-many", "has {count} items; between {least} and {most} are allowed"),
    "manyNames": ("too-many", "has {count} names; at most {most} are allowed"),
    "name": ("wrong-form", "is not a name of 1 to {most} characters"),
    "longLabel": ("too-long", "at most {most} characters are allowed"),
    "large": ("too-long", "has {count} bytes as JSON; at most {most} are allowed"),
    "long": ("too-long", "has {count} characters; at most {most} are allowed"),
    "notText": ("invalid-character", "has a character that is not text"),
    "character": (
        "invalid-character",
        "character {place} (U+{point}) cannot stand in an XML document",
    ),
    "form": ("wrong-form", "is not {kind}"),
    "code": ("unknown-code", "{value} is not {kind}"),
    "choice": ("unknown-code", "{value} is not {kind}"),
    "least": ("out-of-range", "must be at least {least}"),
    "above": ("out-of-range", "must be greater than {least}"),
    "most": ("out-of-range", "must be at most {most}"),
    "range": ("out-of-range", "must be {least} to {most}"),
    "manyDigits": ("out-of-range", "has more than 15 digits before the point"),
    "manyDecimals": ("too-many-decimals", "has more than {most} digits after the point: round it"),
    "binaryNoise": (
        "too-many-decimals",
        "is {number} with the noise of binary arithmetic: round it before you write it",
    ),
    "day": ("not-a-date", "must be a date of the calendar, written YYYY-MM-DD"),
    "moment": (
        "not-a-moment",
        "must be a moment like 2026-11-21T10:00:00Z, or a day like 2026-11-21",
    ),
    "base64": ("not-base64", "must be base64, of at least one byte"),
    "dataUrl": ("not-base64", "is a data URL: send only what follows 'base64,'"),
    "document": ("wrong-type", "must be a string: the XML document in base64"),
    "plainXml": ("not-base64", "is XML, not base64: encode it"),
    "foreign": ("not-base64", "is not base64: character {place} is {value}"),
    "cut": (
        "not-base64",
        "is not base64: its length of {count} is not a multiple of 4; was it cut off?",
    ),
    "padding": ("not-base64", "is not base64: it has padding (=) in the wrong place"),
}
# What may follow a message.
HINTS = {"capitals": "; write it in capitals", "meant": "; use {codes} if you mean that"}


class Message(str):
    """A message in English, with a stable code for programs, and its name with the values."""

    __slots__ = ("code", "phrase")
    code: str
    phrase: Phrase

    def __new__(cls, code: str, words: str, phrase: Phrase) -> Self:
        message = super().__new__(cls, words)
        message.code, message.phrase = code, phrase
        return message


def message_of(name: str, hint: Phrase | None = None, **values: object) -> Message:
    """A message of MESSAGES with the values of its places, and a hint of HINTS after it."""
    code, text = MESSAGES[name]
    message = text.format(**values)
    if hint is not None:
        message += HINTS[hint.name].format(**hint.values)
    return Message(code, message, Phrase(name, values, hint))


def refusal(name: str, hint: Phrase | None = None, **values: object) -> ValidationError:
    return ValidationError([message_of(name, hint, **values)])
