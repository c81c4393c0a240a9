"""Namespaces, algorithms and constant values of the messages."""

from __future__ import annotations

from typing import Final

S12: Final = "http://www.w3.org/2003/05/soap-envelope"
EB: Final = "http://docs.oasis-open.org/ebxml-msg/ebms/v3.0/ns/core/200704/"
EBBP: Final = "http://docs.oasis-open.org/ebxml-bp/ebbp-signals-2.0"
DS: Final = "http://www.w3.org/2000/09/xmldsig#"
EC: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
XENC: Final = "http://www.w3.org/2001/04/xmlenc#"
XENC11: Final = "http://www.w3.org/2009/xmlenc11#"
_OASIS: Final = "http://docs.oasis-open.org/wss"
WSSE: Final = f"{_OASIS}/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
WSU: Final = f"{_OASIS}/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
WSSE11: Final = f"{_OASIS}/oasis-wss-wssecurity-secext-1.1.xsd"

EXCLUSIVE: Final = EC
RSA_SHA256: Final = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256: Final = f"{XENC}sha256"
RSA_OAEP: Final = f"{XENC11}rsa-oaep"
MGF1_SHA256: Final = f"{XENC11}mgf1sha256"
AES128_GCM: Final = f"{XENC11}aes128-gcm"
BASE64: Final = f"{_OASIS}/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
X509V3: Final = f"{_OASIS}/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"
ENCRYPTED_KEY: Final = f"{_OASIS}/oasis-wss-soap-message-security-1.1#EncryptedKey"
_SWA: Final = f"{_OASIS}/oasis-wss-SwAProfile-1.1"
ATTACHMENT: Final = f"{_SWA}#Attachment-Content-Signature-Transform"
CIPHERTEXT: Final = f"{_SWA}#Attachment-Ciphertext-Transform"
CONTENT_ONLY: Final = f"{_SWA}#Attachment-Content-Only"

AGREEMENT: Final = "urn:fdc:peppol.eu:2017:agreements:tia:ap_provider"
SEAT_TYPE: Final = "urn:fdc:peppol.eu:2017:identifiers:ap"
INITIATOR: Final = f"{EB}initiator"
RESPONDER: Final = f"{EB}responder"
DEFAULT_MPC: Final = f"{EB}defaultMPC"
TEST_SERVICE: Final = f"{EB}service"
TEST_ACTION: Final = f"{EB}test"
GZIP: Final = "application/gzip"
SOAP: Final = "application/soap+xml"


def q(namespace: str, *path: str) -> str:
    """The name of an element in Clark notation, or a path of several in one namespace."""
    return "/".join(f"{{{namespace}}}{name}" for name in path)
