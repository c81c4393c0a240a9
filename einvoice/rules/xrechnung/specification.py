"""Which rules hold by the specification identifier (BT-24), as XRechnung writes their condition."""

from __future__ import annotations

from einvoice.rules.book import DocumentCondition
from einvoice.rules.view import View


def specified(path: str, specification: str) -> DocumentCondition:
    """The condition that a text node of BT-24, at this path below the root, is this identifier."""

    def is_specified(view: View) -> bool:
        return any(specification in view.text_nodes(each) for each in view.root.all(path))

    return is_specified
