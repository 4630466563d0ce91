/** All functions of a design: its partitions, and what runs them. */
import type { BlockLayout } from "../layout.ts";
import { partitionCode, type Surroundings } from "./code/function.ts";
import { type Group, MemoryMap } from "./memory-map.ts";
import type { Check, Netlist, Register } from "./circuit/netlist.ts";
import { maskOf } from "./circuit/node.ts";
import { orderOf } from "./order.ts";
import { type Partition, partition, type Plan } from "./partition.ts";
import { Code, encodeModule, type Function } from "./code/wasm.ts";

export interface Generated {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly map: MemoryMap;
  readonly plan: Plan;
  /** Of a build with a profile: what one evaluation of a partition costs, and where its evaluations are counted. */
  readonly counted: readonly Counted[];
  /** By the number that a failing check gives. */
  readonly checks: readonly Check[];
}

export interface GenerateOptions {
  /** Whether partitions run only when something changed; by the size of the design when left out. */
  readonly gated?: boolean | undefined;
  /** Partitions are counted; they run on demand then, however small the design is. */
  readonly profile?: boolean;
}

export interface Counted {
  readonly partition: Partition;
  /** Bytes of code. */
  readonly cost: number;
  /** Address of the count, 64 bits. */
  readonly address: number;
}

/** Values of up to 64 bits, or a limb of a wider one: type and bits. */
const partsOf = (
  width: number,
): { readonly type: "i32" | "i64"; readonly offset: number; readonly lo: number; readonly bits: number }[] =>
  width <= 32
    ? [{ type: "i32", offset: 0, lo: 0, bits: width }]
    : Array.from({ length: Math.ceil(width / 64) }, (_, i) => ({
        type: "i64" as const,
        offset: 8 * i,
        lo: 64 * i,
        bits: Math.min(64, width - 64 * i),
      }));

export function generate(net: Netlist, block: BlockLayout, options: GenerateOptions = {}): Generated {
  const plan = partition(net, options.profile === true ? true : options.gated),
    order = orderOf(plan),
    map = new MemoryMap(net, plan, order, block);
  const slots = [...block.slots.values()];
  const inputs = slots.filter(s => s.port.dir === "in"),
    outputs = slots.filter(s => s.port.dir === "out");
  const checks = plan.clocked.flatMap(p => p.checks);
  const functions: Function[] = [];
  const add = (f: Function): number => functions.push(f);
  const numbers = new Map<Partition, number>();
  const counted: Counted[] = [];
  const around: Surroundings = {
    plan,
    map,
    shadowed: order.shadowed,
    outputAt: i => ({ address: 4 * (outputs[i]?.word ?? 0), words: outputs[i]?.words ?? 0 }),
    checkNumber: (q, n) => checks.indexOf(q.checks[n] as Check),
  };
  for (const p of plan.all) {
    const code = partitionCode(p, around);
    if (options.profile === true) {
      const address = map.take(8);
      counted.push({ partition: p, cost: code.size, address });
      count(code, address);
    }
    numbers.set(p, add({ parameters: 0, code }));
  }
  const setFlags = (code: Code, list: Iterable<Partition>): void => {
    if (!plan.gated) return;
    for (const flag of map.flagsOf(list)) {
      code.i32(0);
      code.i32(1);
      code.store("i32", flag);
    }
  };
  /** What runs if a flag is set, which is clear from then on. */
  const demanded = (code: Code, flag: number, body: () => void): void => {
    code.loadAt("i32", flag);
    code.if();
    code.i32(0);
    code.i32(0);
    code.store("i32", flag);
    body();
    code.end();
  };
  const call = (code: Code, p: Partition): void => {
    const run = (): void => code.call(numbers.get(p) as number);
    if (plan.gated) demanded(code, map.flags.get(p) as number, run);
    else run();
  };
  const callGroup = (code: Code, g: Group): void => {
    const all = (): void => {
      for (const p of g.partitions) call(code, p);
    };
    if (g.flag === undefined) all();
    else demanded(code, g.flag, all);
  };

  const resets = net.clocks.map(k => ({
    clock: k,
    sync: resetFunction(k.index, r => r.style === "sync"),
    async: resetFunction(k.index, r => r.style === "async"),
  }));
  function resetFunction(clock: number, which: (r: Register) => boolean): number | undefined {
    const list = net.registers.filter(r => r.clock.index === clock && r.clock.reset !== undefined && which(r));
    if (list.length === 0) return undefined;
    const code = new Code();
    for (const r of list)
      for (const at of [map.sources.get(r.source), map.shadows.get(r.source)]) {
        if (at === undefined) continue;
        for (const p of partsOf(r.source.width)) {
          code.i32(0);
          code.constant(p.type, ((r.init ?? 0n) >> BigInt(p.lo)) & maskOf(p.bits));
          code.store(p.type, at + p.offset);
        }
      }
    setFlags(code, plan.all);
    return add({ parameters: 0, code });
  }
  const whenReset = (code: Code, r: (typeof resets)[number], functions: readonly (number | undefined)[]): void => {
    const there = functions.filter(f => f !== undefined);
    if (there.length === 0 || r.clock.reset === undefined) return;
    code.loadAt("i32", map.sources.get(r.clock.reset) as number);
    if (r.clock.low) code.op("i32", "eqz");
    code.if();
    for (const f of there) code.call(f);
    code.end();
  };

  const settle = new Code();
  net.inputs.forEach(({ source }, n) => {
    const slot = inputs[n];
    if (slot === undefined) return;
    readInput(settle, source.width, 4 * slot.word, map.sources.get(source) as number, plan.gated, () =>
      setFlags(settle, plan.readers.get(source) ?? []),
    );
  });
  for (const r of resets) whenReset(settle, r, [r.async]);
  for (const g of map.groups.settling) callGroup(settle, g);

  const tick = new Code(1);
  const rising = (clock: number | undefined, body: () => void): void => {
    if (net.clocks.length <= 1) {
      body();
      return;
    }
    tick.get(0);
    tick.i32(1 << (clock ?? 0));
    tick.op("i32", "and");
    tick.if();
    body();
    tick.end();
  };
  for (const g of map.groups.edge) rising(g.clock, () => callGroup(tick, g));
  const commits = (p: Partition): void => {
    const body = new Code();
    for (const r of p.registers) commit(body, r, map, () => setFlags(body, plan.readers.get(r.source) ?? []));
    const f = add({ parameters: 0, code: body });
    demanded(tick, map.commits.get(p) as number, () => tick.call(f));
  };
  for (const g of map.groups.commits) {
    const all = (): void => g.partitions.forEach(commits);
    if (g.flag === undefined) all();
    else demanded(tick, g.flag, all);
  }
  for (const r of resets) rising(r.clock.index, () => whenReset(tick, r, [r.sync, r.async]));

  const settleNumber = add({ parameters: 0, code: settle, export: "settle" }),
    tickNumber = add({ parameters: 1, code: tick, export: "tick" });
  add({ parameters: 1, code: runCode(settleNumber, tickNumber, map.done), export: "run" });
  return { bytes: encodeModule(functions, map.pages), map, plan, counted, checks };
}

