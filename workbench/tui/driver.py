"""The way to and from a terminal that does not speak UTF-8, or not all the time."""

from __future__ import annotations

import codecs
import locale
import os
import selectors
import signal
from io import TextIOWrapper
from typing import Any, Final

from rich.cells import cell_len
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

READ_BYTES: Final = 4096
LOOK_SECONDS: Final = 0.1


def forgiving(driver: type[Driver]) -> type[Driver]:
    """``driver``, or where it is Textual's for a terminal, one that forgives."""
    return ForgivingDriver if driver is LinuxDriver else driver


class ForgivingDriver(LinuxDriver):
    """Textual's driver, but a byte that is no UTF-8 does not end the application, and a character
    that the locale lacks takes the room it was given and no more.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if isinstance(self._file, TextIOWrapper):
            self._file.reconfigure(errors=_BLANKED)

    def run_input_thread(self) -> None:
        """Read keys until told to stop, as Textual does, or until the terminal is gone: who does
        not hear that from the system, since another one controls the process, hears it from us.
        """
        decode = codecs.getincrementaldecoder("utf-8")(_OF_LOCALE).decode
        parser = XTermParser(self._debug)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(LOOK_SECONDS):
                    data = os.read(self.fileno, READ_BYTES)
                    if not data:
                        os.kill(os.getpid(), signal.SIGHUP)
                        return
                    text = decode(data)
                    # Nothing, of a character that is cut, would be the end to it.
                    for event in parser.feed(text) if text else ():
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)


def _blanked(error: UnicodeError) -> tuple[str, int]:
    """As many question marks as the characters that cannot be written have cells."""
    assert isinstance(error, UnicodeEncodeError)
    return "?" * cell_len(error.object[error.start : error.end]), error.end


def _of_locale(error: UnicodeError) -> tuple[str, int]:
    """What the locale takes the bytes for that are no UTF-8."""
    assert isinstance(error, UnicodeDecodeError)
    lost = error.object[error.start : error.end]
    return lost.decode(locale.getpreferredencoding(False), "replace"), error.end


_BLANKED: Final = "workbench-blanked"
_OF_LOCALE: Final = "workbench-of-locale"
codecs.register_error(_BLANKED, _blanked)
codecs.register_error(_OF_LOCALE, _of_locale)
