"""Run the stand-in until it is stopped.

    python -m tests.networks.anaf --port 9300 --delay 1 --company 18547290

It prints a code of a consent for the companies.
"""

from __future__ import annotations

import argparse
from datetime import timedelta

from tests.networks.anaf import Service
from tests.networks.anaf.authority import Authority
from tests.networks.anaf.judging import official_or_own


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the stand-in until it is stopped.")
    parser.add_argument("--port", type=int, default=9300)
    parser.add_argument(
        "--delay", type=float, default=1.0, help="seconds until an upload is checked"
    )
    parser.add_argument("--company", action="append", default=[], help="number of a company")
    given = parser.parse_args()
    authority = Authority(timedelta(seconds=given.delay), official_or_own())
    service = Service(authority, given.port)
    print(f"{service.url} code={authority.consent('person', *given.company)}", flush=True)
    service.serve_forever()


if __name__ == "__main__":
    main()
