"""asyncio client of the Clio disaggregated memory node."""

from .client import Client
from .errors import ClientError, OperationError, Outcome
from .key_value import KeyValue
from .lease import Lease
from .link import Options, Statistics
from .multi_version import MultiVersion, StoredVersion
from .process import Chased, Dereferenced, Process, Value
from .wire import Opcode, Status

__all__ = [
    "Chased",
    "Client",
    "ClientError",
    "Dereferenced",
    "KeyValue",
    "Lease",
    "MultiVersion",
    "Opcode",
    "OperationError",
    "Options",
    "Outcome",
    "Process",
    "Statistics",
    "Status",
    "StoredVersion",
    "Value",
]
