"""The process of the ``workbench`` command, also started as ``python -m workbench``."""

import signal
import sys


class _EndSignal(SystemExit):
    """A signal asked this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def main() -> int:
    """Run the command and return its exit code.

    A signal that asks it to end is an exception first, like Ctrl+C, so that files are closed and
    temporary ones are deleted. Then the signal ends the process.
    """
    try:
        for name in ("SIGTERM", "SIGHUP"):  # Windows has one of them
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)
        from workbench.cli.main import main as run_command

        return run_command()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT  # so early that nobody else took it
    except _EndSignal as ended:
        # What was ended on the way here may have taken the signal.
        signal.signal(ended.number, signal.SIG_DFL)
        signal.raise_signal(ended.number)
        raise


def _end(number: int, _frame: object) -> None:
    signal.signal(number, signal.SIG_DFL)  # the next one ends it at once
    raise _EndSignal(number)


if __name__ == "__main__":
    sys.exit(main())
