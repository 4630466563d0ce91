"""Clio-MV: objects that keep every version of their value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Optional

from . import wire
from .errors import ClientError
from .link import Reply, Request, refusal
from .wire import Opcode, Status

_SIZE = wire.Mv.SIZE


class StoredVersion(NamedTuple):
    """A version's number, from 1, and its value."""

    version: int
    value: bytes


class MultiVersion:
    """Objects of one process."""

    def __init__(self, exchange: Callable[[Request], Awaitable[Reply]], pid: int, room: int) -> None:
        self._exchange = exchange
        self._pid = pid
        self._most = room - _SIZE

    async def create(self, value_size: int) -> int:
        """A new object of values of so many bytes; the result is its number."""
        self._check("value_size", value_size, 1, self._most)
        reply = await self._call(Opcode.MV_CREATE, wire.MvCreate(value_bytes=value_size).pack())
        if reply is None:
            raise ClientError("the node refused to create an object")
        return wire.Mv.unpack(reply).object

    async def append(self, number: int, value: bytes) -> Optional[int]:
        """Adds a version; the result is its number, None when the object is full or there is none."""
        self._check("bytes of the value", len(value), 1, self._most)
        reply = await self._call(Opcode.MV_APPEND, self._named(number) + value)
        return None if reply is None else wire.Mv.unpack(reply).version

    async def read(self, number: int, version: int) -> Optional[bytes]:
        """A version's value, None when there is no such object or version."""
        reply = await self._call(Opcode.MV_READ, self._named(number, version))
        return None if reply is None else reply[_SIZE:]

    async def latest(self, number: int) -> Optional[StoredVersion]:
        """The latest version, None when there is none."""
        reply = await self._call(Opcode.MV_READ_LATEST, self._named(number))
        return None if reply is None else StoredVersion(wire.Mv.unpack(reply).version, reply[_SIZE:])

    async def delete(self, number: int) -> bool:
        """False when there is no such object. Its number may be given again."""
        return await self._call(Opcode.MV_DELETE, self._named(number)) is not None

    def _named(self, number: int, version: int = 0) -> bytes:
        self._check("object", number, 0, (1 << 32) - 1)
        self._check("version", version, 0, (1 << 32) - 1)
        return wire.Mv(object=number, version=version).pack()

    @staticmethod
    def _check(name: str, value: int, least: int, most: int) -> None:
        if not least <= value <= most:
            raise ClientError(f"{name} is {value}; give a whole number from {least} to {most}")

    async def _call(self, opcode: Opcode, body: bytes) -> Optional[bytes]:
        request = Request(opcode, self._pid, body, lambda got: len(got) >= _SIZE)
        reply = await self._exchange(request)
        if reply.status == Status.OK:
            return reply.body
        if reply.status == Status.FAIL:
            return None
        raise refusal(request, reply)
