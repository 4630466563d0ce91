/** Keys that were chosen to collide under a hash that their sender knows, and what they cost under one he does not. */
import { describe, expect, test } from "vitest";
import { halfSipHash, kvHash } from "../../../../designs/clio/model/index.ts";
import { ClioKv } from "../../../../designs/clio/offloads/kv/index.ts";
import { status } from "../../../../designs/clio/wire/index.ts";
import { designOf, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { kvParameters, KvRig } from "./kv-rig.ts";

const p = kvParameters({ buckets: 64 }),
  known = 0x0706_0504_0302_0100n,
  count = 80;
/** Keys of one bucket and one fingerprint under the known secret. */
const chosen: readonly bigint[] = (() => {
  const keys: bigint[] = [],
    place = { buckets: p.buckets, secret: known },
    wanted = kvHash(1n, 0, place);
  for (let key = 1n; keys.length < count; key++) {
    const h = kvHash(key, 0, place);
    if (h.bucket === wanted.bucket && h.fingerprint === wanted.fingerprint) keys.push(key);
  }
  return keys;
})();

/** @returns the cycles that the last CREATE takes, and a READ of it, one at a time */
async function cost(secret: bigint, design = designOf(ClioKv(p))): Promise<readonly [number, number]> {
  let taken: readonly [number, number] = [0, 0];
  await runBench("collisions", design, { wave: false, seed: 3, limitCycles: 2_000_000 }, async b => {
    const rig = new KvRig(b, p, { secret, latency: 60 });
    let last = 0;
    for (const key of chosen) {
      const done = await rig.alone("create", key, rig.value(30));
      expect(done.status).toBe(status.OK);
      last = done.cycles;
    }
    taken = [last, (await rig.alone("read", chosen[count - 1] as bigint)).cycles];
    await rig.finish();
  });
  return taken;
}
const bounds = ([create, read]: readonly [number, number]): void => {
  // Two or three round trips, a chain of three slots, or two keys with the same fingerprint.
  expect(create, "cycles of the last CREATE").toBeLessThan(500);
  expect(read, "cycles of its READ").toBeLessThan(500);
};

describe("chosen keys", () => {
  test("HalfSipHash-2-4 is as published: no byte, one and two, under the key 00 to 07", () => {
    const of = (n: number): number =>
      halfSipHash(
        known,
        Uint8Array.from({ length: n }, (_, i) => i),
        [2, 4],
      );
    expect([of(0), of(1), of(2)]).toEqual([0x5b9f35a9, 0xb85a4727, 0x03a662fa]);
  });
  test("under a secret that is known, 80 of them make each other slow; under another one they do not", async () => {
    const [create, read] = await cost(known),
      unknown = await cost(0x9e37_79b9_7f4a_7c15n);
    console.log(`known secret: CREATE ${create}, READ ${read} cycles; unknown: ${unknown.join(", ")}`);
    expect(create, "160 and more round trips").toBeGreaterThan(9000);
    expect(read).toBeGreaterThan(9000);
    bounds(unknown);
  });
  test("planted: the secret is not used", async () => {
    const deaf = plant(designOf(ClioKv(p)), /\.secret *\([^)]*\)/, ".secret(64'h0706050403020100)");
    await findsFault(cost(0x9e37_79b9_7f4a_7c15n, deaf).then(bounds), /cycles of|pairs|bucket/);
  });
});
