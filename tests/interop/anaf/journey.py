"""What anafpy reads of the answers of the stand-in; run in its own environment.

journey.py URL TOKEN CIF INVOICE REFUSED: prints an object with the result of each step.
"""

import asyncio
import json
import sys
from pathlib import Path

import httpx2
from anafpy.auth.provider import TokenProvider
from anafpy.auth.store import MemoryTokenStore
from anafpy.efactura.client import EFacturaClient
from anafpy.efactura.models import Filter
from anafpy.exceptions import AnafError


async def journey(url, token, cif, invoice, refused):
    """Upload, state, list and download, and what is refused."""
    provider = TokenProvider(client_id="x", client_secret="y", store=MemoryTokenStore())
    http = httpx2.AsyncClient(base_url=f"{url}/", headers={"Authorization": f"Bearer {token}"})
    async with http:
        client = EFacturaClient(provider, http=http)
        first = await client.upload(invoice, cif=cif)
        state = await client.get_status(first.upload_id)
        file = await client.download(state.download_id)
        listed = [item async for item in client.list_messages(cif=cif, days=60, filter=Filter.SENT)]
        nothing = [
            item async for item in client.list_messages(cif=cif, days=60, filter=Filter.RECEIVED)
        ]
        again = await client.upload(invoice, cif=cif)
        duplicate = await client.get_status(again.upload_id)
        errors = await client.download(duplicate.download_id)
        bad = await client.upload(refused, cif=cif)
        foreign = await client.upload(invoice, cif="1234")
        return {
            "upload": first.upload_id,
            "state": state.state.value,
            "content": file.content_xml.decode(),
            "has signature": file.signature_xml is not None,
            "listed": [[item.request_id, item.sender_cif, item.receiver_cif] for item in listed],
            "received": len(nothing),
            "duplicate": duplicate.state.value,
            "errors": errors.content_xml.decode(),
            "refused": [bad.accepted, bad.errors],
            "no right": [foreign.accepted, foreign.errors],
            "unknown": await raised(client.get_status("15000")),
            "no file": await raised(client.download("21")),
        }


async def raised(call):
    try:
        await call
    except AnafError as fault:
        return str(fault)
    return ""


if __name__ == "__main__":
    url, token, cif, *files = sys.argv[1:]
    print(json.dumps(asyncio.run(journey(url, token, cif, *(Path(f).read_bytes() for f in files)))))
