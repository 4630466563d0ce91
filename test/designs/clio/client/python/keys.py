"""A process with a key, at the node of argv[1], port argv[2]: its owner, one who was told, and strangers."""

import asyncio
import sys

from mnemosyne_clio import Client, ClientError, OperationError, Options

OPTIONS = Options(timeout=5, slow_timeout=10)


async def refused(what):
    try:
        await what
    except OperationError as e:
        assert e.reason == "INVALID", e.reason
        return
    raise AssertionError("not refused")


async def main():
    async with await Client.open(sys.argv[1], int(sys.argv[2]), OPTIONS) as client:
        async with await Client.open(sys.argv[1], int(sys.argv[2]), OPTIONS) as other:
            p = await client.create_process("owner")
            assert p.key and client.process(p.pid, p.key).key == p.key
            va = await p.alloc(4 << 20)
            data = bytes(i * 11 & 255 for i in range(5000))
            await p.write(va, data)
            for key in (None, p.key ^ 1, 0, (1 << 64) - 1):
                q = other.process(p.pid, key)
                await refused(q.read(va, 8))
                await refused(q.write(va, b"x"))
                await refused(q.fetch_and_add(va, 1))
                await refused(q.free(va, 4 << 20))
                await refused(other.free_process(q))
            told = other.process(p.pid, p.key)
            assert await told.read(va, len(data)) == data
            await client.free_process(p)
            await refused(told.read(va, 8))
            try:
                other.process(p.pid, 1 << 64)
            except ClientError as e:
                assert "give a whole number from 0 to" in str(e)
            else:
                raise AssertionError("a key of 65 bits is taken")
    print("done")


asyncio.run(main())
