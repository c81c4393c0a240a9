"""NLCIUS (SI-UBL 2.0): what Dutch public buyers ask for beside EN 16931, in UBL.

The national rules are the same in 2.0.3.12 and 2.0.3.13. Nearly all hold for a seller with a Dutch
address only. The rules for the extension for G accounts are not here.
"""

from einvoice.domain.identifiers import NLCIUS_CUSTOMIZATION

PARTS_OF_SPECIFICATION = (
    "#compliant#urn:fdc:nen.nl:nlcius:v1.0",
    "#conformant#urn:fdc:nen.nl:gaccount:v1.0",
)
SPECIFICATION = NLCIUS_CUSTOMIZATION
