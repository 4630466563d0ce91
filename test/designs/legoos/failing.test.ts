/** What a cache answers whose nodes or line memory do not work, and what it keeps of that. */
import { expect, test } from "vitest";
import { status } from "../../../designs/clio/wire/index.ts";
import { type ExCacheRig, withExCache } from "../../../designs/legoos/rig/index.ts";
import { ExCache } from "../../../designs/legoos/rtl/index.ts";
import type { Design } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small, traffic } from "./traffic.ts";

const all = (1n << 64n) - 1n,
  tries = 3;
const access = (rig: ExCacheRig, va: bigint, write = false): Promise<void> =>
  rig.ask({ asid: 1, va, write, strb: all, data: write ? va + 1n : 0n });

/** A node that is dead: what is fetched from it fails in a bounded time, what is dirty is kept until it is back. */
const dead = (design?: Design<ReturnType<typeof ExCache>["ports"]>): Promise<void> => {
  let isDead = false;
  const parameters = small({ tries });
  return withExCache(
    "dead",
    {
      parameters,
      seed: 1,
      wave: false,
      nodes: 2,
      doubtful: true,
      deaf: node => node === 1 && isDead,
      ...(design && { design }),
    },
    async rig => {
      const { bench, p } = rig,
        far = 1n << 30n,
        setBytes = BigInt(p.sets * p.lineBytes);
      await rig.begin([1], 2);
      await access(rig, far, true);
      await rig.settled();
      isDead = true;
      const before = rig.doubts.failures,
        from = bench.cycle;
      await access(rig, far + setBytes);
      // Lines of the other node are served meanwhile.
      await access(rig, 256n, true);
      await bench.until(() => rig.doubts.failures === before + 1);
      // Each try takes its time-out, and what is sent and prepared some cycles more.
      expect(bench.cycle - from).toBeLessThan((tries + 2) * (p.timeoutCycles + 40));
      // The dirty line leaves, and its node does not answer: it waits, whatever time that takes.
      rig.evict(0, 0);
      rig.evict(0, 1);
      await bench.cycles(3 * tries * p.timeoutCycles);
      expect(rig.nodes.written).toBe(0);
      expect(bench.io.busy.value).not.toBe(0);
      isDead = false;
      await rig.settled();
      await access(rig, far);
      await rig.settled();
      await rig.flush();
      rig.judge((_asid, va) => Number(va >> 30n));
      expect(rig.doubts.failures).toBe(before + 1);
      expect(bench.io.busy.value).toBe(0);
    },
  );
};
test("a dead node: fetches fail in a bounded time, dirty lines are kept until it is back", () => dead());
test("a planted fault: fetches are never given up", () =>
  findsFault(dead(plant(ExCache(small({ tries })), /(details_\d_tries) <= details_\d_tries \+ 4'd1;/, "$1 <= $1;"))));

/** A line memory that has failed and works again: from then on nothing fails, and nothing more is lost. */
const mended = (design?: Design<ReturnType<typeof ExCache>["ports"]>): Promise<void> => {
  const parameters = small({ lines: "axi" });
  return withExCache(
    "mended",
    { parameters, seed: 2, wave: false, doubtful: true, limitCycles: 200_000, ...(design && { design }) },
    async rig => {
      const { bench, p } = rig;
      await rig.begin([1], 1);
      for (let times = 0; times < 5; times++) {
        await traffic(rig, { storm: true, accesses: 60, asids: [1], evicts: 0.1 });
        const at = p.lineBytes * bench.random.below(p.sets * p.ways);
        rig.ram?.failAt({ from: at, to: at + 64 });
        await traffic(rig, { storm: true, accesses: 60, asids: [1], evicts: 0.1 });
        rig.ram?.mend();
        // What was lost or refused meanwhile comes out now.
        await rig.flush();
        const told = rig.events.length,
          failed = rig.doubts.failures;
        await traffic(rig, { storm: true, accesses: 200, asids: [1], evicts: 0.1 });
        await rig.flush();
        expect([rig.events.length, rig.doubts.failures]).toEqual([told, failed]);
      }
      expect(rig.events.length).toBeGreaterThan(0);
      expect(rig.doubts.failures).toBeGreaterThan(0);
      rig.judge();
    },
  );
};
test("a line memory that works again: nothing fails, and no more is lost", () => mended());
test.each([
  ["one victim that was lost loses all after it", "spoilt <= 1'b0;", "spoilt <= spoilt;"],
  ["a failure is another write's", "failures >> acked_first", "failures >> (acked_first + 4'd1)"],
] as const)("a planted fault: %s", (_, from, to) =>
  findsFault(mended(plant(ExCache(small({ lines: "axi" })), from, to))),
);

test("a dirty line that its node refuses is told to software, with the status", () =>
  withExCache("refused", { parameters: small(), seed: 3, wave: false }, async rig => {
    await rig.begin([1]);
    await access(rig, 0n, true);
    await rig.settled();
    rig.nodes.refuse = ({ write }) => (write ? status.OUT_OF_MEMORY : status.OK);
    await rig.flush();
    expect(rig.events).toEqual([{ kind: "flushRefused", status: status.OUT_OF_MEMORY, asid: 1, page: 0 }]);
  }));
