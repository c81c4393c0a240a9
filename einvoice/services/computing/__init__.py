"""Long computations in processes of their own: PDFs, large documents, large files.

`Computing` (pool.py) is the entry point. A computation is a module-level function of plain values:
it reads no database, no settings and no clock. It runs in a child process (child.py) that is
bounded in memory and time. Turns (turns.py) bound the number of processes and are given to tenants
in rotation.

Not `concurrent.futures`: it has no deadline for a call, one process that dies ends the whole pool,
and children stay behind a parent that was killed. Not jobs in Redis: a request must not need it.
"""
