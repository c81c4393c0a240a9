"""The HTTP client for URLs given by others: webhook receivers, directories, networks.

It connects only to addresses that its policy allows, follows no redirect, reads no proxy or
password from the environment, and returns within its total time limit whatever the server does. It
imports clock and domain only, and plugins may use it.

    client = Client(Policy(https_only=True))
    response = client.send("POST", url, headers={"content-type": "application/json"}, body=body)
"""

from einvoice.http.client import Client, Response
from einvoice.http.exchange import Limits
from einvoice.http.faults import (
    Blocked,
    BrokenOff,
    HttpFault,
    ResponseTooLarge,
    TimedOut,
    TlsFailed,
    Unreachable,
)
from einvoice.http.json_bodies import json_of, members_of
from einvoice.http.many import ConcurrentClient
from einvoice.http.policy import Policy
from einvoice.http.request import Request
from einvoice.http.stream import RequestStream

# Former names, for plugins that use them.
Answer = Response
AnswerTooLarge = ResponseTooLarge

__all__ = [
    "Answer",
    "AnswerTooLarge",
    "Blocked",
    "BrokenOff",
    "Client",
    "ConcurrentClient",
    "HttpFault",
    "Limits",
    "Policy",
    "Request",
    "RequestStream",
    "Response",
    "ResponseTooLarge",
    "TimedOut",
    "TlsFailed",
    "Unreachable",
    "json_of",
    "members_of",
]
