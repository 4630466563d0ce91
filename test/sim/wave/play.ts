/** The same inputs for any simulator of `Waved`, and what its ports showed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../../hdl-dsl/index.ts";
import type { Program } from "../../../sim/index.ts";
import { Vcd } from "./vcd-reader.ts";

export const clocks = {
  default: { periodPs: 4000, phasePs: 0 },
  slow: { periodPs: 7001, phasePs: 1300 },
  free: { periodPs: 2500, phasePs: 500 },
};
const EDGES = 300;
/** Time at which both clocks have seen their resets, ps: before it registers hold what each simulator drew. */
const RESET_BY = 12_000;

export interface Run {
  readonly vcd: Vcd;
  /** Ports by name, as they stood from the edge at `time` to the next one. */
  readonly seen: readonly { readonly time: number; readonly ports: ReadonlyMap<string, bigint> }[];
}

export interface PlayOptions {
  /** Edge from which on there is a wave. */
  readonly from?: number;
  /** Inputs change and settle between edges, too, which no wave shows. */
  readonly settles?: boolean;
  /** Of what the design leaves open. */
  readonly seed?: number;
}

export function play(program: Program, folder: string, name: string, o: PlayOptions = {}): Run {
  const { from = 0, settles = false, seed = 3 } = o,
    path = join(folder, name),
    model = program.create({ seed, clocks, wave: { path, fromCycle: from } }),
    random = new Random(17),
    others = new Random(18);
  const seen: { time: number; ports: Map<string, bigint> }[] = [];
  const drive = (r: Random, edge: number): void => {
    for (const { port, word, words } of model.slots.values()) {
      if (port.dir !== "in") continue;
      if (port.role === "reset") {
        const on = edge < 6 || r.chance(0.03);
        model.words[word] = on === (port.activeLow !== true) ? 1 : 0;
      } else if (r.chance(0.7))
        for (let i = 0; i < words; i++) model.words[word + i] = r.below(2 ** Math.min(32, port.width - 32 * i));
    }
  };
  for (let edge = 0; edge < EDGES; edge++) {
    if (settles) {
      const before = model.words.slice();
      drive(others, 100);
      for (const s of model.slots.values()) if (s.port.role === "reset") model.words[s.word] = before[s.word] ?? 0;
      model.settle();
      for (const s of model.slots.values())
        if (s.port.dir === "in") model.words.set(before.subarray(s.word, s.word + s.words), s.word);
    }
    drive(random, edge);
    const time = model.timePs();
    model.step(1);
    const ports = new Map<string, bigint>();
    for (const { port, word, words } of model.slots.values()) {
      let value = 0n;
      for (let i = words - 1; i >= 0; i--) value = (value << 32n) | BigInt(model.words[word + i] ?? 0);
      ports.set(port.name, value);
    }
    if (edge >= from) seen.push({ time, ports });
  }
  model.free();
  return { vcd: new Vcd(readFileSync(path, "utf8")), seen };
}

/** Where a wave says something else than the ports did, and where the clocks are wrong. */
export function againstPorts({ vcd, seen }: Run): string[] {
  const wrong: string[] = [];
  for (const { time, ports } of seen)
    for (const [name, value] of ports)
      // Just before the next edge, and right after this one.
      for (const t of [time, time + 1])
        if (vcd.at(`TOP.Waved.${name}`, t) !== value)
          wrong.push(`${name} at ${t}: ${vcd.at(`TOP.Waved.${name}`, t)} in place of ${value}`);
  const first = vcd.times[0] ?? 0,
    last = seen.at(-1)?.time ?? 0;
  for (const [name, c] of [
    ["clk", clocks.default],
    ["slow_clk", clocks.slow],
  ] as const) {
    const due = (offset: number): number[] => {
      const list: number[] = [];
      for (let t = c.phasePs + c.periodPs + offset; t <= last; t += c.periodPs) if (t > first) list.push(t);
      return list;
    };
    const rises = vcd.rises(`TOP.Waved.${name}`).filter(t => t <= last),
      falls = vcd.falls(`TOP.Waved.${name}`).filter(t => t <= last);
    if (rises.join() !== due(0).join()) wrong.push(`${name} rises at ${rises.join()}`);
    if (falls.join() !== due(Math.ceil(c.periodPs / 2)).join()) wrong.push(`${name} falls at ${falls.join()}`);
  }
  return wrong;
}

/** Where two waves of one run differ, in what both have; clocks fall where each likes. */
export function againstWave(a: Run, b: Run): { readonly wrong: string[]; readonly compared: number } {
  return againstOpen([a], b);
}

/** The same of runs with several seeds: bits on which they differ depend on what the design leaves open. */
export function againstOpen(ours: readonly Run[], b: Run): { readonly wrong: string[]; readonly compared: number } {
  const wrong: string[] = [],
    [a] = ours as readonly [Run];
  let compared = 0;
  for (const [path, { width }] of a.vcd.variables) {
    if (/clk$/.test(path)) continue;
    if (!b.vcd.variables.has(path)) {
      wrong.push(`${path} is only in one`);
      continue;
    }
    if (width !== b.vcd.variables.get(path)?.width) wrong.push(`${path} has two widths`);
    for (const { time } of a.seen) {
      if (time < RESET_BY) continue;
      const x = a.vcd.at(path, time),
        y = b.vcd.at(path, time);
      let open = 0n;
      for (const r of ours) open |= (r.vcd.at(path, time) ?? 0n) ^ (x ?? 0n);
      if (open === 0n) compared++;
      if (x === undefined || y === undefined || ((x ^ y) & ~open) !== 0n)
        wrong.push(`${path} at ${time}: ${x} and ${y}`);
    }
  }
  return { wrong, compared };
}
