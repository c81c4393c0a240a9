"""The files inside documents are found in both syntaxes."""

from __future__ import annotations

import pytest

from einvoice.documents import attached
from einvoice.documents.attached import AttachedFile

UBL = (
    '<Invoice xmlns:cac="a" xmlns:cbc="b"><cac:AdditionalDocumentReference>'
    "<cbc:DocumentDescription>Hours</cbc:DocumentDescription><cac:Attachment>"
    '<cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="a.csv">{content}'
    "</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>"
    "</Invoice>"
)
CII = (
    '<rsm:Invoice xmlns:rsm="r" xmlns:ram="a"><ram:AdditionalReferencedDocument>'
    "<ram:Name>Hours</ram:Name>"
    '<ram:AttachmentBinaryObject mimeCode="text/csv" filename="a.csv">{content}'
    "</ram:AttachmentBinaryObject></ram:AdditionalReferencedDocument></rsm:Invoice>"
)


@pytest.mark.parametrize("document", [UBL, CII])
@pytest.mark.parametrize("content", ["MSwy", " MSw\n y "])
def test_a_file_is_found_with_name_type_and_description(document: str, content: str) -> None:
    found = attached.files_in(document.format(content=content).encode())

    assert found == [AttachedFile("a.csv", "text/csv", "Hours", b"1,2")]


@pytest.mark.parametrize("document", [UBL.format(content="?"), "<Invoice/>", "no XML", ""])
def test_what_cannot_be_read_has_no_files(document: str) -> None:
    assert attached.files_in(document.encode()) == []
