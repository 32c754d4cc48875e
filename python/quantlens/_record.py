# SPDX-License-Identifier: Apache-2.0
"""What all records have in common."""
from __future__ import annotations

import dataclasses
from typing import Any


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return {field.name.rstrip("_"): _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}  # type: ignore[arg-type]
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return {key: _plain(one) for key, one in value.items()} if isinstance(value, dict) else value


class Record:
    """Fields as attributes. One whose word Python keeps for itself ends in `_`."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: plain dicts and lists."""
        return _plain(self)
