"""Run by the environment of fatoority: what it says of documents, and documents that it signs.

    python witness.py FOLDER

FOLDER has `stamped/*.xml`, `unsigned/*.xml`, `certificate.der` and `key.der`. The previous hash of
a stamped document is in the file of its name with the ending `.previous`. Signed documents are
written to `signed`, and the verdicts are printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import fatoora


def main(folder: Path) -> None:
    config, verdicts = fatoora.Config(), {}
    for path in sorted((folder / "stamped").glob("*.xml")):
        previous = path.with_suffix(".previous").read_text()
        report = fatoora.validate_zatca_invoice_from_str(
            config, path.read_text(), previous_invoice_hash=previous
        )
        verdicts[path.stem] = report
    signer = fatoora.Signer.from_der(
        (folder / "certificate.der").read_bytes(), (folder / "key.der").read_bytes()
    )
    (folder / "signed").mkdir()
    for path in sorted((folder / "unsigned").glob("*.xml")):
        (folder / "signed" / path.name).write_text(signer.sign_xml(path.read_text()))
    print(json.dumps(verdicts))


main(Path(sys.argv[1]))
