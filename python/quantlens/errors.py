# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: one sentence that says what, where, and what to do next. What your own data or metric raised is the
error's cause (`__cause__`)."""


class Error(Exception):
    """All errors of quantlens."""


class UsageError(Error, ValueError):
    """An argument or a recipe asks for something impossible."""


class BadInput(Error, ValueError):
    """A file, or data, are not what they should be."""


class NotFound(Error, LookupError, FileNotFoundError):
    """A file, a run, which is a folder of the workspace, or a value is not there."""


class Unsupported(Error, NotImplementedError):
    """It is known, but quantlens does not do it."""


class IoError(Error, OSError):
    """The system refused to read or write."""


class Failed(Error, RuntimeError):
    """It went wrong while working."""


class Interrupted(Error):
    """It was asked to stop."""
