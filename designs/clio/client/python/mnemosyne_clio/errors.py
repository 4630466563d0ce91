"""Errors of the client."""

from __future__ import annotations

from typing import Literal

Outcome = Literal["none", "unknown"]


class ClientError(ValueError):
    """A call that cannot be: one sentence with the value and the remedy. Nothing was sent."""


class OperationError(Exception):
    """An operation that the node refused, or that could not be finished."""

    def __init__(self, operation: str, reason: str, outcome: Outcome, detail: str) -> None:
        done = "; it may have been done" if outcome == "unknown" else ""
        super().__init__(f"{operation}: {reason}, {detail}{done}")
        self.operation = operation
        """Name of the operation, an opcode's as a rule."""
        self.reason = reason
        """Name of the node's status, or TIMEOUT."""
        self.outcome: Outcome = outcome
        """`none`: it certainly had no effect. `unknown`: it may have been done, wholly or in part, or be done yet."""
