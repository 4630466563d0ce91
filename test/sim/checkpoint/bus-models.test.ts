/** The bus models' parts of a checkpoint: whatever is under way in them when it is saved goes on as it did. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  bursts,
  type Checkpoint,
  EthernetMac,
  legalMemories,
  readCheckpoint,
  runBench,
  StreamSink,
  StreamSource,
  writeCheckpoint,
} from "../../../sim/index.ts";
import { axisWires, axiWires } from "../designs/wires.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-bus-models-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Models around a design, and what there is to see of them. */
interface Around {
  readonly done: () => boolean;
  readonly seen: () => unknown;
  /** Changes what a checkpoint has to bring back. */
  readonly spoil: () => void;
}

const axi = axiWires(64);
function memoryUnder(options: AxiRamOptions) {
  return (b: Bench<(typeof axi)["ports"]>, fill: boolean): Around => {
    const { sim, io } = b,
      pause = (n: number) => ({ pause: bernoulli(0.2, n) });
    const ram = new AxiRam(sim, axiPorts(io, "mem"), {
      latency: 9,
      errors: [{ from: 0x7000, to: 0x7400 }],
      pause: {
        aw: bernoulli(0.2, 11),
        w: bursts({ go: 9, pause: 4 }, 12),
        b: bernoulli(0.2, 13),
        r: bernoulli(0.3, 14),
      },
      ...options,
    });
    const aw = new StreamSource(sim, io.sAw, pause(1)),
      w = new StreamSource(sim, io.sW, pause(2)),
      ar = new StreamSource(sim, io.sAr, pause(4)),
      answers = new StreamSink(sim, io.sB, pause(3)),
      words = new StreamSink(sim, io.sR, pause(5));
    let beats = 0;
    const count = 90;
    for (let i = 0; fill && i < count; i++) {
      const n = b.random.between(1, 7),
        // Few pages, so that reads meet what was written.
        at = { addr: 0x6000 + 64 * b.random.below(64), id: b.random.below(4), len: n - 1, size: 3, burst: 1 };
      aw.send(at);
      for (let k = 0; k < n; k++)
        w.send({ data: b.random.bits(64), strb: b.random.bits(8), last: k === n - 1 ? 1 : 0 });
      ar.send({ ...at, addr: 0x6000 + 64 * b.random.below(64) });
    }
    return {
      done: () => {
        beats = ram.counts.readBeats;
        return ar.pending + aw.pending + w.pending === 0 && ram.idle && answers.received.length === count;
      },
      seen: () => [beats, ram.counts, answers.received, words.received, ram.read(0x6000, 0x2000)],
      spoil: () => {
        ram.write(0x6100, new Uint8Array(512).fill(0xee));
        ram.failAt({ from: 0, to: 0x8000 });
      },
    };
  };
}

const axis = axisWires(64);
function line(b: Bench<(typeof axis)["ports"]>, fill: boolean): Around {
  const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, {
    gbps: 10,
    pauseRx: bernoulli(0.2, 21),
    pauseTx: bursts({ go: 5, pause: 7 }, 22),
  });
  const count = 40;
  let late = 0;
  for (let i = 0; fill && i < count; i++)
    mac.send(b.random.bytes(b.random.between(1, 300)), { damaged: b.random.chance(0.2) });
  // Frames of later find the line as busy as it was.
  b.onEdge({
    sample: cycle => {
      if (cycle % 500 === 0 && late < 2) {
        late++;
        mac.send(new Uint8Array(64).fill(cycle / 500), { at: 0 });
      }
    },
    save: () => late,
    restore: n => {
      late = n as number;
    },
  });
  return {
    done: () => mac.pending === 0 && mac.received.length === count + 2,
    seen: () => mac.received.map(f => ({ ...f, bytes: [...f.bytes] })),
    spoil: () => {
      while (mac.take() !== undefined);
      mac.send(new Uint8Array(9000));
    },
  };
}

/** Saves at random moments; from each the run goes on as it did, in the same simulation and from a file in another. */
async function goesOn(
  design: typeof axi | typeof axis,
  around: (b: Bench<never>, fill: boolean) => Around,
): Promise<void> {
  const d = design as typeof axi;
  const make = around as unknown as (b: Bench<(typeof axi)["ports"]>, fill: boolean) => Around;
  const kept: Checkpoint[] = [];
  let end: unknown, cycle: number;
  const toEnd = async (b: Bench<(typeof axi)["ports"]>, m: Around): Promise<unknown> => {
    await b.until(m.done);
    return [b.cycle, structuredClone(m.seen())];
  };
  await runBench("saved", d, { wave: false, seed: 3 }, async b => {
    const m = make(b, true);
    for (let i = 0; i < 24; i++) {
      await b.cycles(b.random.between(1, 12));
      kept.push(b.sim.save());
    }
    end = await toEnd(b, m);
    cycle = b.cycle;
    for (const c of kept) {
      m.spoil();
      b.sim.restore(c);
      expect(await toEnd(b, m)).toEqual(end);
    }
  });
  for (const [i, c] of kept.entries()) {
    if (i % 8 !== 0) continue;
    const path = join(folder, `${i}.checkpoint`);
    writeCheckpoint(path, c);
    const checkpoint = readCheckpoint(path);
    await runBench("another day", d, { wave: false, checkpoint, seed: 8 }, async b => {
      const m = make(b, false);
      b.sim.restore(checkpoint);
      expect(await toEnd(b, m)).toEqual(end);
      expect(b.cycle).toBe(cycle);
    });
  }
}

describe("an AXI memory goes on with what is under way", () => {
  test.each(Object.entries({ "in order": {}, ...legalMemories }))("%s", async (_, options) => {
    await goesOn(axi, memoryUnder(options));
  });
});

test("an Ethernet MAC goes on in the middle of frames, its line as busy as it was", async () => {
  await goesOn(axis, line);
});
