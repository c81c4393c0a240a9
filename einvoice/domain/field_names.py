"""The names of an invoice's fields in request bodies.

Findings, warnings and refusals name a field by its path in the body of a send. A body with names of
its own brings a table from these paths, `[]` standing for any index. Paths are translated where a
text is made; a text that quotes values is never searched for names.

>>> flat = FieldNames({"invoice.supplier.address": "vendorAddress",
...                    "invoice.lineItems": "lineItems",
...                    "invoice.lineItems[].taxRate": "lineItems[].vatRate"})
>>> flat.of("invoice.supplier.address.city"), flat.of("invoice.lineItems[12].taxRate")
('vendorAddress.city', 'lineItems[12].vatRate')
>>> flat.of("invoice.note"), flat.of("invoice.lineItemsTotal")
('invoice.note', 'invoice.lineItemsTotal')
>>> flat.in_template("Give the rates (invoice.lineItems[].taxRate): {field}.")
'Give the rates (lineItems[].vatRate): {field}.'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, eq=False)
class FieldNames:
    """The names of one body: paths in the body of a send, and what this body calls the field."""

    by_path: Mapping[str, str]

    def of(self, path: str) -> str:
        """The body's name of a field, or of the part that holds it; the path itself where the body
        has neither."""
        match = self._path.match(path)
        return path if match is None else self._own(match) + path[match.end() :]

    def in_template(self, template: str) -> str:
        """A text of ours that is not filled in yet, with the body's names in it."""
        return self._path.sub(self._own, template)

    def _own(self, match: re.Match[str]) -> str:
        path = re.sub(r"\[\d*\]", "[]", match[0])
        indices = iter(re.findall(r"\[\d*\]", match[0]))
        return re.sub(r"\[\]", lambda _: next(indices), self.by_path[path])

    @cached_property
    def _path(self) -> re.Pattern[str]:
        longest_first = sorted(self.by_path, key=len, reverse=True)
        paths = [re.escape(path).replace(r"\[\]", r"\[\d*\]") for path in longest_first]
        none = "(?!)"
        return re.compile(rf"(?<![\w.])(?:{'|'.join(paths) or none})(?!\w)")


# The body of POST /api/invoices/send, whose paths are the names.
SEND_FIELDS = FieldNames({})
# The same body with a self-billed invoice: the buyer sends it, the supplier receives it.
SELF_BILLED_FIELDS = FieldNames(
    {
        "routing.senderParticipantId": "routing.receiverParticipantId",
        "routing.receiverParticipantId": "routing.senderParticipantId",
    }
)
