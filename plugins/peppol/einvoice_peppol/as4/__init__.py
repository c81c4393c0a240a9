"""AS4 messages of Peppol: made, opened, acknowledged. Pure functions, without network or storage.

Sources: Peppol AS4 Profile 2.0.3, eDelivery AS4 1.14, OASIS ebMS 3.0, WS-Security 1.1.1 with the
SwA profile 1.1, XML Signature and XML Encryption 1.1.
"""
