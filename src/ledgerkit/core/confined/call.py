"""The process of one confined call: run as a script with a module and a function of it, never imported by the server.

The function takes bytes and gives bytes. What it raises is answered by its type's name only: its words may hold what it
was given, and that may be a key or a password.
"""

import sys
from importlib import import_module

from ledgerkit.core.confined.child import FAILED, Answer, Limits, Work, serve

LIMITS = Limits(memory=768 * 1024**2, cpu=20, writes=False)
"""Seconds of the processor: what holds the interpreter does not hear that the server has ended."""


def main(module: str, name: str) -> None:
    def prepare() -> Work:
        function = getattr(import_module(module), name)

        def work(request: bytes) -> Answer:
            try:
                return b"D", function(request)
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the input's fault
                return FAILED, type(error).__name__.encode()

        return work

    serve(prepare, LIMITS)


if __name__ == "__main__":
    main(*sys.argv[1:])
