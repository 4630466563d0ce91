"""Every call of the client once or more, against a node at argv[1], port argv[2]."""

import asyncio
import sys

from mnemosyne_clio import Client, ClientError, OperationError, Options, Value

PAGE = 4 << 20
OPTIONS = Options(timeout=5, slow_timeout=10)


async def refused(what, kind, text):
    try:
        await what
    except kind as e:
        assert text in str(e), str(e)
        return e
    raise AssertionError(f"not refused: {text}")


async def memory(client):
    p = await client.create_process("memory")
    va = await p.alloc(2 * PAGE)
    data = bytes(i * 7 & 255 for i in range(20_000))
    await p.write(va + PAGE - 7000, data)
    assert await p.read(va + PAGE - 7000, len(data)) == data
    pieces = [bytes([i]) * 2000 for i in range(8)]
    await asyncio.gather(*(p.write(va + 2000 * i, piece) for i, piece in enumerate(pieces)))
    assert await asyncio.gather(*(p.read(va + 2000 * i, 2000) for i in range(8))) == pieces
    await p.fence()
    await p.free(va, 2 * PAGE)
    e = await refused(p.read(va, 1), OperationError, "READ: INVALID, no mapping at this address")
    assert (e.operation, e.reason, e.outcome) == ("READ", "INVALID", "none")
    fixed = await p.alloc(PAGE, writable=False)
    await refused(p.write(fixed, b"x"), OperationError, "WRITE: WRITE_PERM")
    await refused(p.write(fixed, b""), ClientError, "size is 0; give a whole number from 1")
    await refused(p.read(-1, 1), ClientError, "no range of addresses")
    await client.free_process(p)


async def words(client):
    p = await client.create_process("words")
    va = await p.alloc(PAGE)
    assert await p.test_and_set(va) == 0 and await p.test_and_set(va) == 1
    await p.atomic_store(va, 5)
    assert await p.compare_and_swap(va, 5, 9) == 5 and await p.compare_and_swap(va, 5, 1) == 9
    assert await p.fetch_and_add(va, -1) == 9 and await p.fetch_and_add(va, 0) == 8
    await refused(p.fetch_and_add(va + 1, 1), ClientError, "is no multiple of 8")
    lock, counter = va + 64, va + 128
    async with await Client.open(sys.argv[1], int(sys.argv[2]), OPTIONS) as other:
        shared = [p, other.process(p.pid, p.key)]

        async def add(q):
            for _ in range(5):
                async with q.locked(lock):
                    value = (await q.read(counter, 1))[0]
                    await q.write(counter, bytes([value + 1]))

        await asyncio.gather(*map(add, shared))
    assert await p.read(counter, 1) == b"\x0a"
    assert await p.test_and_set(lock) == 0
    await refused(p.lock(lock, timeout=0.05), OperationError, "was not free")
    # A lease: a living holder keeps it, and one that is gone does not.
    leased = va + 192
    lease = await p.lease(leased, 30)
    assert lease.held
    await refused(p.lease(leased, 30, timeout=0.05), OperationError, "was not free")
    assert await lease.release() and not lease.held
    assert int.from_bytes(await p.read(leased, 8), "little") == 0 and not await lease.release()
    await p.atomic_store(leased, 12345)
    lease = await p.lease(leased, 0.1)
    await p.atomic_store(leased, 7)
    assert not await lease.release()
    assert int.from_bytes(await p.read(leased, 8), "little") == 7
    await refused(p.lease(leased, 0), ClientError, "seconds = 0 is no time")
    await client.free_process(p)


async def pointers(client):
    p = await client.create_process("pointers")
    va = await p.alloc(PAGE)
    word = lambda *values: b"".join(v.to_bytes(8, "little") for v in values)  # noqa: E731
    # Nodes of 24 bytes: next, key, value.
    for i in range(5):
        await p.write(va + 64 * i, word(va + 64 * (i + 1) if i < 4 else 0, 100 + i, 7000 + i))
    found = await p.pointer_chase(va, node_size=24, next_offset=0, key=103, key_offset=8, value=Value(16, 8))
    assert found is not None and found.va == va + 192 and found.value == word(7003)
    assert await p.pointer_chase(va, node_size=24, next_offset=0, key=99, key_offset=8) is None
    third = await p.pointer_chase(va, node_size=24, next_offset=0, depth=3)
    assert third is not None and third.va == va + 128
    await refused(p.pointer_chase(va, node_size=24, next_offset=4), ClientError, "give a multiple of 8")
    got = await p.deref_read(va, 24)
    assert got.va == va + 64 and got.data[8:16] == word(101)
    assert await p.deref_write(va, word(0)) == va + 64
    assert await p.read(va + 64, 8) == word(0)
    await client.free_process(p)


async def keys(client):
    p = await client.create_process("keys")
    assert await p.kv.create(1, b"one") and not await p.kv.create(1, b"again")
    assert await p.kv.read(1) == b"one" and await p.kv.read(2) is None
    assert await p.kv.update(1, b"eins") and not await p.kv.update(2, b"zwei")
    assert await p.kv.read(1) == b"eins"
    assert await p.shared_kv.read(1) is None
    assert await p.kv.delete(1) and not await p.kv.delete(1)
    made = await p.mv.create(8)
    assert await p.mv.append(made, b"first ok") == 1 and await p.mv.append(made, b"secondly") == 2
    assert await p.mv.read(made, 1) == b"first ok" and await p.mv.read(made, 3) is None
    latest = await p.mv.latest(made)
    assert latest is not None and (latest.version, latest.value) == (2, b"secondly")
    assert await p.mv.delete(made) and await p.mv.latest(made) is None
    await client.free_process(p)


async def same_port_again():
    """A program's port goes to the next one, whose operations are none of the first's."""
    local = None
    for n in range(40):
        opened = await Client.open(sys.argv[1], int(sys.argv[2]), OPTIONS, local=local)
        async with opened as client:
            local = client.local
            p = await client.create_process("again")
            va = await p.alloc(PAGE)
            await p.write(va, bytes([n]))
            assert await p.read(va, 1) == bytes([n])
            await client.free_process(p)


async def main():
    async with await Client.open(sys.argv[1], int(sys.argv[2]), OPTIONS) as client:
        assert await client.ping(b"echo") == b"echo"
        for part in (memory, words, pointers, keys):
            await part(client)
            print(part.__name__)
        await same_port_again()
        assert (await client.query_stat())["writes"] > 0
        await refused(client.create_process("x" * 64), ClientError, "at most 63 fit")
    quick = Options(timeout=0.02, retries=1)
    async with await Client.open(sys.argv[1], 9, quick) as nobody:
        await refused(nobody.ping(), OperationError, "the request and 1 retries; nobody listens there")
    try:
        Options(window=0)
    except ClientError as e:
        assert str(e) == "window is 0; give a whole number from 1 to 256"
    print("done")


asyncio.run(main())
