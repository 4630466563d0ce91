/**
 * Random small modules straight in the intermediate representation: registers, state machines, memories, instances,
 * switches, vectors, signed values.
 */
import type { Circuit, ClockDomain, Instance, Memory, Signal, Stmt, WritePort } from "../../../hdl-dsl/ir/circuit.ts";
import type { Const, Expr } from "../../../hdl-dsl/ir/expr.ts";
import { assign, circuit, defaultDomain, type Dice, Expressions, pattern, readOf, signal } from "../support/random.ts";
import { Choices } from "./choices.ts";

const asyncDomain: ClockDomain = { name: "slow", clock: "slow_clk", reset: "slow_rst", kind: "async" };
const lowDomain: ClockDomain = { name: "low", clock: "low_clk", reset: "low_rst_n", kind: "sync", low: true };
const asyncLowDomain: ClockDomain = {
  name: "slow_low",
  clock: "slow_low_clk",
  reset: "slow_low_rst_n",
  kind: "async",
  low: true,
};
const freeDomain: ClockDomain = { name: "free", clock: "free_clk", reset: undefined, kind: "none" };

const WIDTHS = [1, 2, 3, 4, 8, 16, 33, 64] as const;
/** Levels of nested statements. */
const OUTERMOST = 3;
const STATES = ["idle", "fetch", "run", "wait", "done"] as const;
const number = (value: bigint, width: number, label?: string): Const => ({
  kind: "const",
  value,
  width,
  signed: false,
  label,
});
const bit = (e: Expr, lo: number): Expr =>
  e.width === 1 && !e.signed ? e : { kind: "slice", a: e, lo, width: 1, signed: false };
const part = (s: Signal, width: number): Expr =>
  width === s.width ? readOf(s) : { kind: "slice", a: readOf(s), lo: 0, width, signed: false };
const cast = (e: Expr): Expr => (e.signed ? { kind: "cast", a: e, width: e.width, signed: false } : e);
/** Whether every address has a word; a constant address without one is beyond Icarus. */
const isWhole = (depth: number): boolean => 1 << addressBits(depth) === depth;
const addressBits = (depth: number): number => Math.max(1, Math.ceil(Math.log2(depth)));

/** Module names are `<name>` and, for a sub-module, `<name>_sub`. The same choices give the same module. */
export function programOf(choices: readonly number[], name: string): Circuit {
  return build(new Choices(choices), name, 1);
}

interface Machine {
  readonly state: Signal;
  readonly codes: readonly Const[];
}

