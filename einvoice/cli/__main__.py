"""`python -m einvoice.cli`: the console script without the script."""

from einvoice.cli import main

main(prog_name="einvoice")
