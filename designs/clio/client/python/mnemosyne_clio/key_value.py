"""Clio-KV: keys of 8 bytes, values that fit one packet."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Optional

from . import wire
from .errors import ClientError
from .link import Reply, Request, refusal
from .wire import Opcode, Status

_KEY_BYTES = 8


class KeyValue:
    """The keys of one process; no other process finds them."""

    def __init__(self, exchange: Callable[[Request], Awaitable[Reply]], pid: int, room: int) -> None:
        self._exchange = exchange
        self._pid = pid
        self._most = room - wire.Kv.SIZE

    async def read(self, key: int) -> Optional[bytes]:
        """The value, or None when the key is missing."""
        body = await self._call(Opcode.KV_READ, key, b"")
        return None if body is None else body[wire.KvReply.SIZE :]

    async def create(self, key: int, value: bytes) -> bool:
        """False when the key exists already."""
        return await self._call(Opcode.KV_CREATE, key, value) is not None

    async def update(self, key: int, value: bytes) -> bool:
        """False when the key is missing."""
        return await self._call(Opcode.KV_UPDATE, key, value) is not None

    async def delete(self, key: int) -> bool:
        """False when the key is missing."""
        return await self._call(Opcode.KV_DELETE, key, b"") is not None

    async def _call(self, opcode: Opcode, key: int, value: bytes) -> Optional[bytes]:
        if not 0 <= key < 1 << 64:
            raise ClientError(f"key is {key}; give a whole number of 64 bits")
        if len(value) > self._most:
            raise ClientError(f"a value of {len(value)} bytes does not fit one packet; at most {self._most} do")
        body = wire.Kv(key_size=_KEY_BYTES, value_size=len(value), key=key).pack() + value
        request = Request(opcode, self._pid, body, lambda got: len(got) >= wire.KvReply.SIZE)
        reply = await self._exchange(request)
        if reply.status == Status.OK:
            return reply.body
        if reply.status == Status.FAIL:
            return None
        raise refusal(request, reply)