/** Adds 1 to a count in memory. */
function count(code: Code, address: number): void {
  code.i32(0);
  code.loadAt("i64", address);
  code.i64(1n);
  code.op("i64", "add");
  code.store("i64", address);
}

/** Takes an input from the bench's lanes; bits above its width count for nothing. */
function readInput(code: Code, width: number, from: number, to: number, gated: boolean, changed: () => void): void {
  const parts = partsOf(width);
  const locals = parts.map(p => {
    const l = code.local(p.type);
    // The last limb may have one lane only: the lane after it is another port's.
    if (p.type === "i64" && p.bits <= 32) {
      code.loadAt("i32", from + p.offset);
      code.widen();
    } else code.loadAt(p.type, from + p.offset);
    if (p.bits < (p.type === "i32" ? 32 : 64)) {
      code.constant(p.type, maskOf(p.bits));
      code.op(p.type, "and");
    }
    code.set(l);
    return l;
  });
  if (gated) {
    parts.forEach((p, i) => {
      code.get(locals[i] as number);
      code.loadAt(p.type, to + p.offset);
      code.op(p.type, "ne");
      if (i > 0) code.op("i32", "or");
    });
    code.if();
  }
  parts.forEach((p, i) => {
    code.i32(0);
    code.get(locals[i] as number);
    code.store(p.type, to + p.offset);
  });
  if (gated) {
    changed();
    code.end();
  }
}

/** Moves a register from its second place, where it differs. */
function commit(code: Code, r: Register, map: MemoryMap, changed: () => void): void {
  const from = map.shadows.get(r.source),
    to = map.sources.get(r.source) as number;
  if (from === undefined) return;
  const parts = partsOf(r.source.width);
  parts.forEach((p, i) => {
    code.loadAt(p.type, from + p.offset);
    code.loadAt(p.type, to + p.offset);
    code.op(p.type, "ne");
    if (i > 0) code.op("i32", "or");
  });
  code.if();
  for (const p of parts) {
    code.i32(0);
    code.loadAt(p.type, from + p.offset);
    code.store(p.type, to + p.offset);
  }
  changed();
  code.end();
}

/** `n` edges of the one clock; how many were done stands in memory, also when a check ends them. */
function runCode(settle: number, tick: number, done: number): Code {
  const code = new Code(1);
  code.i32(0);
  code.i32(0);
  code.store("i32", done);
  code.loop();
  code.get(0);
  code.if();
  code.call(settle);
  code.i32(0);
  code.loadAt("i32", done);
  code.i32(1);
  code.op("i32", "add");
  code.store("i32", done);
  code.i32(1);
  code.call(tick);
  code.get(0);
  code.i32(1);
  code.op("i32", "sub");
  code.set(0);
  code.br(1);
  code.end();
  code.end();
  return code;
}
