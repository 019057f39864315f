"""Script of a confined call with two seconds of processor time instead of twenty."""

import sys

from ledgerkit.core.platform.confined import call

if __name__ == "__main__":
    call.LIMITS = call.LIMITS._replace(cpu=2)
    call.main(*sys.argv[1:])
