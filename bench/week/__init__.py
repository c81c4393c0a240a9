"""A simulated week: the whole service with real processes, everybody around it, and a book.

    python -m bench.week [--seed 1] [--hours 168] [--minutes 60] [--tenants 50] [--into FOLDER]

`plan` draws who sends what and which faults happen, `town` starts the service with its servers and
the stand-ins of the networks, `lives` sends and receives, `faults` breaks and mends, `alarms` is
the operator's Prometheus, `book` keeps what went over the wires and compares it with the service,
`diary` writes what happened. docs/week.md describes the week, the time and the promises.
"""
