"""Run the stand-in until it is stopped.

    python -m tests.networks.fr --port 9400

It prints the addresses, and the credentials of its two companies.
"""

from __future__ import annotations

import argparse

from tests.networks.fr import Service
from tests.networks.fr.judging import by_own_rules
from tests.networks.fr.platform import Platform

COMPANIES = {"100000009": "Vendeur SAS", "200000008": "Acheteur SA"}


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the stand-in until it is stopped.")
    parser.add_argument("--port", type=int, default=9400)
    given = parser.parse_args()
    service = Service(Platform(by_own_rules), given.port)
    service.keeps = False
    print(f"flow service {service.url}, directory {service.directory_url}, {service.token_url}")
    for siren, name in COMPANIES.items():
        company = service.platform.company(siren, name)
        service.directory.add(siren, name)
        print(f"{siren} {name}: {' '.join(company.client)}", flush=True)
    service.serve_forever()


if __name__ == "__main__":
    main()
