"""Canonical XML of documents of others, in time that is proportional to their size.

libxml2 sorts the attributes of an element by insertion, and looks for a namespace in all those that
are in scope: 420 KB of attributes take 20 seconds, 90 KB of namespaces a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lxml import etree

from einvoice import xml

MAX_ATTRIBUTES: Final = 100  # of one element; messages and metadata have up to 5
MAX_NAMESPACES: Final = 64  # declarations in scope of one element; messages have about 15
MAX_PREFIXES: Final = 32  # of InclusiveNamespaces


class NotCanonical(ValueError):
    """A document that has no canonical form, or one that takes too long to write."""


def check(root: etree._Element) -> None:
    """Check that every element can be canonicalised in time. Raises NotCanonical."""
    in_scope = 0
    for event, found in etree.iterwalk(root, events=("start", "start-ns", "end-ns")):
        if event == "start":
            if len(found.attrib) > MAX_ATTRIBUTES:
                raise NotCanonical(f"an element has more than {MAX_ATTRIBUTES} attributes")
        else:
            in_scope += 1 if event == "start-ns" else -1
            if in_scope > MAX_NAMESPACES:
                raise NotCanonical(f"more than {MAX_NAMESPACES} namespaces are in scope")


def canonical(
    node: etree._Element | etree._ElementTree, *, exclusive: bool, prefixes: Sequence[str] = ()
) -> bytes:
    """The canonical form without comments of what `check` has accepted. Raises NotCanonical.

    prefixes  those of InclusiveNamespaces
    """
    if len(prefixes) > MAX_PREFIXES:
        raise NotCanonical(f"a PrefixList has more than {MAX_PREFIXES} prefixes")
    xml.know_prefixes(prefixes)
    try:
        return etree.tostring(
            node,
            method="c14n",
            exclusive=exclusive,
            with_comments=False,
            inclusive_ns_prefixes=prefixes or None,
        )
    except etree.C14NError as fault:
        raise NotCanonical("it has no canonical form") from fault
