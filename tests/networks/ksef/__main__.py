"""Run the stand-in until it is stopped.

    python -m tests.networks.ksef --port 9400 --delay 1 --company 5265877635

It prints a KSeF token of each company. Each has given the permission PefInvoicing to the providers
of Peppol services that are named (`--provider PPL123456`).
"""

from __future__ import annotations

import argparse
from datetime import timedelta

from tests.networks.ksef import Service
from tests.networks.ksef.authority import Authority


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the stand-in until it is stopped.")
    parser.add_argument("--port", type=int, default=9400)
    parser.add_argument(
        "--delay", type=float, default=1.0, help="seconds until an invoice is processed"
    )
    parser.add_argument("--company", action="append", default=[], help="tax number (NIP)")
    parser.add_argument("--provider", action="append", default=[], help="id, such as PPL123456")
    given = parser.parse_args()
    authority = Authority(timedelta(seconds=given.delay))
    service = Service(authority, given.port)
    print(service.url, flush=True)
    for nip in given.company:
        for provider in given.provider:
            authority.grant(("Nip", nip), ("PeppolId", provider), "PefInvoicing")
        print(f"{nip} {authority.issue_token(nip)}", flush=True)
    service.serve_forever()


if __name__ == "__main__":
    main()
