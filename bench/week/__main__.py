"""Live a simulated week: `python -m bench.week --seed 1 --hours 8 --minutes 5 --tenants 5`.

Prints what breaks as it happens, the entries of the book and the table of faults; writes
diary.json, diary.html and diary.md into `--into`. Exits with 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.week.life import lived
from bench.week.plan import Kind, draw
from einvoice.cli.processes import interrupt_on_signals


def main() -> None:
    """Live the week of the arguments."""
    parser = argparse.ArgumentParser(description="A simulated week of the whole service.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float, default=168.0, help="of the week")
    parser.add_argument("--minutes", type=float, default=60.0, help="of reality")
    parser.add_argument("--tenants", type=int, default=50)
    parser.add_argument("--into", type=Path, default=Path("week"), help="folder of the diary")
    parser.add_argument(
        "--fault", type=Kind, action="append", help="only this one, such as 'disk full'; repeatable"
    )
    parser.add_argument("--other", help="commit of a release, to which and back `release` goes")
    given = parser.parse_args()
    kinds = given.fault or tuple(Kind)
    plan = draw(given.seed, given.hours, given.minutes, given.tenants, kinds)
    with interrupt_on_signals():  # so that its servers end too
        diary = lived(plan, lambda line: print(line, flush=True), given.into / "logs", given.other)
    diary.write(given.into)
    for name, value in diary.counts.items():
        print(f"{name:34} {value}")
    print(diary.markdown())
    print(f"{len(diary.entries)} broken promises; the diary is in {given.into}", flush=True)
    sys.exit(0 if diary.good else 1)


if __name__ == "__main__":
    main()
