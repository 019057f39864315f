"""Script of the process of one confined call, started with a module and a function's name; the server never imports it.

The function takes bytes and returns bytes. An exception is answered by its type's name only: its text may contain the
input, which may be a key or a password.
"""

import sys
from importlib import import_module

from ledgerkit.core.platform.confined.child import FAILED, Answer, Limits, Work, serve

LIMITS = Limits(memory=768 * 1024**2, cpu=20, writes=False)
"""Limits of a call. Processor time is limited: code that holds the interpreter does not notice when the server ends."""


def main(module: str, name: str) -> None:
    def prepare() -> Work:
        function = getattr(import_module(module), name)

        def work(request: bytes) -> Answer:
            try:
                return b"D", function(request)
            except BaseException as error:  # noqa: BLE001 - any failure is one of the input
                return FAILED, type(error).__name__.encode()

        return work

    serve(prepare, LIMITS)


if __name__ == "__main__":
    main(*sys.argv[1:])
