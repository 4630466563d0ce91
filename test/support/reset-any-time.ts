import { expect, test } from "vitest";
import type { Ports } from "../../hdl-dsl/index.ts";
import { type Bench, type Dut, Random, runBench, simulate, type Simulation } from "../../sim/index.ts";
import { hangMs } from "./hang-ms.ts";

/** Bounds of the runs, and what of the outputs says nothing. */
export interface ResetOptions {
  readonly seed?: number;
  /** Cycles of the traffic that are kept at most; 600 by default. */
  readonly most?: number;
  /** Resets; 40 by default. */
  readonly resets?: number;
  /** Outputs, or the beginning of several names, with the port of one bit beside which they count; "" for never. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** Lanes of an output, and the ports that say whether they count; all of them always do where none is named. */
interface Watched {
  readonly name: string;
  readonly words: readonly number[];
  readonly when: number | undefined;
  /** Bits of the bytes that count, for the data of a beat. */
  readonly keep: number | undefined;
}

/**
 * The outputs of a design. A payload counts beside its valid, and so do fields beside a `valid` or `en` of the same
 * name. A byte counts beside its bit of `keep` or `strb`, everything else always.
 */
function outputsOf(sim: Simulation, beside: Readonly<Record<string, string>>): readonly Watched[] {
  const { slots } = sim.model,
    validOf = new Map<string, string>();
  const flags = [...slots.values()].filter(s => s.port.dir === "out" && /_(valid|en)$/.test(s.port.name));
  for (const { port } of flags.sort((a, b) => a.port.name.length - b.port.name.length))
    for (const name of slots.keys())
      if (name !== port.name && name.startsWith(port.name.replace(/(valid|en)$/, ""))) validOf.set(name, port.name);
  for (const s of sim.design.emitted.streams) {
    for (const own of [s.valid, s.ready]) validOf.delete(own);
    for (const field of s.payload) validOf.set(field, s.valid);
  }
  for (const name of slots.keys())
    for (const [key, by] of Object.entries(beside))
      if (name === key || name.startsWith(`${key}_`)) validOf.set(name, by);
  return [...slots.values()]
    .filter(s => s.port.dir === "out" && validOf.get(s.port.name) !== "")
    .map(s => {
      const [keep] = ["_keep", "_strb"].flatMap(end => {
        const bytes = slots.get(s.port.name.replace(/_data$/, end));
        return bytes !== undefined && bytes.port.width * 8 === s.port.width ? [bytes] : [];
      });
      return {
        name: s.port.name,
        words: Array.from({ length: s.words }, (_, i) => s.word + i),
        when: slots.get(validOf.get(s.port.name) ?? "")?.word,
        keep: keep?.word,
      };
    });
}

/** Whether an output is in both states of the ports the same, as far as it counts. */
function agree(out: Watched, now: Uint32Array, then: Uint32Array): boolean {
  if (out.when !== undefined && then[out.when] === 0) return true;
  return out.words.every((w, i) => {
    const other = (now[w] ?? 0) ^ (then[w] ?? 0);
    if (out.keep === undefined || other === 0) return other === 0;
    const bytes = (then[out.keep + (i >> 3)] ?? 0) >>> (4 * (i & 7));
    return [0, 1, 2, 3].every(k => ((bytes >> k) & 1) === 0 || ((other >>> (8 * k)) & 255) === 0);
  });
}

/** All ports at each edge of the traffic, from the end of the reset on. */
function record<P extends Ports>(
  dut: Dut<P>,
  seed: number,
  most: number,
  traffic: (b: Bench<P>) => Promise<unknown>,
): Promise<readonly Uint32Array[]> {
  return runBench("traffic before a reset", dut, { seed, wave: false }, async b => {
    const rows: Uint32Array[] = [];
    b.onEdge({ sample: () => void rows.push(b.sim.model.words.slice()) });
    await b.race<unknown>([() => traffic(b), () => b.until(() => rows.length >= most)]);
    return rows.slice(0, most);
  });
}

/** Resets of one edge, each somewhere in the traffic. @throws when an output differs from that of the first run */
export async function resetAnyTime<P extends Ports>(
  dut: Dut<P>,
  o: ResetOptions,
  traffic: (b: Bench<P>) => Promise<unknown>,
): Promise<void> {
  const { seed = 1, most = 600, resets = 40, beside = {} } = o,
    rows = await record(dut, seed, most, traffic),
    sim = await simulate(dut, { seed }),
    random = new Random(seed);
  try {
    const { words, slots } = sim.model,
      outputs = outputsOf(sim, beside),
      inputs = [...slots.values()]
        .filter(s => s.port.dir === "in")
        .flatMap(s => Array.from({ length: s.words }, (_, i) => s.word + i));
    // A reset of the traffic's own is played as well.
    const drive = (row: Uint32Array): void => inputs.forEach(w => (words[w] = row[w] ?? 0));
    for (let n = 0; n <= resets; n++) {
      // The last one is followed by all of the traffic.
      const end = n === resets ? rows.length : random.between(1, rows.length - 1);
      for (const [at, row] of rows.slice(0, end).entries()) {
        drive(row);
        sim.step();
        for (const out of outputs) {
          if (!agree(out, words, row))
            expect.fail(`${out.name} differs ${at + 1} cycles after reset ${n} from what it was after the first one`);
        }
      }
      drive(rows[Math.min(end, rows.length - 1)] as Uint32Array);
      sim.reset(1);
    }
  } finally {
    sim.free();
  }
}

/**
 * A test: after a reset of one edge, in whatever cycle of the traffic, the design does the same as after the first
 * one. The traffic's inputs are played again, and the outputs are compared in each cycle.
 */
export function testOfResets<P extends Ports>(
  dut: Dut<P>,
  o: ResetOptions,
  traffic: (b: Bench<P>) => Promise<unknown>,
): void {
  test("a reset of one edge in any cycle leaves nothing behind", () => resetAnyTime(dut, o, traffic), hangMs);
}
