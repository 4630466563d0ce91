/**
 * Memories: the array, its write block, its clocked reads, and the bypass that "new" collision behaviour needs around
 * a read-first array.
 */
import type { Memory, ReadPort } from "../ir/circuit.ts";
import type { ResolvedWrite } from "../ir/resolve.ts";
import type { VExpr, VStmt } from "./ast.ts";
import type { ModuleContext } from "./module-context.ts";
import { bare, binary, concat, index, name, number, range, repeat, ternary, toUnsigned, unary } from "./nodes.ts";

const STYLE: Readonly<Record<Memory["style"], string | undefined>> = {
  block: "block",
  distributed: "distributed",
  ultra: "ultra",
  auto: undefined,
};

/** Lanes are written one by one, so that synthesis sees byte enables. */
const laneWidth = (m: Memory, mask: VExpr): number => m.width / mask.width;

export function memoryItems(c: ModuleContext, m: Memory, phase: "declare" | "clocked"): void {
  if (phase === "declare") declare(c, m);
  else clocked(c, m);
}

const bypassed = (m: Memory, r: ReadPort): boolean =>
  m.collision === "new" && m.writePorts.some(w => w.domain.name === r.domain.name);

function declare(c: ModuleContext, m: Memory): void {
  const style = STYLE[m.style];
  c.top.push({
    kind: "declare",
    what: "reg",
    name: c.names.memories.get(m) as string,
    width: m.width,
    signed: false,
    depth: m.depth,
    value: undefined,
    attributes: style === undefined ? [] : [["ram_style", style]],
    position: m.position,
  });
  for (const r of m.readPorts) c.top.push(c.declaration(r.data, bypassed(m, r) ? "wire" : "reg"));
}

function clocked(c: ModuleContext, m: Memory): void {
  const array = c.names.memories.get(m) as string;
  if (m.init !== undefined) {
    c.items.push({ kind: "blank" });
    for (let from = 0; from < m.depth; from += BLOCK)
      c.items.push({ kind: "initial", body: initialWords(c, m, m.init, from, Math.min(from + BLOCK, m.depth)) });
  }
  if (m.readPorts.some(r => r.own !== undefined)) {
    for (const r of m.readPorts) portBlock(c, m, r);
    return;
  }
  const blocks = new Map<string, { readonly clock: string; readonly body: VStmt[] }>();
  const blockOf = (domain: ReadPort["domain"]): VStmt[] => {
    let b = blocks.get(domain.name);
    if (b === undefined) blocks.set(domain.name, (b = { clock: c.clockOf(domain).clock, body: [] }));
    return b.body;
  };
  const forwards: {
    readonly read: ReadPort;
    readonly raw: VExpr;
    readonly forward: VExpr;
    readonly hit: VExpr;
    readonly mask: boolean;
  }[] = [];
  const writes = c.resolution.writes.filter(w => w.port.memory === m).map(w => ({ w, ...lowerWrite(c, m, w) }));
  for (const { w, bodies } of writes)
    if (bodies.length === 1) blockOf(w.port.domain).push(...(bodies[0] ?? []));
    else for (const body of bodies) alwaysOf(c, c.clockOf(w.port.domain).clock, body);
  for (const r of m.readPorts) {
    const text = c.nameOf(r.data).name;
    const address = toUnsigned(c.expressions.lowerShared(r.address, text, "address"));
    const enable = r.enable === undefined ? undefined : c.expressions.lowerShared(r.enable, text, "enable");
    const word = index(array, m.width, address, true);
    const body: VStmt[] = [];
    const set = (target: VExpr, value: VExpr): void => {
      body.push({ kind: "nonblocking", target, value, position: r.position });
    };
    const write = writes.find(w => w.w.port.domain.name === r.domain.name);
    if (!bypassed(m, r) || write === undefined) {
      set(c.nameOf(r.data), word);
      if (bypassed(m, r)) throw new Error(`memory "${m.name}" has a write port that writes nothing`);
    } else {
      const hitWidth = write.mask?.width ?? 1;
      const helper = (suffix: string, width: number): VExpr => {
        const n = c.names.table.helper([`${text}_${suffix}`]);
        c.top.push({
          kind: "declare",
          what: "reg",
          name: n,
          width,
          signed: false,
          depth: undefined,
          value: undefined,
          attributes: [],
          position: r.position,
        });
        return name(n, width);
      };
      const raw = helper("rd", m.width),
        forward = helper("fwd", m.width),
        hit = helper("hit", hitWidth);
      set(raw, word);
      set(forward, write.data);
      const same = sameNumber(write.address, address)
        ? write.enable
        : and(write.enable, binary("==", write.address, address));
      set(hit, write.mask === undefined ? same : binary("&", repeat(hitWidth, same), write.mask));
      forwards.push({ read: r, raw, forward, hit, mask: write.mask !== undefined });
    }
    blockOf(r.domain).push(
      ...(enable === undefined || isOne(enable)
        ? body
        : [{ kind: "if", cond: bare(enable), then: body, otherwise: [] } satisfies VStmt]),
    );
  }
  for (const b of blocks.values()) alwaysOf(c, b.clock, b.body);
  for (const f of forwards)
    c.items.push({
      kind: "assign",
      target: c.nameOf(f.read.data),
      value: forwarded(m, f.hit, f.forward, f.raw),
      position: f.read.position,
    });
}

