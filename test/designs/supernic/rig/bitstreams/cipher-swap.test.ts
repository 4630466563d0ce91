/**
 * Encryption in a region that comes and goes: keys are given again with each launch, no nonce comes twice, and Node's
 * crypto opens what leaves (docs/supernic/reconfigure.md).
 */
import { describe, expect, it } from "vitest";
import { taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { planRegions } from "../../../../../designs/supernic/rig/device/index.ts";
import { taskWords } from "../../../../../designs/supernic/software/index.ts";
import { type Ciphers, file, read, withCiphers } from "../support/ciphers.ts";

const plan = (setup: ReturnType<typeof read>, regions = 1) =>
  planRegions(setup, regions, { taskOf: taskNamed, bitstreams: setup.bitstreams });

describe("a setup with keys for bitstreams", () => {
  it("chains that write payload come and go when they are named among the bitstreams, else they stay", () => {
    const setup = read(),
      { stays, bitstreams } = plan(setup);
    expect(setup.bitstreams).toEqual([["dummy"], ["seal"], ["encrypt"]]);
    expect([stays, bitstreams]).toEqual([[false], [["dummy"], ["seal"], ["encrypt"]]]);
    const [plain] = file.regions,
      loaded = read({ regions: [{ chain: "sealed", tasks: ["seal"] }], bitstreams: [plain, file.bitstreams[1]] });
    expect(loaded.bitstreams).toEqual([["dummy"], ["encrypt"]]);
    expect(plan(loaded).stays).toEqual([true]);
  });
  it("what would use a nonce twice is refused in a sentence", () => {
    const both = [...file.bitstreams, { chain: "again", tasks: ["seal"] }];
    expect(() => read({ bitstreams: both })).toThrow(
      "keys[0]: seal stands in bitstreams: sealed and bitstreams: again, and both would use the same nonces; leave one",
    );
    expect(() => read({ launch: undefined })).toThrow("launch: it is left out, and keys[0] makes nonces");
  });
  it("behind the last number of 24 bits nothing is launched, so that none begins anew", () => {
    const setup = read({ launch: 2 ** 23 - 1 }),
      launches = (more: number): number => taskWords("seal", setup, more).length;
    expect(launches(2 ** 23)).toBe(launches(0));
    expect(launches(2 ** 23 + 1)).toBe(launches(0) - 1);
    expect(launches(2 ** 24)).toBe(launches(0) - 1);
  });
});

// A device with two ciphers is built for it: MNEMO_LONG=1 runs it.
const isLong = process.env["MNEMO_LONG"] === "1";
if (!isLong) console.log("the device with ciphers that come and go is skipped: MNEMO_LONG=1 runs it");
describe.skipIf(!isLong)("ciphers in a region that comes and goes", () => {
  /** Loaded for its first frame, in turns with others, as a victim again, and killed. */
  const life = async (t: Ciphers): Promise<void> => {
    const { manager } = t;
    for (const dag of ["sealed", "crypted", "plain", "sealed", "crypted"] as const) await t.through(dag);
    expect(manager.counted).toMatchObject({ reprogrammed: 5, failed: 0 });
    await manager.stop(t.chain("crypted"));
    await t.through("crypted");
    expect(manager.counted).toMatchObject({ reprogrammed: 5, reused: 1 });
    // Killed with payloads on their way both ways.
    t.send(
      "crypted",
      Array.from({ length: 12 }, () => 1_300),
    );
    await t.device.bench.until(() => t.device.waiting(0) < 8);
    const killed = manager.kill(0);
    await t.out();
    expect(await killed).toBe("running");
    await t.through("crypted");
    await t.through("sealed");
  };
  it("Node opens every frame, no nonce comes twice, and all that was held comes back", async () => {
    const first = await withCiphers("ciphers", 77, life);
    expect(first.length).toBe(21);
    // Software that begins anew has a higher launch; with the same one it would use nonces twice.
    const second = await withCiphers("ciphers, again", 200, life);
    expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
    const same = await withCiphers("ciphers, the same launch", 77, life);
    expect(new Set([...first, ...same]).size).toBeLessThan(first.length + same.length);
  });
  it("a chain that comes back has no key until software gives it: the old one seals nothing more", () =>
    withCiphers("old key", 77, async t => {
      await t.through("sealed");
      await t.through("plain");
      const { rows } = t.device.managed ?? {};
      if (rows === undefined) throw new RangeError("its regions come and go");
      Object.assign(rows, { words: () => [] });
      t.send("sealed");
      expect(await t.out()).toEqual([]);
      expect((await t.device.counters()).middle["dropTask"]).toBe(3);
      await t.through("plain");
      Reflect.deleteProperty(rows, "words");
      await t.through("sealed");
    }));
  it("a planted fault is found: launches are not counted, and the task drops what would use a nonce twice", async () => {
    let came = 0;
    const lost = withCiphers("launches", 77, async t => {
      const { rows } = t.device.managed ?? {};
      if (rows === undefined) throw new RangeError("its regions come and go");
      Object.assign(rows, { words: (task: string) => taskWords(task, t.device.setup) });
      for (const dag of ["sealed", "plain", "sealed"] as const) {
        await t.through(dag);
        came++;
      }
    });
    // The second launch is no higher than the first one: the task refuses it.
    await expect(lost).rejects.toThrow(/length of 3 but got \+0/);
    expect(came).toBe(2);
  });
});
