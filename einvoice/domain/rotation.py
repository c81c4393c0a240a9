"""A queue that serves its callers in rotation: after one item of a caller comes the next caller.

So a flood of one caller delays its own items only: another caller waits for one item of each.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

Caller = TypeVar("Caller", bound=Hashable)
Item = TypeVar("Item")


class Rotation(Generic[Caller, Item]):
    """Items of callers, each caller's in the order in which they came. Not safe for threads."""

    def __init__(self) -> None:
        self._queues: OrderedDict[Caller, deque[Item]] = OrderedDict()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def waiting_of(self, caller: Caller) -> int:
        """How many items of the caller wait."""
        return len(self._queues.get(caller, ()))

    def append(self, caller: Caller, item: Item) -> None:
        """Add the item as the caller's last one."""
        self._queues.setdefault(caller, deque()).append(item)
        self._length += 1

    def pop(self, is_free: Callable[[Caller], bool] = lambda _: True) -> tuple[Caller, Item] | None:
        """The first item of the next caller that is free to have one; the caller is last then."""
        for caller in self._queues:
            if is_free(caller):
                item = self._queues[caller].popleft()
                self._length -= 1
                self._queues.move_to_end(caller)
                self._drop_if_empty(caller)
                return caller, item
        return None

    def remove(self, caller: Caller, item: Item) -> bool:
        """Take the item out; whether it was still there."""
        queue = self._queues.get(caller)
        if queue is None or item not in queue:
            return False
        queue.remove(item)
        self._length -= 1
        self._drop_if_empty(caller)
        return True

    def postpone(self, caller: Caller) -> None:
        """Make the caller, if it waits, the last one."""
        if caller in self._queues:
            self._queues.move_to_end(caller)

    def pop_while(self, is_old: Callable[[Item], bool]) -> Iterator[Item]:
        """Take out each caller's first items as long as they are old."""
        for caller, queue in list(self._queues.items()):
            while queue and is_old(queue[0]):
                self._length -= 1
                yield queue.popleft()
            self._drop_if_empty(caller)

    def _drop_if_empty(self, caller: Caller) -> None:
        if not self._queues[caller]:
            del self._queues[caller]
