# SPDX-License-Identifier: Apache-2.0
"""As far as scripts import it."""
from . import constant

__all__ = ["constant"]