function build(d: Dice, name: string, below: number): Circuit {
  const list = <T>(most: number, make: (i: number) => T): T[] =>
    Array.from({ length: d.below(most + 1) }, (_, i) => make(i));
  const signedness = (): boolean => d.chance(0.3);
  const domainOf = (): ClockDomain =>
    d.pick([defaultDomain, defaultDomain, defaultDomain, asyncDomain, lowDomain, asyncLowDomain, freeDomain]);

  const inputs = [
    signal("input", "i0", d.pick(WIDTHS), signedness()),
    signal("input", "we", 1),
    ...list(4, i => signal("input", `i${i + 1}`, d.pick(WIDTHS), signedness())),
  ];
  const pin = { write: signal("input", "wa", 3), mask: signal("input", "wm", 4), read: signal("input", "ra", 3) };
  const registers = list(4, i => {
    const width = d.pick(WIDTHS),
      domain = domainOf();
    return signal("reg", `r${i}`, width, signedness(), {
      domain,
      init: d.chance(0.04) ? undefined : pattern(d, width),
    });
  });
  const machine = d.chance(0.35) ? machineOf(d) : undefined;
  if (machine !== undefined) registers.push(machine.state);

  const lanes = d.chance(0.12) ? lanesOf(d) : undefined;
  if (lanes !== undefined) registers.push(lanes.word);

  const store = d.chance(0.4) ? storeOf(d) : undefined;
  if (store !== undefined) inputs.push(...Object.values(pin));
  const stored = [...inputs, ...registers, ...(store?.reads.map(r => r.data) ?? [])].map(readOf);
  const early = new Expressions(d, stored);
  if (store?.async === true)
    stored.push({
      kind: "memRead",
      memory: store.memory,
      address: isWhole(store.memory.depth)
        ? early.make(addressBits(store.memory.depth), false, 1)
        : part(pin.read, addressBits(store.memory.depth)),
      width: store.memory.width,
      signed: false,
    });

  const wires = list(3, i => signal("wire", `w${i}`, d.pick(WIDTHS), signedness()));
  const body: Stmt[] = [];
  const withWires = [...stored];
  for (const w of wires) {
    body.push(assign(w, new Expressions(d, withWires).make(w.width, w.signed, 1 + d.below(3))));
    withWires.push(readOf(w));
  }
  // Every bit from the one below it: no loop, although the vector reads itself.
  const signals: Signal[] = [];
  if (d.chance(0.1)) {
    const ripple = signal("wire", "ripple", 5),
      from = early.make(5, false, 1);
    signals.push(ripple);
    body.push(assign(ripple, bit(readOf(inputs[0] as Signal), 0)));
    for (let i = 1; i < 5; i++)
      body.push(
        assign(
          ripple,
          {
            kind: "binary",
            op: d.pick(["or", "xor", "and"]),
            a: bit(readOf(ripple), i - 1),
            b: bit(from, i),
            width: 1,
            signed: false,
          },
          i,
        ),
      );
    withWires.push(readOf(ripple));
  }

  const instances: Instance[] = [];
  const inner = new Expressions(d, withWires),
    all = [...withWires];
  const pins: Signal[] = [];
  if (below > 0 && d.chance(0.3)) {
    const sub = build(d, `${name}_sub`, below - 1);
    const copies = 1 + d.below(2);
    for (let n = 0; n < copies; n++) {
      const made: Instance = {
        name: `u${n}`,
        circuit: sub,
        connections: new Map<string, Signal>(),
        domains: new Map(sub.domains.map(x => [x.name, x])),
        position: undefined,
      };
      instances.push(made);
      for (const p of sub.signals) {
        if (p.kind !== "input" && p.kind !== "output") continue;
        const outside = signal(
          p.kind === "input" ? "instanceIn" : "instanceOut",
          `u${n}_${p.name}`,
          p.width,
          p.signed,
          { instance: made },
        );
        made.connections.set(p.name, outside);
        signals.push(outside);
        if (p.kind === "output") all.push(readOf(outside));
        else {
          pins.push(outside);
          body.push(assign(outside, inner.make(p.width, p.signed, d.below(3))));
        }
      }
    }
  }

  const outputs = [
    signal("output", "o0", d.pick(WIDTHS), signedness()),
    ...list(2, i => signal("output", `o${i + 1}`, d.pick(WIDTHS), signedness())),
  ];
  const late = new Expressions(d, all);
  for (const o of outputs) body.push(assign(o, late.make(o.width, o.signed, 1 + d.below(4))));
  // Stored values and outputs of sub-modules are observed, so no fault in there stays hidden.
  const seen = [
    ...registers,
    ...(store?.reads.map(r => r.data) ?? []),
    ...all.flatMap(e => (e.kind === "read" && e.signal.kind === "instanceOut" ? [e.signal] : [])),
  ];
  if (seen.length > 0) {
    const see = signal(
      "output",
      "see",
      seen.reduce((n, s) => n + s.width, 0),
    );
    signals.push(see);
    body.push(
      assign(
        see,
        seen.length === 1
          ? cast(readOf(seen[0] as Signal))
          : { kind: "concat", parts: seen.map(readOf), width: see.width, signed: false },
      ),
    );
  }
  // Registers have no say over wires that they do not know: a wire under a condition takes stored values.
  const plain = registers.filter(r => r !== machine?.state);
  const change = (): Stmt => {
    const s = d.pick([...outputs, ...plain, ...plain, ...wires, ...pins]);
    const from = s.kind === "wire" ? early : s.kind === "instanceIn" ? inner : late;
    if (s.width > 1 && d.chance(0.3)) {
      const width = 1 + d.below(s.width);
      return assign(s, from.make(width, false, d.below(3)), d.below(s.width - width + 1));
    }
    return assign(s, from.make(s.width, s.signed, d.below(4)));
  };
  const block = (depth: number): Stmt[] => list(2, () => statement(depth));
  const statement = (depth: number): Stmt => {
    // Without a condition it would hide what came before: seldom at the outermost level.
    if (depth <= 0 || !d.chance(depth === OUTERMOST ? 0.85 : 0.5)) return change();
    if (d.chance(0.5)) return switchOf(depth);
    return {
      kind: "if",
      cond: early.make(1, false, 2),
      then: [change(), ...block(depth - 1)],
      otherwise: d.chance(0.5) ? [change(), ...block(depth - 1)] : [],
      position: undefined,
    };
  };
  const switchOf = (depth: number): Stmt => {
    const on = early.make(2, false, 1);
    const labels = [0n, 1n, 2n, 3n].filter(() => d.chance(0.7));
    const cases: { labels: Expr[]; body: Stmt[] }[] = [];
    for (const value of labels) {
      const last = cases.at(-1);
      if (last !== undefined && d.chance(0.3)) last.labels.push(number(value, 2));
      else cases.push({ labels: [number(value, 2)], body: [change(), ...block(depth - 1)] });
    }
    return { kind: "switch", on, cases, otherwise: d.chance(0.5) ? [change()] : undefined, position: undefined };
  };
  for (const r of plain) if (d.chance(0.6)) body.push(assign(r, late.make(r.width, r.signed, 1 + d.below(4))));
  body.push(...list(8, () => statement(OUTERMOST)));
  if (lanes !== undefined) {
    const { word, width, count } = lanes,
      index = early.make(3, false, 1),
      value = late.make(width, false, d.below(3));
    const first = d.below(2);
    const all = Array.from({ length: count - first }, (_, i) => first + i).map((n): Stmt => ({
      kind: "if",
      cond: { kind: "binary", op: "eq", a: index, b: number(BigInt(n), 3), width: 1, signed: false },
      then: [assign(word, value, n * width)],
      otherwise: [],
      position: undefined,
    }));
    body.push(
      ...d.pick<Stmt[]>([
        all,
        [{ kind: "if", cond: early.make(1, false, 1), then: all, otherwise: [change()], position: undefined }],
        [{ kind: "if", cond: early.make(1, false, 1), then: [change()], otherwise: all, position: undefined }],
      ]),
    );
  }
  if (machine !== undefined) {
    const { state, codes } = machine;
    body.push({
      kind: "switch",
      on: readOf(state),
      otherwise: undefined,
      position: undefined,
      cases: codes.map((label, n) => ({
        labels: [label],
        body: [
          ...block(1),
          {
            kind: "if",
            cond: early.make(1, false, 2),
            then: [assign(state, codes[(n + 1) % codes.length] as Const)],
            otherwise: d.chance(0.5) ? [assign(state, d.pick(codes))] : [],
            position: undefined,
          },
        ],
      })),
    });
    body.push(
      assign(outputs[0] as Signal, {
        kind: "binary",
        op: "eq",
        a: readOf(state),
        b: d.pick(codes),
        width: 1,
        signed: false,
      }),
    );
  }
  if (store !== undefined) {
    const { memory, port, lanes } = store,
      width = addressBits(memory.depth);
    // Mostly straight from inputs of their own: reads and writes meet often.
    const from = (s: Signal, n: number): Expr => (isWhole(memory.depth) ? chosen(s, n) : part(s, n));
    const chosen = (s: Signal, n: number): Expr => (d.chance(0.7) ? part(s, n) : early.make(n, false, d.below(2)));
    // Under `we`, which is 0 during reset: the written value is known.
    const write = (): Stmt => ({
      kind: "memWrite",
      port,
      address: from(pin.write, width),
      data: late.make(memory.width, false, d.below(3)),
      mask: lanes === 1 ? undefined : from(pin.mask, lanes),
      position: undefined,
    });
    const more: Stmt[] = d.chance(0.3)
      ? [
          {
            kind: "if",
            cond: early.make(1, false, 1),
            then: [write()],
            otherwise: d.chance(0.5) ? [write()] : [],
            position: undefined,
          },
        ]
      : [];
    body.push({
      kind: "if",
      cond: readOf(inputs[1] as Signal),
      then: [write(), ...more],
      otherwise: [],
      position: undefined,
    });
    for (const r of store.reads)
      memory.readPorts.push({
        memory,
        data: r.data,
        address: from(d.chance(0.5) ? pin.read : pin.write, width),
        enable: d.chance(0.4) ? early.make(1, false, 1) : undefined,
        domain: defaultDomain,
        position: undefined,
      });
  }
  const used = new Set([
    ...registers.map(r => r.domain as ClockDomain),
    ...(store === undefined ? [] : [defaultDomain]),
    ...instances.flatMap(i => [...i.domains.values()]),
  ]);
  const data = store?.reads.map(r => r.data) ?? [];
  return circuit(name, [...inputs, ...registers, ...data, ...wires, ...signals, ...outputs], body, {
    domains: [defaultDomain, asyncDomain, lowDomain, asyncLowDomain, freeDomain].filter(x => used.has(x)),
    memories: store === undefined ? [] : [store.memory],
    instances,
  });
}

