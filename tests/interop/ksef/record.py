"""Record logins and what EU DSS says of them, for the daily tests.

`python -m tests.interop.ksef.record`, after `prepare`, writes plugins/ksef/tests/logins, which
plugins/ksef/tests/test_logins.py reads.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "plugins/ksef"))

from tests.interop.ksef import foreign, logins  # noqa: E402 found by the path above

FOLDER = ROOT / "plugins/ksef/tests/logins"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for each in FOLDER.iterdir():
        each.unlink()
    logins.write_ours(FOLDER, ("rsa-2048", "p-256"))
    logins.write_theirs(FOLDER)
    for each in FOLDER.glob("*.pem"):
        each.unlink()
    verdicts = foreign.judged(FOLDER)
    said = {"judge": "EU DSS 6.2", "verdicts": verdicts}
    (FOLDER / "verdicts.json").write_text(json.dumps(said, indent=2) + "\n")
    print(json.dumps(said, indent=2))


if __name__ == "__main__":
    main()
