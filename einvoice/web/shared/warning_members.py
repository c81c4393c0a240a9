"""Members about warnings in responses: a list with a bound, and the mark that it was cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from marshmallow import fields

from einvoice.domain import bounds
from einvoice.validation import warnings
from einvoice.web.finding_language import language_of_findings
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import WarningRecord

# The stored warnings of what is shown.
ReadWarnings = Callable[[Any], Sequence[Mapping[str, Any]]]


def warnings_field(description: str, read: ReadWarnings) -> fields.List[Any]:
    """The first 1,000 warnings, in the language of the request."""

    def in_words(shown: Any) -> list[dict[str, object]]:
        return warnings.in_words(bounds.first(read(shown)), language_of_findings())

    return a.things(WarningRecord(), description, source=in_words)


def truncated_field(read: ReadWarnings) -> fields.Boolean:
    """The mark of a list of warnings that is not whole."""
    return optional.flag(
        "true if there are more than 1,000 warnings; absent otherwise",
        example=True,
        source=lambda shown: bounds.is_cut(read(shown)) or None,
    )
