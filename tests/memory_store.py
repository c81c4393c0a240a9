"""A store of a plugin in memory, with times that tests set."""

from __future__ import annotations

from einvoice import clock
from einvoice.network.plugin_store import MAX_RECORDS_READ, ClosedStore, StoredRecord


class MemoryStore(ClosedStore):
    def __init__(self):
        self.records = []
        self.values = {}

    def get(self, key):
        return self.values.get(key)

    def put(self, key, value):
        self.values[key] = value

    def change(self, key, expected, new):
        if self.values.get(key) != expected:
            return False
        self.values[key] = new
        return True

    def find(self, start, after=""):
        keys = sorted(each for each in self.values if each.startswith(start) and each > after)
        return [(key, self.values[key]) for key in keys if self.values[key] is not None][:500]

    def append(self, series, value):
        assert len(value.encode()) <= 65536
        self.records.append((series, StoredRecord(len(self.records) + 1, clock.now(), value)))

    def read(self, series, since, until, after=None):
        last = (after.at, after.id) if after else None
        found = [
            record
            for name, record in sorted(self.records, key=lambda each: (each[1].at, each[1].id))
            if name == series
            and since <= record.at < until
            and (last is None or (record.at, record.id) > last)
        ]
        return found[:MAX_RECORDS_READ]
