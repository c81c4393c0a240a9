"""The scalar fields of contracts: text, codes, exact numbers, days, flags, bytes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection
from datetime import date
from decimal import Context, Decimal
from typing import Any

from marshmallow import ValidationError, fields

from einvoice.domain.errors import InvalidParticipant, Phrase
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.money import EXACT, ZERO, plain, without_noise
from einvoice.validation.codes import nearest
from einvoice.web.contract import FORBIDDEN, Described
from einvoice.web.refusal_messages import refusal

MAX_CHOICES = 20  # codes that are listed
LIMIT = 10**15  # 15 integer digits (decisions 0.10)
LOW, HIGH = Decimal(-LIMIT), Decimal(LIMIT)
EIGHT_DECIMALS = Decimal("0E-8")
MAX_DECIMALS = 15  # of a number (decisions 32.1)
MAX_TOTAL_DECIMALS = 2 * MAX_DECIMALS  # of a total: as an exact product of two numbers has
# The form of a participant id in a contract, for `Text(form=…)`: pattern and name.
EMAIL = (r"[^@\s]{1,64}@[^@\s]{1,189}", "an e-mail address")
NETWORK = (r"[a-z0-9][a-z0-9\-]{0,39}", "the name of a network, such as peppol")
# A name in metadata by which lists are filtered: it stands in the name of a parameter.
LABEL = (r"[A-Za-z0-9_\-]{1,40}", "of letters, digits, _ and -")
PROFILE = (r"[a-z0-9][a-z0-9\-]{0,39}", "the name of a profile, such as peppol-bis-billing")
# It may have a prefix, white space and separators, which `ParticipantId.parse` removes.
PARTICIPANT_ID = (
    r"(?:iso6523-actorid-upis::)?[0-9]{4}:[A-Za-z0-9\-._~:/ ]{1,130}",
    "of the form <4-digit scheme>:<identifier>",
)


class Text(Described, fields.String):
    """Text without surrounding spaces, not blank where required; `form`: a pattern, its name.

    `codes_of`: the code list that refusals suggest codes of, for a text that is a code.
    """

    def __init__(
        self,
        description: str,
        *,
        max_length: int,
        form: tuple[str, str] | None = None,
        codes_of: str = "",
        **options: Any,
    ) -> None:
        self.max_length = max_length
        self.codes_of = codes_of
        self.pattern = re.compile(form[0]) if form else None
        self.form_name = form[1] if form else ""
        openapi: dict[str, object] = {"maxLength": max_length}
        if options.get("required"):
            openapi["minLength"] = 1
        if form:
            openapi["pattern"] = f"^(?:{form[0]})$"
        super().__init__(description, openapi=openapi, **options)

    def read(self, value: Any) -> str:
        text = stripped(value)
        if not text:
            if self.required:
                raise refusal("blank")
            return text
        if len(text) > self.max_length:
            hint = meant(text, self.codes_of)
            raise refusal("long", hint, count=len(text), most=self.max_length)
        if self.pattern and not self.pattern.fullmatch(text):
            raise refusal("form", meant(text, self.codes_of), kind=self.form_name)
        return text


def stripped(value: object) -> str:
    """Text XML can carry, without surrounding spaces."""
    if not isinstance(value, str):
        raise refusal("string")
    found = FORBIDDEN.search(value)
    if found:
        raise refusal("character", place=found.start() + 1, point=f"{ord(found[0]):04X}")
    return value.strip()


def meant(text: str, codes_of: str) -> Phrase | None:
    """The end of a refusal that suggests codes of a list; None if none is near in meaning."""
    codes = nearest(text, codes_of, spelling=False) if codes_of else ()
    return Phrase("meant", {"codes": " or ".join(codes)}) if codes else None


class ParticipantText(Text):
    """A participant id in any notation, which becomes the network's."""

    def __init__(self, description: str, **options: Any) -> None:
        super().__init__(description, form=PARTICIPANT_ID, **options)

    def read(self, value: Any) -> str:
        text = super().read(value)
        try:
            return str(ParticipantId.parse(text)) if text else text
        except InvalidParticipant:
            raise refusal("form", kind=self.form_name) from None


_LONGEST = Context(prec=15 + MAX_TOTAL_DECIMALS)
_FOREIGN = re.compile("[^A-Za-z0-9+/=]")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", re.ASCII)


class Id(Text):
    """An id of ours, in any spelling."""

    def read(self, value: Any) -> str:
        return stored_id(super().read(value))


def stored_id(given: str) -> str:
    """An id as it is stored: some languages and databases return a UUID in capitals."""
    return given.lower() if _UUID.fullmatch(given) else given


class Code(Described, fields.String):
    """One of a fixed set of codes, exactly as written; "" is absent where it is optional.

    `codes_of`: the code list that refusals suggest codes of.
    """

    def __init__(
        self,
        description: str,
        codes: Collection[str],
        *,
        name: str,
        codes_of: str = "",
        **options: Any,
    ) -> None:
        self.codes = frozenset(codes)
        self.choices = ", ".join(codes) if len(codes) <= MAX_CHOICES else ""
        self.codes_of = codes_of
        self.code_name = name
        openapi = {"enum": list(codes)} if self.choices else {"pattern": shape_of(codes)}
        super().__init__(description, openapi=openapi, **options)

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise refusal("string")
        if value in self.codes or (not value and not self.required):
            return value
        capitals = value.upper() in self.codes
        hint = Phrase("capitals") if capitals else meant(value, self.codes_of)
        found = {"value": repr(value[:40]), "kind": self.code_name}
        if self.choices:
            raise refusal("choice", hint, **found, codes=self.choices)
        raise refusal("code", hint, **found)


