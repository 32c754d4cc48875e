# SPDX-License-Identifier: Apache-2.0
"""Sentences that name options of the command line, in Python's words: `--data` is `data=`, `--approach dynamic` is
`approach='dynamic'`, `--strict` is `strict=True`."""
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PRINTING = {"output", "progress", "open"}  # the command line's option of this name is another one, or none
VALUES = {"dynamic", "weight_only", "static", "auto", "random", "measured", "none", "speed", "size", "accuracy", "int8",
          "command", "netron", "perfetto", "together", "worse"}

_flags: dict[str, bool] = {}  # keywords of all functions; True: of those that are flags
_verbs: set[str] = set()


def known(verb: str, keywords: Mapping[str, bool]) -> None:
    """Tells of a function's keywords."""
    _verbs.add(verb)
    _flags.update(keywords)


def _is_value(word: str, keyword: str, given: Mapping[str, Any], behind: str) -> bool:
    if not word:
        return False
    is_known = word in VALUES or word.startswith("command:") or re.fullmatch(r"[A-Z]{2,}[^ ]*|-?[0-9][0-9.]*%?|'.*'", word)
    return bool(is_known) or str(given.get(keyword, "")) == word or behind.startswith(":")


def _keyword(found: re.Match[str], given: Mapping[str, Any]) -> str:
    verb, option, space, word = found["verb"] or "", found["option"], found["space"] or "", found["word"] or ""
    keyword = {"-o": "output", "--as": "as_"}.get(option, option.removeprefix("--").replace("-", "_"))
    if keyword not in _flags or (option.startswith("--") and keyword in PRINTING):
        return found[0]
    if verb in ("tensorboard", "quantlens") or found.string[:found.start()].endswith("quantlens "):  # a command as it is typed
        return found[0]
    behind = found.string[found.end():]
    if _flags[keyword]:
        text = f"{keyword}=True{space}{word}"
    elif _is_value(word, keyword, given, behind):
        is_number = re.fullmatch(r"-?[0-9][0-9.]*|'.*'", word)
        text = f"{keyword}={word if is_number else repr(word)}"
    elif not word and behind.startswith(":"):
        text = keyword
    else:
        text = f"{keyword}={space}{word}"
    if verb not in _verbs:
        return f"{verb} {text}" if verb else text
    of_it, _, others = text.partition(" ") if not _is_value(word, keyword, given, behind) else (text, "", "")
    return f"{verb}({of_it}){space if others else ''}{others}"


_OPTION = re.compile(r"(?:(?<![\w-])(?P<verb>[a-z]+) )?(?<![\w-])(?P<option>--[a-z][a-z-]*|-o(?![\w-]))"
                     r"(?:(?P<space>[ =])(?P<word>'[^']*'|(?!-)[^\s,;:()'\"]+(?::[^\s,;:()'\"]+)*|-[0-9.]+))?")


def in_python(sentence: str, given: Mapping[str, Any] | None = None) -> str:
    """`given`: what the function was called with, by which a value is told from the next word."""
    if "-" not in sentence:
        return sentence
    told = _OPTION.sub(lambda found: _keyword(found, given or {}), sentence)
    return re.sub(r"say (\w+=\S*) on the command line", r"give \1", told)
