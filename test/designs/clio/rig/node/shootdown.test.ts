import { describe, expect, it } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { Scoreboard } from "../../../../../designs/clio/model/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { dissect, status } from "../../../../../designs/clio/wire/index.ts";
import { withNode } from "../../../../../designs/clio/rig/index.ts";
import type { SentFrame } from "../../../../../sim/index.ts";

/** Cycles that a shootdown takes to the hardware. */
const WAY = 200;

interface Outcome {
  /** Faults that the reference model found. */
  readonly problems: readonly string[];
  readonly ok: number;
  readonly invalid: number;
  /** Shootdowns that the hardware acknowledged. */
  readonly shootdowns: number;
}

/**
 * Reads of one page at line rate, while the slow path frees it. Its frame goes at once to another process, which has
 * its own data there.
 * @param impatient the slow path does not wait for the hardware's acknowledgement
 */
function freeUnderFire(seed: number, impatient: boolean): Promise<Outcome> {
  const settings = makeSettings(),
    page = BigInt(settings.config.pageSize),
    scoreboard = new Scoreboard(settings.config, settings.runtime);
  // Three frames: one the offloads' would have, with fewer than four none is kept for them.
  return withNode(
    "free under fire",
    settings,
    { seed, wave: false, slowPath: { observer: scoreboard, pages: 3 } },
    async node => {
      const {
          bench,
          transport,
          slowPath: { memory },
        } = node,
        client = new FrameClient(clientEndpoint(0), settings.runtime);
      // The way to the hardware is long, as on a board; to wait for its answer is then what keeps frames apart.
      const shootdown = transport.shootdown.bind(transport);
      transport.shootdown = async (pid, vpn) => {
        const acknowledged = bench.cycles(WAY).then(() => shootdown(pid, vpn));
        if (!impatient) await acknowledged;
      };
      const map = async (pid: number) =>
        memory.allocate({ pid, address: page, length: page, vregion: 0n, write: true });
      await map(1);
      const entering: SentFrame[] = [];
      let ok = 0,
        invalid = 0;
      bench.onEdge({
        sample: () => {
          for (let f = node.take(); f !== undefined; f = node.take()) {
            scoreboard.reply(f.bytes, f.end);
            const code = dissect(f.bytes).clio?.status;
            if (code === status.OK) ok++;
            if (code === status.INVALID) invalid++;
          }
          for (let e = entering[0]; e?.end !== undefined; e = entering[0]) {
            entering.shift();
            scoreboard.issue(e.bytes, e.end);
          }
        },
      });
      const send = (frame: Uint8Array): void => {
        entering.push(node.send(frame));
      };
      send(client.write(1, page, new Uint8Array(64).fill(0xa5)));
      await bench.until(() => ok === 1);
      for (let i = 0; i < 600; i++) send(client.read(1, page, 64));
      await bench.until(() => ok > 100);
      await memory.free(1, page, page);
      // The next fault takes the frame: the buffer holds no other.
      await map(2);
      send(client.write(2, page, new Uint8Array(64).fill(0x5a)));
      await bench.until(() => entering.length === 0 && scoreboard.outstanding === 0);
      await node.settled();
      scoreboard.quiesce(bench.cycle);
      const counters = await node.counters();
      return { problems: [...scoreboard.finish()], ok, invalid, shootdowns: Number(counters.shootdowns) };
    },
  );
}

describe("a page that is freed while it is read at line rate", () => {
  it.each([1, 2])(
    "is gone for every read after it, and what its process reads is never another's (seed %i)",
    async seed => {
      const r = await freeUnderFire(seed, false);
      expect(r.problems).toEqual([]);
      expect(r.shootdowns).toBe(1);
      expect(r.ok).toBeGreaterThan(100);
      expect(r.invalid).toBeGreaterThan(100);
      expect(r.ok + r.invalid).toBe(602);
    },
  );
  it("planted fault: a slow path that does not wait for the acknowledgement is seen by the model", async () => {
    const r = await freeUnderFire(1, true);
    expect(r.problems.length).toBeGreaterThan(0);
    expect(r.problems[0]).toMatch(/READ/);
  });
});
