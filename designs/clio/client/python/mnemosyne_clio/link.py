"""The way to one node: request IDs, the window, retries, and the greeting."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, cast

from . import wire
from .errors import ClientError, Outcome, OperationError
from .wire import Opcode, Status

_ID_SPACE = 1 << 32
_IDS_PER_SECOND = 16_384
_IP_AND_UDP_BYTES = 28
_FIRST_PAUSE_SECONDS = 0.01
_REFUSALS = (Status.BUSY, Status.MIGRATING, Status.YIELD)
_GREET_AFTER_SECONDS = 0.25
"""A served node may forget a client that was silent for half a second; an earlier greeting is on the safe side."""


class Request(NamedTuple):
    """One request as it goes on the wire, but for its IDs."""

    opcode: Opcode
    pid: int = 0
    body: bytes = b""
    fits: Callable[[bytes], bool] = lambda body: True
    """Whether the body of a reply with status OK answers this request."""
    greets: bool = False
    """It changes nothing and makes the client known, as a repetition by name would not."""


class Reply(NamedTuple):
    """The node's answer."""

    status: int
    body: bytes
    wait: float = 0.0
    """Of BUSY and YIELD: seconds that the node says to wait."""


class _Answer(NamedTuple):
    request_id: int
    reply: Reply


@dataclass
class _Exchange:
    """A request from its submission to its end. Any of its tries may be answered."""

    request: Request
    answers: asyncio.Queue[_Answer] = field(default_factory=asyncio.Queue)
    tries: list[int] = field(default_factory=list)


@dataclass
class Statistics:
    """What a client has counted."""

    sent: int = 0
    retries: int = 0
    timeouts: int = 0
    busy: int = 0
    nacks: int = 0
    unknown: int = 0
    """Datagrams that answer nothing of this client, or something that has ended."""
    unfit: int = 0
    """Replies that do not fit their request."""


