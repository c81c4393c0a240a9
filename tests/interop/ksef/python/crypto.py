"""Encrypts and decrypts with ksef-client; run in its own environment.

crypto.py FOLDER: reads invoice.xml, certificate.pem (of the receiver), key.bin, vector.bin and
ours.bin (encrypted with these), and prints an object: `theirs` is the invoice encrypted with a new
key, which is wrapped for the certificate; `decrypted` is what was found in ours.bin. Sizes and
digests are those of the request that it would send.
"""

import base64
import json
import sys
from pathlib import Path

from ksef_client.services.crypto import (
    build_encryption_data,
    build_send_invoice_request,
    decrypt_aes_cbc_pkcs7,
)


def main(folder):
    read = lambda name: (folder / name).read_bytes()  # noqa: E731
    encryption = build_encryption_data((folder / "certificate.pem").read_text())
    request = build_send_invoice_request(read("invoice.xml"), encryption.key, encryption.iv)
    decrypted = decrypt_aes_cbc_pkcs7(read("ours.bin"), read("key.bin"), read("vector.bin"))
    return {
        "theirs": request.to_dict(),
        "encryption": encryption.encryption_info.to_dict(),
        "decrypted": base64.b64encode(decrypted).decode(),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
