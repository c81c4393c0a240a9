"""pyfrctc at the stand-in; run in its own environment.

journey.py ORIGIN CLIENT SECRET SIREN FOLDER: FOLDER has invoice.xml, which is sent, and cdar-*.xml,
which are checked by pyfrctc's schema and read; prints what it found.
"""

import datetime
import json
import sys
from pathlib import Path

from pyfrctc import pyfrctc


def main(origin, client, secret, siren, folder):
    pyfrctc.PLATFORMS["superpdp"] |= {"afnor_base_url": origin, "token_url": f"{origin}/token"}
    session = pyfrctc.get_session(
        "superpdp",
        "client_credentials",
        siren,
        lambda _: {"access_token": None, "expires_at": None},
        lambda _: None,
        client,
        secret,
    )
    since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    sent = pyfrctc.send_flow_parsed(
        session, (folder / "invoice.xml").read_bytes(), "invoice.xml", "UBL", "B2B"
    )
    found = pyfrctc.search_flows_parsed(session, since, ["In"], ["CustomerInvoiceLC"])
    messages = sorted(folder.glob("cdar-*.xml"))
    return {
        "health": [pyfrctc.healthcheck(session, type=kind) for kind in ("flow", "directory")],
        "sent": bool(sent),
        "found": len(found),
        "siren": bool(pyfrctc.get_directory_siren(session, siren)),
        "lines": len(pyfrctc.get_directory_lines(session, siren)),
        "read": [bool(pyfrctc.parse_cdar(each.read_bytes())) for each in messages],
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:5], Path(sys.argv[5])), default=str))
