"""Locks that a dead client does not keep: the rules of CLib's `lease.ts`."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import Awaitable, Callable
from typing import Optional

from .errors import OperationError

Exchange = Callable[[int, int], Awaitable[int]]
"""Stores the second number when the word is the first; the result is what the word was."""

_RENEWALS = 4
_BELIEVED = 0.9
_MASK = (1 << 64) - 1


class Lease:
    """A lock that is held for as long as its holder renews it, and then for at most one lease."""

    def __init__(
        self, exchange: Exchange, settled: Callable[[], Awaitable[None]], seconds: float, word: int, renewed_at: float
    ) -> None:
        self._exchange = exchange
        self._settled = settled
        self._seconds = seconds
        self._word = word
        # What may stand there instead, after an exchange of which nothing was heard.
        self._perhaps: Optional[int] = None
        self._renewed_at = renewed_at
        self._ended = False
        self._over = asyncio.Event()
        self._renewing = asyncio.ensure_future(self._renew())

    @property
    def held(self) -> bool:
        """Nobody else can have the lock now. A holder that finds False stops what the lock is for."""
        now = asyncio.get_running_loop().time()
        return not self._ended and now < self._renewed_at + _BELIEVED * self._seconds

    async def release(self) -> bool:
        """Gives the lock back after all earlier calls on the process. False: it was lost before, and stays as it is."""
        if not self._ended:
            await self._settled()
        was_ended, self._ended = self._ended, True
        self._over.set()
        await self._renewing
        return not was_ended and await self._replace(True)

    async def _renew(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._ended:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._over.wait(), self._seconds / _RENEWALS)
                return
            began = loop.time()
            try:
                if await self._replace(False):
                    self._renewed_at = began
                else:
                    self._ended = True
            except OperationError:
                # Nothing was heard: asked again, for as long as there is a chance.
                if not self.held:
                    self._ended = True

    async def _replace(self, with_0: bool) -> bool:
        """Puts a new word in place of this lease's, or 0; whether this lease's was there."""
        while True:
            word = self._word
            if self._perhaps is None:
                self._perhaps = (word + 2) & _MASK
            wanted = 0 if with_0 else self._perhaps
            found = await self._exchange(word, wanted)
            if found == word:
                self._word, self._perhaps = wanted, None
                return True
            if found != self._perhaps:
                return False
            # Done before: it may be old, and is no sign of life now.
            self._word, self._perhaps = found, None


async def take_lease(
    exchange: Exchange, settled: Callable[[], Awaitable[None]], seconds: float, timeout: Optional[float], where: str
) -> Lease:
    """Takes the lock when its word is 0, or has stayed the same for `seconds`: then its holder is gone."""
    loop = asyncio.get_running_loop()
    begin, mine, pause = loop.time(), secrets.randbits(64) | 1, seconds / 64
    seen, since, over = 0, begin, False
    while True:
        began, compare = loop.time(), seen if over else 0
        found = await exchange(compare, mine)
        if found == compare:
            return Lease(exchange, settled, seconds, mine, began)
        now = loop.time()
        if found != seen:
            seen, since = found, now
        over = found != 0 and now - since >= seconds
        if found == 0 or over:
            continue
        if timeout is not None and now - begin > timeout:
            raise OperationError("lease", "TIMEOUT", "none", f"the lock at {where} was not free for {timeout} s")
        await asyncio.sleep(min(pause * random.uniform(0.5, 1), since + seconds - now))
        pause = min(2 * pause, seconds / 4)