function alwaysOf(c: ModuleContext, clock: string, body: VStmt[]): void {
  c.items.push({ kind: "blank" }, { kind: "always", clock, reset: undefined, body });
}

/** A port that reads and writes: a block of its own, as synthesis looks for it. */
function portBlock(c: ModuleContext, m: Memory, r: ReadPort): void {
  const array = c.names.memories.get(m) as string,
    data = c.nameOf(r.data),
    resolved = c.resolution.writes.find(w => w.port === r.own?.write);
  const enable = r.enable === undefined ? undefined : c.expressions.lowerShared(r.enable, data.name, "enable");
  const address = toUnsigned(c.expressions.lowerShared(r.address, data.name, "address"));
  const word = index(array, m.width, address, true);
  const write = resolved === undefined ? undefined : lowerWrite(c, m, resolved, data.name);
  const set = (value: VExpr): VStmt => ({ kind: "nonblocking", target: data, value, position: r.position });
  let read = set(word);
  if (write !== undefined && r.own?.reads === "new") {
    const hit = c.named(
      write.mask === undefined ? write.enable : binary("&", repeat(write.mask.width, write.enable), write.mask),
      data.name,
      "own",
    );
    if (hit.width === 1) read = set(ternary(hit, write.data, word));
    else {
      const before = c.named(word, data.name, "word");
      read = set(forwarded(m, hit, c.named(write.data, data.name, "data"), before));
    }
  }
  const on = enable === undefined || isOne(enable) ? undefined : enable,
    stays = write !== undefined && r.own?.reads === "unchanged" ? unary("~", write.enable) : undefined;
  const cond = on !== undefined && stays !== undefined ? binary("&", on, stays) : (on ?? stays);
  const reads: VStmt[] = cond === undefined ? [read] : [{ kind: "if", cond: bare(cond), then: [read], otherwise: [] }];
  alwaysOf(c, c.clockOf(r.domain).clock, [...(write?.bodies.flat() ?? []), ...reads]);
}

/** Words alike that are written by a loop. */
const FEWEST = 4;

/** Words that one block sets: the time that Yosys takes for a block grows with the square of its words. */
const BLOCK = 1024;

