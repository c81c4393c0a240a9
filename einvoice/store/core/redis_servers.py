"""Clients of Redis by their URL: one server, or the master that Sentinels name.

`sentinel://user:password@a:26379,b:26379,c:26379/service?db=1` names the Sentinels and the service;
user, password and database are for its servers, `sentinel_password` for the Sentinels.
With `sentinels://` all connections use TLS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from redis import Redis
from redis.sentinel import Sentinel, SentinelConnectionPool

SENTINEL_PORT = 26379
SENTINEL_TIMEOUT_SECONDS = 1.0
_SCHEMES = {"sentinel": False, "sentinels": True}


@dataclass(frozen=True, slots=True)
class SentinelAddress:
    """Where Sentinels are, and the service whose master they name.

    options      of connections to the master
    sentinel     of connections to the Sentinels
    """

    places: tuple[tuple[str, int], ...]
    service: str
    options: Mapping[str, Any]
    sentinel: Mapping[str, Any]

    @classmethod
    def of(cls, url: str) -> SentinelAddress | None:
        """The address in the URL; None if it names one server. Raises ValueError.

        >>> SentinelAddress.of("sentinel://a,b:7/main?db=2").places
        (('a', 26379), ('b', 7))
        """
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES:
            return None
        login, _, places = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        service = parts.path.strip("/")
        if not service:
            raise ValueError("the URL of the Sentinels names no service")
        tls = {"ssl": True} if _SCHEMES[parts.scheme] else {}
        own = {"username": unquote(user), "password": unquote(password)}
        return cls(
            tuple(_place(place) for place in places.split(",")),
            service,
            {"db": int(query.get("db", "0")), **tls, **_given(own)},
            {
                "socket_timeout": SENTINEL_TIMEOUT_SECONDS,
                "socket_connect_timeout": SENTINEL_TIMEOUT_SECONDS,
                **tls,
                **_given({"password": query.get("sentinel_password", "")}),
            },
        )

    def sentinels(self) -> Sentinel:
        """A client of the Sentinels; nothing is connected yet."""
        places, options = list(self.places), dict(self.sentinel)
        return Sentinel(places, sentinel_kwargs=options)  # type: ignore[no-untyped-call]


def client(url: str, **options: Any) -> Redis:
    """A client for the server of the URL, with options of its connections."""
    address = SentinelAddress.of(url)
    if address is None:
        return Redis.from_url(url, **options)
    given = {**address.options, **options}
    found: Redis = address.sentinels().master_for(  # type: ignore[no-untyped-call]
        address.service, **given
    )
    return found


def disconnect(redis: Redis) -> None:
    """Close the connections of a client, also to Sentinels; a further command opens others."""
    pool = redis.connection_pool
    pool.disconnect()
    if isinstance(pool, SentinelConnectionPool):
        pool.sentinel_manager.close()


def _place(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    return (host, int(port)) if colon and port.isdigit() else (text, SENTINEL_PORT)


def _given(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
