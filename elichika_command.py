"""The command `elichika`: Ctrl-C ends it in one line, also while it is still being imported.

That this module is there tells `elichika` to load Chainer only where a command needs it.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

INTERRUPTED = 130
"""The exit code: 128 and the number of SIGINT, as shells have it."""


def main() -> None:
    """Run the command line."""
    sys.modules["elichika_command"] = sys.modules[__name__]  # also as `python -m elichika_command`
    signal.signal(signal.SIGINT, _leave)
    from elichika.cli import main as run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _leave(number: int, frame: Any) -> NoReturn:
    """End at once: nothing has been begun that would have to be taken back."""
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