/** One assignment a word from `first` to before `end`; a loop for neighbours that are alike. */
function initialWords(c: ModuleContext, m: Memory, init: readonly bigint[], first: number, end: number): VStmt[] {
  const array = c.names.memories.get(m) as string,
    body: VStmt[] = [];
  for (let from = first, to = 0; from < end; from = to) {
    const value = init[from] ?? 0n;
    for (to = from + 1; to < end && (init[to] ?? 0n) === value; to++);
    const set = (at: VExpr): VStmt => ({
      kind: "blocking",
      target: index(array, m.width, at, true),
      value: number(value, m.width),
    });
    if (to - from >= FEWEST) {
      const variable = c.loopVariable();
      body.push({ kind: "for", variable, from, to, body: [set(range(name(variable, 32), 0, addressWidth(m)))] });
    } else for (let i = from; i < to; i++) body.push(set(number(BigInt(i), addressWidth(m))));
  }
  return body;
}

const isOne = (e: VExpr): boolean => e.kind === "number" && e.value === 1n;
const and = (a: VExpr, b: VExpr): VExpr => (isOne(a) ? b : binary("&", a, b));
const sameNumber = (a: VExpr, b: VExpr): boolean => a.kind === "number" && b.kind === "number" && a.value === b.value;
const addressWidth = (m: Memory): number => Math.max(1, Math.ceil(Math.log2(m.depth)));

/** Lanes that one block writes: the time that Yosys takes for a block grows with the square of its assignments. */
const LANES = 8;

/** The write as text, in one block or several, and the parts that a bypass needs. */
function lowerWrite(
  c: ModuleContext,
  m: Memory,
  w: ResolvedWrite,
  near = c.names.memories.get(m) as string,
): { bodies: VStmt[][]; enable: VExpr; address: VExpr; data: VExpr; mask: VExpr | undefined } {
  const array = c.names.memories.get(m) as string;
  const enable = c.expressions.lowerShared(w.enable, near, "write");
  const address = toUnsigned(c.expressions.lowerShared(w.address, near, "address"));
  let data = bare(c.expressions.lowerShared(w.data, near, "data"));
  let mask = w.mask === undefined ? undefined : c.expressions.lowerShared(w.mask, near, "mask");
  const target = index(array, m.width, address, true);
  const writes: VStmt[] = [];
  if (mask === undefined) writes.push({ kind: "nonblocking", target, value: data, position: w.port.position });
  else {
    mask = c.named(mask, near, "mask");
    data = c.named(data, near, "data");
    const width = laneWidth(m, mask);
    for (let lane = 0; lane < mask.width; lane++) {
      // Word and lane in one select: `store[address][15:8]`.
      const part: VExpr =
        mask.width === 1
          ? target
          : { kind: "lane", name: array, index: address, lo: lane * width, width, signed: false, cost: 2 };
      writes.push({
        kind: "if",
        cond: slice(mask, lane, 1),
        then: [
          { kind: "nonblocking", target: part, value: slice(data, lane * width, width), position: w.port.position },
        ],
        otherwise: [],
      });
    }
  }
  const parts = Array.from({ length: Math.ceil(writes.length / LANES) }, (_, n) =>
    writes.slice(n * LANES, (n + 1) * LANES),
  );
  return {
    bodies: parts.map(part => (isOne(enable) ? part : [{ kind: "if", cond: bare(enable), then: part, otherwise: [] }])),
    enable,
    address,
    data,
    mask,
  };
}

function slice(e: VExpr, lo: number, width: number): VExpr {
  if (e.kind === "number") return number(e.value >> BigInt(lo), width);
  if (e.kind !== "name") throw new Error("a lane needs a named vector");
  return range(e, lo, width);
}

function forwarded(m: Memory, hit: VExpr, forward: VExpr, raw: VExpr): VExpr {
  if (hit.width === 1) return ternary(hit, forward, raw);
  const width = laneWidth(m, hit);
  return concat(
    Array.from({ length: hit.width }, (_, i) => hit.width - 1 - i).map(lane =>
      ternary(slice(hit, lane, 1), slice(forward, lane * width, width), slice(raw, lane * width, width)),
    ),
  );
}
