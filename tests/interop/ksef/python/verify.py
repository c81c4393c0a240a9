"""Whether signxml takes signatures; run in its own environment.

verify.py FOLDER: reads NAME.xml with NAME.pem, and prints an object of names.
"""

import json
import sys
from pathlib import Path

from signxml.exceptions import InvalidInput, InvalidSignature
from signxml.xades import XAdESVerifier


def is_taken(file):
    try:
        XAdESVerifier().verify(
            file.read_bytes(),
            x509_cert=file.with_suffix(".pem").read_text(),
            expect_references=2,
        )
    except (InvalidInput, InvalidSignature):
        return False
    return True


if __name__ == "__main__":
    files = sorted(Path(sys.argv[1]).glob("*.xml"))
    print(json.dumps({file.stem: is_taken(file) for file in files}))
