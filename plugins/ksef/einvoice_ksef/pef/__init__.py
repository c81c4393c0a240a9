"""PEF(3) and PEF_KOR(3): UBL of public procurement, sent by a provider of Peppol services."""
