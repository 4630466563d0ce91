"""Clients and the processes that they work in."""

from __future__ import annotations

import asyncio
import struct
from types import TracebackType
from typing import Optional

from . import wire
from .errors import ClientError
from .link import Link, Options, Request, Statistics
from .process import Process
from .wire import Opcode

_NAME_BYTES = wire.CreateProc.SIZE


class Client:
    """One UDP socket to one memory node. Open it with `Client.open`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    @classmethod
    async def open(
        cls,
        node: str = "127.0.0.1",
        port: int = wire.NATIVE_PORT,
        options: Options = Options(),
        *,
        local: Optional[tuple[str, int]] = None,
    ) -> Client:
        """A client of the node at an address and port; `local` binds the socket. Nothing is sent yet."""
        loop = asyncio.get_running_loop()
        _, link = await loop.create_datagram_endpoint(
            lambda: Link(f"{node}:{port}", options), remote_addr=(node, port), local_addr=local
        )
        return cls(link)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
        await self._link.closed.wait()

    def close(self) -> None:
        """Closes the socket. Calls under way raise."""
        self._link.close()

    @property
    def local(self) -> tuple[str, int]:
        """Address and port of the client's own socket."""
        return self._link.local

    @property
    def options(self) -> Options:
        return self._link.options

    @property
    def statistics(self) -> Statistics:
        return self._link.statistics

    async def create_process(self, name: str = "python") -> Process:
        """A new process with a remote address space of its own. Raises OperationError.

        A node with keys gives it one, which goes with all its requests.
        """
        text = name.encode()
        if len(text) >= _NAME_BYTES:
            raise ClientError(f"the process name {name!r} has {len(text)} bytes; at most {_NAME_BYTES - 1} fit")
        body = wire.CreateProc(process_name=text).pack()
        fits = lambda reply: len(reply) >= wire.CreateProcReply.SIZE  # noqa: E731
        reply = await self._link.ask(Request(Opcode.CREATE_PROC, 0, body, fits))
        behind = wire.CreateProcReply.SIZE
        keyed = len(reply.body) >= behind + wire.Key.SIZE
        key = wire.Key.unpack(reply.body, behind).key if keyed else None
        return self.process(wire.CreateProcReply.unpack(reply.body).new_pid, key)

    def process(self, pid: int, key: Optional[int] = None) -> Process:
        """A process that exists already: clients that name the same one share its address space.

        `key` is that of the process, where it has one: `Process.key` of the client that made it.
        """
        if not 0 <= pid < 1 << 16:
            raise ClientError(f"pid is {pid}; give a whole number from 0 to 65535")
        if key is not None and not 0 <= key < 1 << 64:
            raise ClientError(f"key is {key}; give a whole number from 0 to {(1 << 64) - 1}")
        self._link.keep_key(pid, key)
        return Process(self._link, pid)

    async def free_process(self, process: Process) -> None:
        """Ends a process and frees all that it has. Raises OperationError."""
        fits = lambda reply: len(reply) >= wire.Ret.SIZE  # noqa: E731
        await self._link.ask(Request(Opcode.FREE_PROC, process.pid, b"", fits))

    async def query_stat(self) -> dict[str, int]:
        """The node's counters by name; those that its software adds are `software 0` and so on."""
        reply = await self._link.ask(Request(Opcode.QUERY_STAT, 0, b"", _whole_statistics))
        count = wire.StatReply.unpack(reply.body).count
        values = struct.unpack_from(f"<{count}Q", reply.body, wire.StatReply.SIZE)
        known = len(wire.COUNTERS)
        return {wire.COUNTERS[i] if i < known else f"software {i - known}": v for i, v in enumerate(values)}

    async def ping(self, data: bytes = b"") -> bytes:
        """The same bytes back from the node's fast path."""
        return (await self._link.ask(Request(Opcode.PINGPONG, 0, data, lambda reply: reply == data))).body


def _whole_statistics(body: bytes) -> bool:
    size = wire.StatReply.SIZE
    return len(body) >= size and len(body) >= size + 8 * wire.StatReply.unpack(body).count
