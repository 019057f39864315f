"""Write the image of a generated document to standard output: python -m support.receipts SEED [degraded|harsh]."""

import sys

from support.receipts.specimens import Condition, Split, specimen

seed, condition = int(sys.argv[1]), Condition(sys.argv[2] if len(sys.argv) > 2 else "plain")
sys.stdout.buffer.write(specimen(seed, Split.TUNED, condition).png())
