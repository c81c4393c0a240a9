"""Redis and the RQ queues: JSON instead of pickle, no results, one queue per lane."""

from __future__ import annotations

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.serializers import JSONSerializer

from einvoice.store.core import redis_servers
from einvoice.store.core.redis_servers import disconnect
from jobs.table import Lane

FAILED_JOB_TTL_SECONDS = 86400

__all__ = ["FAILED_JOB_TTL_SECONDS", "RedisError", "connect", "disconnect", "queue"]


def connect(url: str) -> Redis:
    """A connection with a short connect timeout: the relay decides what to do without Redis."""
    return redis_servers.client(url, socket_connect_timeout=2, health_check_interval=15)


def queue(lane: Lane, redis: Redis) -> Queue:
    return Queue(
        f"einvoice-{lane.name}",
        connection=redis,
        serializer=JSONSerializer,
        default_timeout=lane.timeout,
    )
