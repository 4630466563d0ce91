"""A process's remote address space, and the calls on it."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Optional

from . import wire
from .errors import ClientError, OperationError
from .key_value import KeyValue
from .lease import Lease, take_lease
from .link import Link, Reply, Request, refusal
from .multi_version import MultiVersion
from .wire import Opcode, Status, VmFlag

_WORD = 8
_MASK = (1 << 64) - 1
_ACCESS = wire.Access.SIZE


class Dereferenced(NamedTuple):
    """Bytes behind a pointer, and their address: later accesses may go there directly."""

    va: int
    data: bytes


@dataclass(frozen=True)
class Value:
    """Part of a list's node to return: bytes of its own or, with `pointer`, bytes that the one at `offset` points at."""

    offset: int
    size: int
    pointer: bool = False


class Chased(NamedTuple):
    """The node of the list that answered, and its value."""

    va: int
    value: bytes


class Process:
    """Calls that are awaited one after the other are done in that order; calls under way together in any order."""

    def __init__(self, link: Link, pid: int) -> None:
        self._link = link
        self.pid = pid
        self._under_way: set[asyncio.Future[Reply]] = set()
        self.kv = KeyValue(self._exchange, pid, link.room_of(pid))
        """The process's own keys."""
        self.shared_kv = KeyValue(self._exchange, 0, link.room_of(0))
        """The keys that are everybody's, those of PID 0."""
        self.mv = MultiVersion(self._exchange, pid, link.room_of(pid))

    @property
    def key(self) -> Optional[int]:
        """64 bits without which the node does nothing for the process. None when it has none."""
        return self._link.key_of(self.pid)

    # --- memory

    async def alloc(
        self, size: int, *, address: int = 0, region: int = 0, writable: bool = True, populate: bool = False
    ) -> int:
        """Allocates bytes in whole pages; the result is their address. `address` 0: the lowest that fits."""
        _check("size", size, 1, _MASK)
        _check("address", address, 0, _MASK)
        flags = (VmFlag.WRITE if writable else 0) | (VmFlag.POPULATE if populate else 0)
        body = wire.Alloc(addr=address, len=size, vregion=region, vm_flags=flags).pack()
        reply = await self._ask(Opcode.ALLOC, body, lambda got: len(got) >= wire.AllocReply.SIZE)
        return wire.AllocReply.unpack(reply).addr

    async def free(self, va: int, size: int) -> None:
        """Frees the pages of a range."""
        _check_range(va, size)
        body = wire.Alloc(addr=va, len=size).pack()
        await self._ask(Opcode.FREE, body, lambda got: len(got) >= wire.AllocReply.SIZE)

    async def read(self, va: int, size: int) -> bytes:
        """Reads any number of bytes from any address."""
        _check_range(va, size)
        data = bytearray(size)

        async def piece(offset: int, length: int) -> None:
            data[offset : offset + length] = (await self._access(Opcode.READ, va + offset, length, length))[_ACCESS:]

        await self._each_piece(size, piece)
        return bytes(data)

    async def write(self, va: int, data: bytes) -> None:
        """Writes any number of bytes to any address."""
        _check_range(va, len(data))
        own = bytes(data)

        async def piece(offset: int, length: int) -> None:
            try:
                await self._access(Opcode.WRITE, va + offset, length, 0, own[offset : offset + length])
            except OperationError as e:
                if length == len(own):
                    raise
                # Other parts may have been written.
                where = f"at {offset} of {len(own)} bytes"
                raise OperationError(e.operation, e.reason, "unknown", where) from e

        await self._each_piece(len(own), piece)

    # --- synchronization

    async def test_and_set(self, va: int) -> int:
        """Sets the word to 1; the result is the old value: 0 for the one that set it first."""
        return await self._atomic(Opcode.ATOMIC_TAS, va, wire.Access(va=_aligned(va), length=_WORD).pack())

    async def compare_and_swap(self, va: int, compare: int, swap: int) -> int:
        """Stores `swap` when the word is `compare`; the result is the old value."""
        body = wire.Cas(va=_aligned(va), length=_WORD, compare=compare & _MASK, swap=swap & _MASK)
        return await self._atomic(Opcode.ATOMIC_CAS, va, body.pack())

    async def fetch_and_add(self, va: int, addend: int) -> int:
        """Adds modulo 2^64; the result is the old value."""
        body = wire.Faa(va=_aligned(va), length=_WORD, addend=addend & _MASK)
        return await self._atomic(Opcode.ATOMIC_FAA, va, body.pack())

    async def atomic_store(self, va: int, value: int) -> None:
        """Stores a word, in order with the other atomics on it."""
        body = wire.Store(va=_aligned(va), length=_WORD, value=value & _MASK)
        await self._ask(Opcode.ATOMIC_STORE, body.pack(), _answers(va, _WORD, 0))

    async def lock(self, va: int, *, timeout: Optional[float] = None) -> None:
        """Takes the lock whose word is at `va`, 0 at first. Raises OperationError TIMEOUT after so many seconds."""
        loop = asyncio.get_running_loop()
        begin, pause = loop.time(), 0.001
        while await self.test_and_set(va) != 0:
            if timeout is not None and loop.time() - begin > timeout:
                raise OperationError("lock", "TIMEOUT", "none", f"the lock at 0x{va:x} was not free for {timeout} s")
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, 0.1)

    async def unlock(self, va: int) -> None:
        """Releases the lock after all earlier calls on this object have ended."""
        await self._settled()
        await self.atomic_store(va, 0)

    async def lease(self, va: int, seconds: float, *, timeout: Optional[float] = None) -> Lease:
        """Takes the lock whose word is at `va`. A holder that shows no sign of life for `seconds` loses it.

        All who use the word take leases of the same length, and no `lock`.
        """
        if not seconds > 0:
            raise ClientError(f"seconds = {seconds} is no time; give more than 0")
        at = _aligned(va)

        def exchange(old: int, new: int) -> Awaitable[int]:
            return self.compare_and_swap(at, old, new)

        return await take_lease(exchange, self._settled, seconds, timeout, f"0x{at:x}")

    @contextlib.asynccontextmanager
    async def locked(self, va: int, *, timeout: Optional[float] = None) -> AsyncIterator[None]:
        """`async with process.locked(va):` holds the lock inside."""
        await self.lock(va, timeout=timeout)
        try:
            yield
        finally:
            await self.unlock(va)

    async def fence(self) -> None:
        """Waits for all earlier calls on this object, then until the node has done all that reached it before."""
        await self._settled()
        await self._ask(Opcode.FENCE, b"", lambda got: len(got) == 0)

    # --- pointers

    async def deref_read(self, va: int, size: int) -> Dereferenced:
        """Reads what the 8-byte pointer at `va` points at; at most what fits one packet."""
        self._check_piece(size)
        body = wire.Access(va=_aligned(va), length=size).pack()
        reply = await self._ask(Opcode.DEREF_READ, body, _answers(None, size, size))
        return Dereferenced(wire.Access.unpack(reply).va, reply[_ACCESS:])

    async def deref_write(self, va: int, data: bytes) -> int:
        """Writes to where the 8-byte pointer at `va` points; the result is that address."""
        self._check_piece(len(data))
        body = wire.Access(va=_aligned(va), length=len(data)).pack() + data
        return wire.Access.unpack(await self._ask(Opcode.DEREF_WRITE, body, _answers(None, len(data), 0))).va

    async def pointer_chase(
        self,
        first: int,
        *,
        node_size: int,
        next_offset: int,
        key: Optional[int] = None,
        key_offset: int = 0,
        depth: Optional[int] = None,
        value: Value = Value(0, 0),
    ) -> Optional[Chased]:
        """Follows a linked list at the node, in one round trip. None when the list or the depth ends before.

        The node whose 8 bytes at `key_offset` are `key` answers; without a key number `depth` of the list (from 1), or
        else the first. `next_offset` is where a node has the address of the next: a multiple of 8, at most 120.
        """
        _check("first", first, 0, _MASK)
        _check("node_size", node_size, _WORD, 512)
        _check("next_offset", next_offset, 0, min(15 * _WORD, node_size - _WORD))
        if next_offset % _WORD:
            raise ClientError(f"next_offset is {next_offset}; give a multiple of {_WORD}")
        if key is not None:
            _check("key_offset", key_offset, 0, min(255, node_size - _WORD))
        if depth is not None:
            _check("depth", depth, 1, 255)
        most = self._link.room_of(self.pid) - _ACCESS
        _check("value.size", value.size, 0, most if value.pointer else min(most, node_size))
        last = node_size - (_WORD if value.pointer else value.size)
        _check("value.offset", value.offset, 0, min(255, last))
        body = wire.PointerChase(
            addr=first,
            key=(key or 0) & _MASK,
            struct_size=node_size,
            value_size=value.size,
            key_offset=key_offset if key is not None else 0,
            value_offset=value.offset,
            depth=depth or 0,
            next_offset=next_offset // _WORD,
            use_depth=int(depth is not None),
            use_key=int(key is not None),
            use_value_ptr=int(value.pointer),
        ).pack()
        try:
            reply = await self._ask(Opcode.POINTER_CHASE, body, _answers(None, value.size, value.size))
        except OperationError as e:
            if e.reason == Status.FAIL.name:
                return None
            raise
        return Chased(wire.Access.unpack(reply).va, reply[_ACCESS:])

    # --- how

    async def _exchange(self, request: Request) -> Reply:
        task = asyncio.ensure_future(self._link.exchange(request))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await task

    async def _settled(self) -> None:
        if self._under_way:
            await asyncio.wait(set(self._under_way))

    async def _ask(self, opcode: Opcode, body: bytes, fits: Callable[[bytes], bool]) -> bytes:
        request = Request(opcode, self.pid, body, fits)
        reply = await self._exchange(request)
        if reply.status != Status.OK:
            raise refusal(request, reply)
        return reply.body

    async def _access(self, opcode: Opcode, va: int, size: int, replied: int, data: bytes = b"") -> bytes:
        return await self._ask(opcode, wire.Access(va=va, length=size).pack() + data, _answers(va, size, replied))

    async def _atomic(self, opcode: Opcode, va: int, body: bytes) -> int:
        return wire.OldValue.unpack(await self._ask(opcode, body, _answers(va, _WORD, _WORD))).old

    def _check_piece(self, size: int) -> None:
        most = self._link.room_of(self.pid) - _ACCESS
        if not 1 <= size <= most:
            raise ClientError(f"{size} bytes through a pointer: give 1 to {most}, which fit one packet")

    async def _each_piece(self, size: int, perform: Callable[[int, int], Awaitable[None]]) -> None:
        """Does every part of an access, some at a time. Once one has failed no more are begun."""
        room = self._link.room_of(self.pid) - _ACCESS
        offsets = iter(range(0, size, room))
        failures: list[BaseException] = []

        async def worker() -> None:
            for offset in offsets:
                if failures:
                    return
                try:
                    await perform(offset, min(room, size - offset))
                except OperationError as e:
                    failures.append(e)

        workers = min(wire.PIECES_AT_ONCE, self._link.options.window, -(-size // room))
        await asyncio.gather(*(worker() for _ in range(workers)))
        if failures:
            raise failures[0]


def _answers(va: Optional[int], length: int, data: int) -> Callable[[bytes], bool]:
    """The reply's address and length are these, and so many bytes follow them."""

    def fits(body: bytes) -> bool:
        if len(body) != _ACCESS + data:
            return False
        got = wire.Access.unpack(body)
        return (va is None or got.va == va) and got.length == length

    return fits


def _aligned(va: int) -> int:
    _check("va", va, 0, _MASK)
    if va % _WORD:
        raise ClientError(f"0x{va:x} is no multiple of {_WORD}: atomics, locks and pointers need one")
    return va


def _check(name: str, value: int, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise ClientError(f"{name} is {value}; give a whole number from {least} to {most}")


def _check_range(va: int, size: int) -> None:
    _check("size", size, 1, _MASK)
    if va < 0 or va + size > 1 << 64:
        raise ClientError(f"address {va:#x} and {size} bytes are no range of addresses of 64 bits")
