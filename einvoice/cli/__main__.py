"""`python -m einvoice.cli`: the same as the console script."""

from einvoice.cli import main

main(prog_name="einvoice")
