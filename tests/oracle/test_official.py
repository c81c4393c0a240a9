"""The official rules run here give the verdicts of the corpus."""

import random
from collections import Counter

import pytest

from tests.conformance import corpus
from tests.oracle import official, sources

needs_corpus = pytest.mark.skipif(
    not corpus.present(), reason=f"no corpus at {corpus.folder()} (set EINVOICE_CORPUS)"
)


def run_or_skip(content: bytes, layer: str) -> official.OfficialVerdict:
    try:
        return official.verdict(content, (layer,))
    except sources.Unavailable as reason:
        pytest.skip(f"{layer}: {reason}")


@needs_corpus
@pytest.mark.parametrize("layer", ["CEN-UBL", "CEN-CII", "PEPPOL-UBL"])
def test_the_harness_repeats_the_verdicts_of_the_corpus(layer):
    """The same rules, flags, places and failed layers."""
    syntax = layer.partition("-")[2]
    judged = list(corpus.documents("valid", "examples", "mutants", syntax=syntax))

    for document in random.Random(layer).sample(judged, 25):
        verdict = run_or_skip(document.content, layer)
        expected = Counter(each for each in document.fired if each.source == layer)
        assert verdict.failed_layers == document.failed_layers & {layer}, document.file
        assert layer in verdict.failed_layers or verdict.fired == expected, document.file


def test_a_layer_with_an_evaluation_error_is_named():
    """An amount that is not a number ends the evaluation of the layer."""
    line = (
        "<cac:InvoiceLine><cbc:InvoicedQuantity>1</cbc:InvoicedQuantity>"
        "<cbc:LineExtensionAmount>x</cbc:LineExtensionAmount></cac:InvoiceLine>"
    )
    text = (
        '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"'
        ' xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"'
        ' xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">'
        "<cac:LegalMonetaryTotal><cbc:LineExtensionAmount>1</cbc:LineExtensionAmount>"
        f"</cac:LegalMonetaryTotal>{line}</Invoice>"
    )

    assert run_or_skip(text.encode(), "CEN-UBL").failed_layers == {"CEN-UBL"}
