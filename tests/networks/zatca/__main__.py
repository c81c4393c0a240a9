"""Run the stand-in until it is stopped.

    python -m tests.networks.zatca --port 9300

It prints an OTP for each unit that is to be registered.
"""

from __future__ import annotations

import argparse

from tests.networks.zatca import Service
from tests.networks.zatca.authority import Authority


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the stand-in until it is stopped.")
    parser.add_argument("--port", type=int, default=9300)
    parser.add_argument("--units", type=int, default=3, help="how many OTPs to print")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds for each document")
    given = parser.parse_args()
    authority = Authority()
    service = Service(authority, given.port)
    service.delay = given.latency
    codes = " ".join(authority.otp() for _ in range(given.units))
    print(f"{service.url} otp={codes}", flush=True)
    service.serve_forever()


if __name__ == "__main__":
    main()