@dataclass(frozen=True)
class Options:
    """How a client behaves; times in seconds. The defaults suit a served node, whose replies take milliseconds."""

    timeout: float = 1.0
    """Until a request is repeated."""
    slow_timeout: float = 4.0
    """The same for requests that software answers: allocation, processes, key-value."""
    retries: int = wire.MOST_RETRIES
    """Repetitions of a request without a usable answer; then the call raises TIMEOUT."""
    busy_retries: int = wire.MOST_BUSY
    """Repetitions of a request that the node answers BUSY, MIGRATING or YIELD."""
    window: int = 32
    """Requests under way at a time."""
    mtu: int = 1500
    """Most bytes of an IPv4 packet."""
    partitions: int = 1
    """The node's setting of that name."""

    def __post_init__(self) -> None:
        for name in ("timeout", "slow_timeout"):
            if not getattr(self, name) > 0:
                raise ClientError(f"{name} is {getattr(self, name)}; give seconds above 0")
        for name, least, most in (
            ("retries", 0, 1000),
            ("busy_retries", 0, 1000),
            ("window", 1, 256),
            ("mtu", 128, 9000),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or not least <= value <= most:
                raise ClientError(f"{name} is {value}; give a whole number from {least} to {most}")
        if self.partitions not in (1, 2, 4):
            raise ClientError(f"partitions is {self.partitions}; give the node's own: 1, 2 or 4")

    @property
    def room(self) -> int:
        """Bytes after the Clio header that a packet has room for."""
        return self.mtu - _IP_AND_UDP_BYTES - wire.Clio.SIZE


class Link(asyncio.DatagramProtocol):
    """A socket to one node. Every operation is done at most once, however often it is repeated."""

    def __init__(self, place: str, options: Options) -> None:
        self.place = place
        self.options = options
        self.statistics = Statistics()
        self._transport: Optional[asyncio.DatagramTransport] = None
        self._next = _first_id()
        self._asked: dict[int, _Exchange] = {}
        self._window = asyncio.Semaphore(options.window)
        self._trailers: dict[int, bytes] = {}
        self._known_since: dict[str, float] = {}
        self._greetings: dict[str, asyncio.Task[None]] = {}
        self._nobody_listens = False
        self.closed = asyncio.Event()

    # --- the socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # That of asyncio's selector loop is no subclass.
        self._transport = cast(asyncio.DatagramTransport, transport)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self.closed.set()

    def error_received(self, exc: Exception) -> None:
        # A refusal is no more than a lost datagram: the node may be about to start.
        self._nobody_listens = isinstance(exc, ConnectionRefusedError)

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._nobody_listens = False
        if len(data) < wire.Clio.SIZE:
            self.statistics.unknown += 1
            return
        header = wire.Clio.unpack(data)
        exchange = self._asked.get(header.request_id)
        if exchange is None or header.flag_tracked != 1:
            self.statistics.unknown += 1
            return
        request = exchange.request
        # A NACK repeats the header of a request that came damaged: of that only the ID has been recognised.
        if header.status != Status.NACK:
            refused = header.opcode == request.opcode and header.status != Status.OK
            expected = refused or header.opcode == wire.REPLY_CODE[request.opcode]
            whole = wire.Clio.SIZE <= header.size <= len(data)
            if not expected or not whole or header.pid != request.pid:
                self.statistics.unfit += 1
                return
        body = bytes(data[wire.Clio.SIZE : header.size])
        tells = header.status in (Status.BUSY, Status.YIELD) and header.flag_route
        wait = header.retry_of * 1e-9 if tells else 0.0
        exchange.answers.put_nowait(_Answer(header.request_id, Reply(header.status, body, wait)))

    @property
    def local(self) -> tuple[str, int]:
        if self._transport is None:
            raise ClientError("the client is closed; open another")
        host, port = self._transport.get_extra_info("sockname")[:2]
        return host, port

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    # --- keys of processes

    def keep_key(self, pid: int, key: Optional[int]) -> None:
        """The key that ends every request for a process; None: it has none."""
        self._trailers.pop(pid, None)
        if key is not None:
            self._trailers[pid] = wire.Key(key=key).pack()

    def key_of(self, pid: int) -> Optional[int]:
        trailer = self._trailers.get(pid)
        return None if trailer is None else wire.Key.unpack(trailer).key

    def room_of(self, pid: int) -> int:
        """Bytes after the Clio header that a packet of a process has room for."""
        return self.options.room - len(self._trailers.get(pid, b""))

    # --- requests

    async def ask(self, request: Request) -> Reply:
        """One request with its retries. Raises OperationError for every status other than OK."""
        reply = await self.exchange(request)
        if reply.status != Status.OK:
            raise refusal(request, reply)
        return reply

    async def exchange(self, request: Request) -> Reply:
        """One request with its retries, whatever the node answers. Raises OperationError without a usable answer."""
        room = self.room_of(request.pid)
        if len(request.body) > room:
            raise ClientError(
                f"{request.opcode.name}: {len(request.body)} bytes after the header do not fit a packet of "
                f"{self.options.mtu}; {room} do"
            )
        name = self._memory_of(request)
        if name is not None:
            await self._introduce(name, request)
        async with self._window:
            now = _now()
            reply = await self._repeat(request)
        if name is not None:
            if reply.status == Status.EXPIRED:
                self._known_since.pop(name, None)
            else:
                self._known_since[name] = max(now, self._known_since.get(name, now))
        return reply

    async def _repeat(self, request: Request) -> Reply:
        exchange = _Exchange(request)
        losses = refusals = 0
        try:
            while True:
                self._send(exchange)
                timeout = self._timeout(request)
                reply = await self._answer(exchange, timeout)
                if reply is None or reply.status == Status.NACK:
                    losses += 1
                    if losses > self.options.retries:
                        raise self._unanswered(request, "TIMEOUT" if reply is None else "NACK", losses - 1)
                    continue
                if reply.status not in _REFUSALS:
                    return reply
                refusals += 1
                reason = Status(reply.status).name
                if refusals > self.options.busy_retries:
                    raise OperationError(
                        request.opcode.name, reason, _outcome(request), f"so the node said {refusals} times"
                    )
                yields = reply.status == Status.YIELD
                if yields or reply.status == Status.MIGRATING:
                    # The operation has ended, refused; the next try is one of its own.
                    self._forget(exchange)
                pause = min(timeout, min(timeout / 16, _FIRST_PAUSE_SECONDS) * 2**refusals) * random.uniform(0.5, 1)
                # On top of the time that the node says.
                pause += min(reply.wait, wire.MOST_TIMEOUTS_TOLD * timeout)
                # An earlier try may be answered meanwhile.
                reply = await self._answer(exchange, pause)
                if reply is not None and reply.status not in (*_REFUSALS, Status.NACK):
                    return reply
                if yields and (name := self._memory_of(request)) is not None:
                    # The client has had to give up its place: it becomes known anew before it goes on.
                    self._known_since.pop(name, None)
                    await self._introduce(name, request)
        finally:
            self._forget(exchange)

    def _send(self, exchange: _Exchange) -> None:
        if self._transport is None:
            raise ClientError("the client is closed; open another")
        request = exchange.request
        request_id, self._next = self._next, (self._next + 1) % _ID_SPACE
        again = len(exchange.tries) > 0
        retry = again and not request.greets
        # The node knows an operation by the ID of its first request.
        header = wire.Clio(
            pid=request.pid,
            opcode=request.opcode,
            flag_tracked=1,
            request_id=request_id,
            flag_retry=int(retry),
            retry_of=exchange.tries[0] if retry else 0,
            size=wire.Clio.SIZE + len(request.body),
        )
        exchange.tries.append(request_id)
        self._asked[request_id] = exchange
        self.statistics.sent += 1
        self.statistics.retries += int(again)
        # The key stands behind the end that `size` names.
        self._transport.sendto(header.pack() + request.body + self._trailers.get(request.pid, b""))

    async def _answer(self, exchange: _Exchange, seconds: float) -> Optional[Reply]:
        """The next answer that counts, or None when the time is over."""
        end = _now() + seconds
        while True:
            try:
                request_id, reply = await asyncio.wait_for(exchange.answers.get(), end - _now())
            except asyncio.TimeoutError:
                self.statistics.timeouts += 1
                return None
            latest = request_id == exchange.tries[-1] if exchange.tries else False
            if reply.status in (*_REFUSALS, Status.NACK):
                self.statistics.busy += int(reply.status != Status.NACK)
                self.statistics.nacks += int(reply.status == Status.NACK)
                if latest:
                    return reply
            elif reply.status != Status.OK or exchange.request.fits(reply.body):
                return reply
            else:
                self.statistics.unfit += 1

    def _forget(self, exchange: _Exchange) -> None:
        for request_id in exchange.tries:
            self._asked.pop(request_id, None)
        exchange.tries.clear()

    def _timeout(self, request: Request) -> float:
        return self.options.timeout if request.opcode in wire.FAST else self.options.slow_timeout

    def _unanswered(self, request: Request, reason: str, retries: int) -> OperationError:
        nobody = "; nobody listens there" if self._nobody_listens else ""
        detail = f"no usable answer from {self.place} to the request and {retries} retries{nobody}"
        return OperationError(request.opcode.name, reason, _outcome(request), detail)

    # --- the greeting

    def _memory_of(self, request: Request) -> Optional[str]:
        """Name of the node's memory that keeps this operation: the hardware's by partition, or the software's."""
        if request.opcode in wire.RECORDED:
            return f"hardware {request.pid % self.options.partitions}"
        return None if request.opcode in wire.FAST or request.opcode in wire.HARMLESS else "software"

    async def _introduce(self, name: str, request: Request) -> None:
        """Makes the client known before several requests at once, whose order the network may change."""
        if _now() - self._known_since.get(name, float("-inf")) <= _GREET_AFTER_SECONDS:
            return
        if name not in self._greetings:
            self._greetings[name] = asyncio.ensure_future(self._greet(name, request))
        await asyncio.shield(self._greetings[name])

    async def _greet(self, name: str, request: Request) -> None:
        if name == "software":
            greeting = Request(Opcode.SOC_PINGPONG, 0, wire.Pingpong(reply_size=0).pack(), greets=True)
        else:
            greeting = Request(Opcode.FENCE, request.pid % self.options.partitions, greets=True)
        try:
            now = _now()
            reply = await self._repeat(greeting)
            if reply.status != Status.OK:
                raise refusal(greeting, reply)
            self._known_since[name] = now
        finally:
            del self._greetings[name]


def refusal(request: Request, reply: Reply) -> OperationError:
    """The error that a status other than OK is."""
    try:
        reason = Status(reply.status).name
    except ValueError:
        return OperationError(request.opcode.name, f"STATUS_{reply.status}", "none", "so the node answered")
    # Too late for the node to tell whether it was done.
    outcome = _outcome(request) if reply.status == Status.EXPIRED else "none"
    return OperationError(request.opcode.name, reason, outcome, wire.STATUS_MEANING[reply.status])


def _first_id() -> int:
    """A node remembers clients by address and port, and takes older IDs for repetitions that come too late.

    The system gives a port of an earlier program again. So IDs begin at the time of day: they are newer than all of
    that program's, if it sent fewer than 16,384 requests a second and began within the last 36 hours.
    """
    return int(time.time() * _IDS_PER_SECOND) % _ID_SPACE


def _outcome(request: Request) -> Outcome:
    return "none" if request.opcode in wire.HARMLESS else "unknown"


def _now() -> float:
    return asyncio.get_running_loop().time()
