"""Which webhook endpoints are served next.

A worker posts to a number of endpoints at the same time: it has so many places. Of all places a
tenant gets at most a quarter. Endpoints that did not answer their last request soon get at most a
third, those that had no request yet another third. So endpoints that never answer do not make the
others wait, however many they are, nor new ones for longer than the first time limit.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from einvoice.store.webhooks.webhook_queue import HeldEndpoint, ReadyEndpoint

PLACES_OF_A_TENANT = 4  # one place in so many
PLACES_OF_SLOW_ENDPOINTS = 3  # and as many of new ones


def choose(
    ready: Sequence[ReadyEndpoint], held: Sequence[HeldEndpoint], places: int
) -> list[ReadyEndpoint]:
    """The endpoints to serve beside those that are held: tenants with the fewest places first, of
    those the longest due."""
    used = Counter(one.tenant_id for one in held)
    of_class = Counter(one.responsive for one in held)
    most = max(1, places // PLACES_OF_A_TENANT)
    most_of_class = max(1, places // PLACES_OF_SLOW_ENDPOINTS)
    waiting = _by_tenant(ready, {one.id for one in held})
    turns = [(used[t], queue[0].due_at, t) for t, queue in waiting.items() if used[t] < most]
    heapify(turns)
    chosen: list[ReadyEndpoint] = []
    while turns and len(held) + len(chosen) < places:
        count, _, tenant = heappop(turns)
        one = waiting[tenant].popleft()
        if one.responsive or of_class[one.responsive] < most_of_class:
            chosen.append(one)
            count += 1
            of_class[one.responsive] += 1
        if waiting[tenant] and count < most:
            heappush(turns, (count, waiting[tenant][0].due_at, tenant))
    return chosen


def _by_tenant(
    ready: Sequence[ReadyEndpoint], held: set[str]
) -> Mapping[str, deque[ReadyEndpoint]]:
    """The endpoints of each tenant that are not held, the longest due first."""
    found: dict[str, deque[ReadyEndpoint]] = defaultdict(deque)
    for one in sorted(ready, key=lambda one: one.due_at):
        if one.id not in held:
            found[one.tenant_id].append(one)
    return found
