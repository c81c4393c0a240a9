"""`python -m einvoice_client` is the command `einvoice-client`."""

import sys

from einvoice_client.cli import main

sys.exit(main())
