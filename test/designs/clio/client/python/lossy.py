"""Additions and writes over a bad network; prints the sum, the number of wrong reads and the retries."""

import asyncio
import sys

from mnemosyne_clio import Client, Options

ROUNDS, LANES = 25, 8


async def main():
    options = Options(timeout=0.1, slow_timeout=0.5, retries=1000, busy_retries=1000)
    async with await Client.open(sys.argv[1], int(sys.argv[2]), options) as client:
        p = await client.create_process("lossy")
        va = await p.alloc(4 << 20)
        wrong = 0

        async def lane(n):
            nonlocal wrong
            for i in range(ROUNDS):
                await p.fetch_and_add(va, 1)
                data = bytes([n * 16 + i & 255]) * 3000
                await p.write(va + 4096 * (n + 1), data)
                wrong += await p.read(va + 4096 * (n + 1), 3000) != data
            created = await p.kv.create(n, bytes([n]))
            wrong += not created or await p.kv.read(n) != bytes([n])

        await asyncio.gather(*map(lane, range(LANES)))
        total = await p.fetch_and_add(va, 0)
        await client.free_process(p)
        print(total, wrong, client.statistics.retries)


asyncio.run(main())
