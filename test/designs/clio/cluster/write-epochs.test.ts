/** Region that was written longest ago, as the slow path finds it by looking. */
import { expect, test } from "vitest";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { FramePool } from "../../../../designs/shared/virtual-memory/software/index.ts";
import { MemoryManager, type RegionName, WriteEpochs } from "../../../../designs/clio/software/index.ts";
import { FakeHardware } from "../software/fake-hardware.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const page = 4096,
  regions: readonly RegionName[] = [1, 2, 3].map(region => ({ pid: 1, region }));

/** Three regions of four pages with frames, and their scanner; `odd`: its reads begin at an odd byte of its buffer. */
async function three(odd = false): Promise<{
  epochs: WriteEpochs;
  at: (region: number, n: number) => Promise<number>;
  write: (address: number, bytes: Uint8Array) => void;
  rests: () => number;
}> {
  const { config } = makeSettings({ pageSize: page, physicalMemory: 2 ** 20, freePageBuffer: 4 }),
    hardware = new FakeHardware(config);
  const pool = new FramePool(config.firstPpn, config.usablePages, page, (a, n) => hardware.zeroMemory(a, n)),
    memory = new MemoryManager(config, hardware, pool);
  await hardware.zeroMemory(config.tableBase, config.tableBytes);
  memory.createProcess(1);
  for (const { pid, region } of regions)
    await memory.allocate({
      pid,
      address: BigInt(region) << 30n,
      length: BigInt(4 * page),
      vregion: 0n,
      write: true,
      populate: true,
    });
  let rests = 0;
  const epochs = new WriteEpochs(
    config,
    memory,
    {
      readMemory: async (a, n) => {
        const bytes = await hardware.readMemory(a, n);
        if (!odd) return bytes;
        const out = new Uint8Array(n + 1);
        out.set(bytes, 1);
        return out.subarray(1);
      },
    },
    () => {
      rests++;
      return Promise.resolve();
    },
  );
  return {
    epochs,
    rests: () => rests,
    write: (address, bytes) => hardware.memory.write(address, bytes),
    at: async (region, n) => (await memory.translate(1, (BigInt(region) << 30n) + BigInt(n * page)))!,
  };
}

test.each([false, true])(
  "one bit that turns, two bytes that change places: seen, wherever they are (odd addresses: %s)",
  async odd => {
    const { epochs, at, write } = await three(odd),
      r = new Random(9),
      [x, y] = regions as [RegionName, RegionName];
    for (let round = 0; round < 60; round++) {
      const address = (await at(x.region, r.below(4))) + 8 * r.below(page / 8),
        before = r.bytes(8),
        after = before.slice(),
        k = r.below(7);
      write(address, before);
      write(await at(y.region, 0), r.bytes(8));
      await epochs.scan(regions);
      // Now only x changes, by as little as can be.
      if (r.chance(0.5) || after[k] === after[k + 1]) after[k] = after[k]! ^ (1 << r.below(8));
      else [after[k], after[k + 1]] = [after[k + 1]!, after[k]!];
      write(address, after);
      await epochs.scan(regions);
      expect(epochs.leastRecentlyWritten([x, y]), `round ${round}`).toEqual(y);
    }
  },
);
test("a look at much memory rests every 4 MB", async () => {
  const { epochs, rests } = await three();
  for (let n = 0; n < 100; n++) await epochs.scan(regions);
  // 12 pages of 4 KB each time.
  expect(rests()).toBe(Math.floor((100 * 12 * page) / 2 ** 22));
});
test("what was written again with what was there is no write; regions without frames are no choice", async () => {
  const { epochs, at, write } = await three();
  write(await at(1, 0), Uint8Array.of(1));
  await epochs.scan(regions);
  write(await at(1, 0), Uint8Array.of(1));
  write(await at(2, 0), Uint8Array.of(1));
  write(await at(3, 0), Uint8Array.of(1));
  await epochs.scan(regions);
  expect(epochs.leastRecentlyWritten(regions)).toEqual({ pid: 1, region: 1 });
  expect(epochs.leastRecentlyWritten([{ pid: 1, region: 7 }])).toBeUndefined();
});