function machineOf(d: Dice): Machine {
  const states = STATES.slice(0, 2 + d.below(STATES.length - 1)),
    width = addressBits(states.length);
  const state = signal("reg", "state", width, false, {
    init: BigInt(d.below(states.length)),
    states,
    domain: d.pick([defaultDomain, defaultDomain, asyncDomain, lowDomain, asyncLowDomain]),
  });
  return { state, codes: states.map((s, n) => number(BigInt(n), width, s)) };
}

/** A word of which one part is written, chosen by an index. */
function lanesOf(d: Dice): { readonly word: Signal; readonly width: number; readonly count: number } {
  const width = d.pick([4, 1, 3, 8]),
    count = d.pick([8, 4, 5, 7]);
  return { word: signal("reg", "word", width * count, false, { init: pattern(d, width * count) }), width, count };
}

interface Store {
  readonly memory: Memory;
  readonly port: WritePort;
  readonly lanes: number;
  readonly reads: readonly { readonly data: Signal }[];
  readonly async: boolean;
}

function storeOf(d: Dice): Store {
  const width = d.pick([8, 1, 4, 16, 12]),
    depth = d.pick([4, 2, 8, 4, 2, 3, 5, 1]);
  const writePorts: WritePort[] = [];
  const memory: Memory = {
    name: "store",
    width,
    depth,
    collision: d.pick(["new", "old", "new", "old", "undefined"] as const),
    style: d.pick(["auto", "distributed", "block"] as const),
    init: d.chance(0.95) ? Array.from({ length: d.below(depth + 1) }, () => pattern(d, width)) : undefined,
    position: undefined,
    writePorts,
    readPorts: [],
  };
  const port: WritePort = { memory, domain: defaultDomain, position: undefined };
  writePorts.push(port);
  const reads = Array.from({ length: 1 + d.below(2) }, (_, i) => ({
    data: signal("memData", `q${i}`, width, false, { domain: defaultDomain }),
  }));
  return { memory, port, lanes: d.pick([1, 2, 4].filter(n => width % n === 0)), reads, async: d.chance(0.4) };
}
