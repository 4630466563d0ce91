"""Memory, words and keys of a node at argv[1], port argv[2], each looked at."""

import asyncio
import sys

from mnemosyne_clio import Client, Options

PAGE = 4 << 20


async def main():
    async with await Client.open(sys.argv[1], int(sys.argv[2]), Options(timeout=20, slow_timeout=30)) as client:
        p = await client.create_process("words")
        va = await p.alloc(2 * PAGE)
        data = bytes(i * 7 & 255 for i in range(5000))
        await p.write(va + PAGE - 2000, data)
        assert await p.read(va + PAGE - 2000, len(data)) == data
        for i in range(5):
            assert await p.fetch_and_add(va, 2) == 2 * i
        assert await p.compare_and_swap(va, 10, 7) == 10
        keys = p.kv
        assert await keys.create(5, b"five") and not await keys.create(5, b"again")
        assert await keys.update(5, b"fifth") and await keys.read(5) == b"fifth"
        assert await keys.delete(5) and await keys.read(5) is None
        await client.free_process(p)
    print("done")


asyncio.run(main())
