"""The patterns of dates and times in the prose and the data of requests."""

from __future__ import annotations

import re
from typing import Final

# A word begins here: not after a letter or digit, or after an escape of JSON text (``\nMonday``).
BEGIN: Final = r"(?:(?<![^\W_])|(?<=\\[bfnrt]))"
END: Final = r"(?![^\W_])"


def _escapable(pattern: str) -> str:
    """A pattern whose characters beyond ASCII, none of them in brackets, may be escaped as in JSON
    text, or in JSON text inside of JSON text.
    """
    return re.sub(r"[^\x00-\x7f]", lambda m: rf"(?:{m[0]}|\\{{1,4}}u{ord(m[0]):04x})", pattern)


_YEAR: Final = r"(?:19|20|21)\d\d"
_MM: Final = r"(?:0[1-9]|1[0-2])"
_DD: Final = r"(?:0[1-9]|[12]\d|3[01])"
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])"
_NTH: Final = rf"{_DAY}(?:st|nd|rd|th)?"
_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    rf"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?){END}"
)
# Of German, French, Spanish, Italian and Portuguese.
_LOCAL_MONTH: Final = _escapable(
    "(?i:januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet"
    "|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    "|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre"
    "|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro"
    "|april|august|september|november)" + END
)
_ASIAN_WEEKDAY: Final = _escapable(
    "(?:(?:月|火|水|木|金|土|日)(?:曜日?)?|星期(?:一|二|三|四|五|六|日|天)"
    "|(?:월|화|수|목|금|토|일)(?:요일)?)"
)
_LOCAL_WEEKDAY: Final = _escapable(
    "(?i:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    "|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|(?:lune|marte|mercole|giove|vener)dì"
    "|sabato|domenica|(?:segunda|terça|quarta|quinta|sexta)-feira)"
)
_WEEKDAY: Final = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)" + END
)
_HOUR: Final = r"(?:[01]\d|2[0-3])"
_CLOCK: Final = rf"{_HOUR}:[0-5]\d"
_SECONDS: Final = r":[0-5]\d(?:[.,]\d{1,9})?"
_HALF: Final = rf" ?(?:[AaPp]\.[Mm]\.|[AaPp][Mm]{END})"
_ZONE: Final = rf" ?(?:(?:Z|UTC|GMT){END}|[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d))"

# November 19th, 2026; Nov. 19; November 2026; Nov 19 17:02:33 2026
_MONTH_FIRST: Final = (
    rf"{_MONTH}(?: {{1,2}}{_DAY} {_CLOCK}{_SECONDS}(?: [A-Z]{{3,4}})? {_YEAR}(?!\d)"
    rf"| {_NTH}(?!\d)(?:,? {_YEAR}(?!\d))?|,? {_YEAR}(?!\d))"
)
_NUMBER_FIRST: Final = (
    # 19th of November, 2026; 19 Nov; 19-Nov-2026
    rf"(?<!\d)(?:{_NTH}\.?(?: of)?[ /-]{_MONTH}(?:,?[ /-]{_YEAR}(?!\d))?"
    # 2026-11-19, 2026/11/19, 20261119T170233Z
    rf"|(?<!\d-){_YEAR}-{_MM}-{_DD}(?!-?\d)|(?<!\d/){_YEAR}/{_MM}/{_DD}(?!/?\d)"
    rf"|{_YEAR}{_MM}{_DD}[T_-]{_HOUR}[0-5]\d[0-5]\d(?!\d)Z?"
    # 11/19/2026, 11/19/26, 19.11.2026, 19-11-2026, 2026.11.19
    rf"|(?<!\d/){_DAY}/{_DAY}/(?:{_YEAR}|[23]\d)(?!/?\d)"
    rf"|(?<!\d\.){_DAY}\.{_DAY}\.{_YEAR}(?!\.?\d)|(?<!\d-){_DD}-{_MM}-{_YEAR}(?!-?\d)"
    rf"|(?<!\d\.){_YEAR}\.{_MM}\.{_DD}(?!\.?\d)"
    # 20261119, 2026-W47, 2026-W47-4
    rf"|(?<![\d.])20[2-9]\d{_MM}{_DD}(?![\d.]\d)(?!\d)"
    rf"|(?<!\d-){_YEAR}-?W[0-5]\d(?:-?[1-7])?{END}"
    # 19. November 2026, 19 de noviembre de 2026, 2026年11月19日, 2026년 11월 19일
    rf"|{_DAY}(?:er|{_escapable('º')})?\.? (?:de )?{_LOCAL_MONTH} (?:del? )?{_YEAR}(?!\d)"
    + _escapable(rf"|{_YEAR} ?(?:年|년) ?(?:1[0-2]|0?[1-9]) ?(?:月|월) ?{_DAY} ?(?:日|일)")
    + rf"(?: ?{_escapable('(?:[(]|（)')}{_ASIAN_WEEKDAY}{_escapable('(?:[)]|）)')}"
    rf"| ?{_ASIAN_WEEKDAY}(?!\w))?)"
)
# The weekday after a date: 2026-11-19 (Thursday)
_ITS_WEEKDAY: Final = rf"(?:,? {_WEEKDAY}| \({_WEEKDAY}\))?"

DATES: Final = (
    ("JFMASOND", BEGIN + _MONTH_FIRST + _ITS_WEEKDAY),
    ("0-9", _NUMBER_FIRST + _ITS_WEEKDAY),
    # Thursday, November 19, 2026
    ("MTWFS", rf"{BEGIN}{_WEEKDAY},? (?:{_MONTH_FIRST}|{_NUMBER_FIRST})"),
    # samedi 28 novembre 2026, Samstag, den 28.11.2026
    ("DFGJLMQSTVdfgjlmqstv",
          rf"{BEGIN}{_LOCAL_WEEKDAY},? (?:den |de )?{_NUMBER_FIRST}"),
    ("oDd",
          rf"(?:oday(?: is|'s|:)|[Dd]ay(?: of (?:the )?week)?:) (?P<span>{_WEEKDAY})"),
)  # fmt: skip
"""The characters that a date may begin with, and its pattern. The group ``span``, if there is one,
is the date.
"""

TIMES: Final = (
    ("0-9",
          rf"(?<![\d:.])(?:{_CLOCK}(?:{_SECONDS})?(?:{_HALF}|{_ZONE})?"
          rf"|\d:[0-5]\d(?:{_SECONDS}(?:{_HALF}|{_ZONE})?|{_HALF}))(?![\d:])"),
)  # fmt: skip
"""The same of times of day."""
