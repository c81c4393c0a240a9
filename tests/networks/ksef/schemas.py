"""The official schemas, from outside of the project (EINVOICE_NETWORKS); none where it is absent.

Without them the stand-in checks the root elements only.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from lxml import etree

ROOT: Final = Path(__file__).resolve().parents[3]
FOLDER: Final = (
    Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks")) / "pl"
)
INVOICES: Final = FOLDER / "xsd-invoice" / "schemy"
# System code of a form → file of its schema, and the name of its root.
FORMS: Final = {
    "FA (2)": ("FA/schemat_FA(2)_v1-0E.xsd", "{http://crd.gov.pl/wzor/2023/06/29/12648/}Faktura"),
    "FA (3)": ("FA/schemat_FA(3)_v1-0E.xsd", "{http://crd.gov.pl/wzor/2025/06/25/13775/}Faktura"),
    "PEF (3)": (
        "PEF/Schemat_PEF(3)_v2-1.xsd",
        "{urn:oasis:names:specification:ubl:schema:xsd:Invoice-2}Invoice",
    ),
    "PEF_KOR (3)": (
        "PEF/Schemat_PEF_KOR(3)_v2-1.xsd",
        "{urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2}CreditNote",
    ),
    "FA_RR (1)": (
        "RR/schemat_FA_RR(1)_v1-1E.xsd",
        "{http://crd.gov.pl/wzor/2026/03/06/14189/}Faktura",
    ),
}
_ANCHORED: Final = re.compile(rb'(pattern value=")\^?(.*?)\$?(")')


class _Local(etree.Resolver):
    """Answers with the file of the same name, whatever the address."""

    def resolve(self, url: str, public_id: str, context: Any) -> Any:
        name = url.rsplit("/", 1)[-1]
        for folder in ("FA/bazowe", "PEF/bazowe"):
            if (INVOICES / folder / name).exists():
                return self.resolve_filename(str(INVOICES / folder / name), context)
        return None


@cache
def schema_at(path: Path) -> etree.XMLSchema | None:
    """The schema of a file; None where it is absent."""
    if not path.exists():
        return None
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Local())
    # The schema of logins writes patterns with anchors, which a schema has no use for.
    text = _ANCHORED.sub(rb"\1\2\3", path.read_bytes())
    return etree.XMLSchema(etree.fromstring(text, parser, base_url=str(path)))


def fault_of(schema: etree.XMLSchema | None, root: etree._Element) -> str | None:
    """The first error of the schema."""
    if schema is None or schema.validate(root):
        return None
    return str(schema.error_log[0])


def invoice_fault(form: str, root: etree._Element) -> str | None:
    """What the schema of a form says against an invoice."""
    path, name = FORMS[form]
    if root.tag != name:
        return f"The element '{root.tag}' is not '{name}'."
    return fault_of(schema_at(INVOICES / path), root)


def login_fault(asked: etree._Element) -> str | None:
    """What the schema says against a request of a login; of version 2.0 it cannot be loaded."""
    name = etree.QName(asked)
    if name.localname != "AuthTokenRequest":
        return f"The element '{name.text}' is not AuthTokenRequest."
    if name.namespace == "http://ksef.mf.gov.pl/auth/token/2.1":
        path = FOLDER / "xsd-auth" / "schemy" / "schemat_auth_v2-1.xsd"
        copy = etree.fromstring(etree.tostring(asked))
        if (fault := fault_of(schema_at(path), copy)) is not None:
            return fault
    children = [etree.QName(each).localname for each in asked.iterchildren(etree.Element)]
    wanted = ["Challenge", "ContextIdentifier", "SubjectIdentifierType"]
    if children[:3] != wanted or len(asked.findall("{*}ContextIdentifier/{*}*")) != 1:
        return f"The elements {children} are not {wanted}."
    return None