def environment_code(description: str, *, required: bool = False, example: str = "test") -> Code:
    """The environment of a request: of the sandbox or of the real networks."""
    codes, name = ("test", "live"), "test or live"
    return Code(description, codes, name=name, required=required, example=example)


def shape_of(codes: Collection[str]) -> str:
    """A pattern that all codes have.

    >>> shape_of(["EUR", "SEK"]), shape_of(["BE", "1A"]), shape_of(["71", "380"])
    ('^[A-Z]{3}$', '^[0-9A-Z]{2}$', '^[0-9]{2,3}$')
    >>> shape_of(["invoice.paid", "report"])
    '^[0-9A-Za-z._-]{6,12}$'
    """
    letters = "[A-Z]" if all(code.isalpha() for code in codes) else "[0-9A-Z]"
    letters = "[0-9]" if all(code.isdigit() for code in codes) else letters
    if not all(code.isalnum() and code == code.upper() for code in codes):
        letters = "[0-9A-Za-z._-]"
    least, most = min(map(len, codes)), max(map(len, codes))
    return f"^{letters}{{{least}}}$" if least == most else f"^{letters}{{{least},{most}}}$"


class Number(Described, fields.Decimal):
    """A JSON number, exact: at most 15 integer digits and `decimals` fraction digits."""

    def __init__(
        self,
        description: str,
        *,
        minimum: int | None = None,
        exclusive_minimum: int | None = None,
        maximum: int | None = None,
        decimals: int = MAX_DECIMALS,
        **options: Any,
    ) -> None:
        self.decimals = decimals
        self.minimum, self.exclusive_minimum, self.maximum = minimum, exclusive_minimum, maximum
        openapi: dict[str, object] = {"maximum": LIMIT - 1 if maximum is None else maximum}
        if exclusive_minimum is None:
            openapi["minimum"] = 1 - LIMIT if minimum is None else minimum
        else:
            openapi["exclusiveMinimum"] = exclusive_minimum
        super().__init__(description, openapi=openapi, **options)

    def read(self, value: Any) -> Decimal:
        number = exact(value, self.decimals)
        if self.minimum is not None and number < self.minimum:
            raise refusal("least", least=self.minimum)
        if self.exclusive_minimum is not None and number <= self.exclusive_minimum:
            raise refusal("above", least=self.exclusive_minimum)
        if self.maximum is not None and number > self.maximum:
            raise refusal("most", most=self.maximum)
        return number


def exact(value: object, decimals: int = MAX_DECIMALS) -> Decimal:
    """The number as written, without zeros beyond `decimals`; zero in any spelling is plain 0."""
    if type(value) is int:
        value = Decimal(value) if -LIMIT < value < LIMIT else HIGH
    if not isinstance(value, Decimal):
        raise refusal("numberAsText" if isinstance(value, str) else "number")
    if not LOW < value < HIGH:
        raise refusal("manyDigits")
    if not EXACT.add(value, EIGHT_DECIMALS).same_quantum(EIGHT_DECIMALS):
        return _of_many_decimals(value, decimals)
    return value or ZERO


def _of_many_decimals(value: Decimal, decimals: int) -> Decimal:
    """A number that is written with more than eight decimals."""
    meant = without_noise(value)
    if meant is not None:
        raise refusal("binaryNoise", number=plain(meant))
    shortest = value.normalize(_LONGEST)
    if shortest != value or -int(shortest.as_tuple().exponent) > decimals:
        raise refusal("manyDecimals", most=decimals)
    return Decimal(plain(shortest)) or ZERO


class Count(Described, fields.Integer):
    """A whole number of JSON, within bounds."""

    def __init__(self, description: str, *, minimum: int, maximum: int, **options: Any) -> None:
        self.minimum, self.maximum = minimum, maximum
        super().__init__(description, openapi={"minimum": minimum, "maximum": maximum}, **options)

    def read(self, value: Any) -> int:
        if type(value) is not int:
            raise refusal("whole")
        if not self.minimum <= value <= self.maximum:
            raise refusal("range", least=self.minimum, most=self.maximum)
        return value


class Day(Described, fields.Date):
    """A date of the calendar, written YYYY-MM-DD."""

    def read(self, value: Any) -> date:
        if not isinstance(value, str):
            raise refusal("string")
        if len(value) == 10 and value[4] == value[7] == "-":
            try:
                return date.fromisoformat(value)
            except ValueError:
                pass
        raise refusal("day")


class Flag(Described, fields.Boolean):
    """true or false, and no other value."""

    def read(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        raise refusal("flag")


class Base64(Described, fields.String):
    """Bytes in the standard alphabet with padding (RFC 4648, section 4); white space is ignored, as
    encoders of MIME write line breaks (RFC 2045)."""

    def __init__(self, description: str, **options: Any) -> None:
        super().__init__(description, openapi={"format": "byte", "minLength": 4}, **options)

    def read(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise refusal("string")
        content = decoded(value)
        if content is None:
            raise not_base64("".join(value.split()))
        if not content:
            raise refusal("base64")
        return content


def decoded(text: str) -> bytes | None:
    """The bytes of base64, without regard to white space; None if it is none."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        compact = "".join(text.split())
        return decoded(compact) if len(compact) < len(text) else None


def not_base64(text: str) -> ValidationError:
    """The refusal of invalid base64 that has no white space."""
    if text.startswith("<"):
        return refusal("plainXml")
    if text.startswith("data:"):
        return refusal("dataUrl")
    foreign = _FOREIGN.search(text)
    if foreign:
        return refusal("foreign", place=foreign.start() + 1, value=repr(foreign[0]))
    if len(text) % 4:
        return refusal("cut", count=f"{len(text):,}")
    return refusal("padding")
