/** A partition as a function. */
import { Contexts } from "./contexts.ts";
import { guardsOf, type Next } from "./guards.ts";
import type { MemoryMap } from "../memory-map.ts";
import type { Register, Write } from "../circuit/netlist.ts";
import { arg, type Node, type Source, type Store } from "../circuit/node.ts";
import type { Partition, Plan } from "../partition.ts";
import { isWide, limbsOf, typeOf, usesTwice } from "./values.ts";
import { Code } from "./wasm.ts";
import { Wide } from "./wide.ts";

/** Nesting of an expression beyond which a part of it gets a local. */
const DEEPEST = 24;
/** Nesting of branches around register writes. */
const BRANCHES = 10;

/** Registers to write, under the conditions that they share. */
interface Writes {
  readonly context: number;
  readonly plain: Next[];
  readonly branches: { readonly cond: Node; readonly then: Writes; readonly otherwise: Writes }[];
}

export interface Surroundings {
  readonly plan: Plan;
  readonly map: MemoryMap;
  readonly shadowed: ReadonlySet<Source>;
  /** Where the lanes of output number `index` lie. */
  readonly outputAt: (index: number) => { readonly address: number; readonly words: number };
  /** Number of a check, for the function that is told of a failure. */
  readonly checkNumber: (p: Partition, n: number) => number;
}

/** The code of a partition. */
export function partitionCode(p: Partition, around: Surroundings): Code {
  return new PartitionWriter(p, around).write();
}

class PartitionWriter extends Wide {
  readonly #p: Partition;
  readonly #around: Surroundings;
  readonly #plan: Plan;
  readonly #own: ReadonlySet<Node>;
  /** Registers that this function writes in place: their old value is fetched before. */
  readonly #written: ReadonlySet<Source>;
  readonly #contexts = new Contexts();
  readonly #byContext = new Map<number, Node[]>();

  constructor(p: Partition, around: Surroundings) {
    super(new Code(), around.map);
    this.#p = p;
    this.#around = around;
    this.#plan = around.plan;
    this.#own = new Set(p.roots);
    this.#written = new Set(p.registers.map(r => r.source).filter(s => !around.shadowed.has(s)));
  }

  override addressOf(n: Node): number | undefined {
    if (!this.#isLoad(n)) return undefined;
    // Its order, its flag, and that the value is stored at all depend on this.
    if (this.#plan.readers.get(n.source ?? n)?.has(this.#p) !== true)
      throw new Error(`partition ${this.#p.id} reads ${n.source?.name ?? `node ${n.id}`}, of which it is not told`);
    return n.source === undefined ? this.map.values.get(n) : this.map.sources.get(n.source);
  }
  #isLoad(n: Node): boolean {
    return n.source !== undefined || (!this.#own.has(n) && this.map.values.has(n));
  }

  write(): Code {
    const p = this.#p;
    const tree = this.#tree(
      p.registers.map(register => ({ register, node: register.next })),
      Contexts.TOP,
      0,
    );
    this.#collect(tree);
    this.#context(Contexts.TOP);
    for (const n of p.roots) this.#publish(n);
    for (const o of p.outputs) this.#output(o.index, o.node);
    p.checks.forEach((c, i) => {
      if (c.fails.op === "const" && c.fails.value === 0n) return;
      this.push(c.fails);
      this.code.if();
      this.code.i32(this.#around.checkNumber(p, i));
      this.code.call(0);
      this.code.end();
    });
    this.#registers(tree);
    for (const w of p.writes) this.#writeMemory(w);
    return this.code;
  }

  // ---- where values are computed ----

  #tree(list: readonly Next[], context: number, depth: number): Writes {
    const out: Writes = { context, plain: [], branches: [] };
    const groups = new Map<Node, Next[]>();
    for (const x of list) {
      if (x.node.source === x.register.source) continue;
      if (depth < BRANCHES && !this.#isLoad(x.node) && holds(x.node, x.register.source, 3)) {
        const cond = arg(x.node, 0),
          group = groups.get(cond);
        if (group === undefined) groups.set(cond, [x]);
        else group.push(x);
      } else out.plain.push(x);
    }
    const branch = (into: Writes, cond: Node, group: readonly Next[]): void => {
      const side = (n: number): Writes =>
        this.#tree(
          group.map(x => ({ register: x.register, node: arg(x.node, n) })),
          this.#contexts.make(into.context),
          depth + 1,
        );
      into.branches.push({ cond, then: side(1), otherwise: side(2) });
    };
    // Many conditions that need the same thing are not even looked at without it.
    for (const [guard, conditions] of guardsOf(groups, n => this.#isLoad(n))) {
      const then: Writes = { context: this.#contexts.make(context), plain: [], branches: [] },
        otherwise: Writes = { context: this.#contexts.make(context), plain: [], branches: [] };
      out.branches.push({ cond: guard, then, otherwise });
      for (const cond of conditions) {
        branch(then, cond, groups.get(cond) ?? []);
        groups.delete(cond);
      }
    }
    for (const [cond, group] of groups) branch(out, cond, group);
    return out;
  }

  /** All values of the function with their contexts, and which of them get locals. */
  #collect(tree: Writes): void {
    const x = this.#contexts,
      p = this.#p;
    for (const n of p.roots) x.use(n, Contexts.TOP, 2);
    for (const o of p.outputs) x.use(o.node, Contexts.TOP, 2);
    for (const c of p.checks) x.use(c.fails, Contexts.TOP);
    for (const w of p.writes) {
      // The operands are used after the registers were written: they are put into locals.
      for (const n of [w.enable, w.address, w.data]) x.use(n, Contexts.TOP, 2);
      if (w.mask !== undefined) x.use(w.mask, Contexts.TOP, 2);
    }
    const need = (t: Writes): void => {
      for (const r of t.plain) x.use(r.node, t.context, 2);
      for (const b of t.branches) {
        x.use(b.cond, t.context);
        need(b.then);
        need(b.otherwise);
      }
    };
    need(tree);
    const nodes = this.#reached(tree);
    for (const n of nodes) {
      if (n.source !== undefined && this.#written.has(n.source)) x.toTop(n);
      if (!this.#isLoad(n)) x.operands(n, usesTwice);
    }
    x.settle();
    const depth = new Map<Node, number>();
    for (const n of nodes.reverse()) {
      if (!x.isUsed(n)) continue;
      if (!this.#hasLocal(n, depth)) continue;
      depth.set(n, 0);
      const home = x.homeOf(n),
        list = this.#byContext.get(home);
      if (list === undefined) this.#byContext.set(home, [n]);
      else list.push(n);
    }
  }

  /** Every node that the function may need, the users before their operands. */
  #reached(tree: Writes): Node[] {
    const seen = new Set<Node>();
    const p = this.#p;
    const stack: Node[] = [...p.roots, ...p.outputs.map(o => o.node), ...p.checks.map(c => c.fails)];
    for (const w of p.writes) stack.push(w.enable, w.address, w.data, ...(w.mask === undefined ? [] : [w.mask]));
    const add = (t: Writes): void => {
      for (const r of t.plain) stack.push(r.node);
      for (const b of t.branches) {
        stack.push(b.cond);
        add(b.then);
        add(b.otherwise);
      }
    };
    add(tree);
    for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
      if (seen.has(n)) continue;
      seen.add(n);
      if (!this.#isLoad(n)) stack.push(...n.args);
    }
    return [...seen].sort((a, b) => b.id - a.id);
  }

  #hasLocal(n: Node, depth: Map<Node, number>): boolean {
    if (n.op === "const") return false;
    if (this.#isLoad(n)) {
      if (n.source !== undefined && this.#written.has(n.source)) return true;
      return !isWide(n) && this.#contexts.usesOf(n) > 1;
    }
    if (isWide(n) || this.#contexts.armsOf(n) !== undefined) return true;
    const below = Math.max(0, ...n.args.slice(0, 64).map(a => depth.get(a) ?? 0)) + 1;
    depth.set(n, below);
    return this.#contexts.usesOf(n) > 1 || below > DEEPEST;
  }

  // ---- instructions ----

  /** Computes what belongs to a context. */
  #context(context: number): void {
    for (const n of this.#byContext.get(context) ?? []) this.#materialise(n);
  }
  #materialise(n: Node): void {
    const c = this.code,
      arms = this.#contexts.armsOf(n);
    const locals = Array.from({ length: isWide(n) ? limbsOf(n) : 1 }, () =>
      c.local(isWide(n) ? "i64" : typeOf(n.width)),
    );
    if (this.#isLoad(n)) this.#copy(n, locals);
    else if (arms !== undefined) {
      this.push(arg(n, 0));
      c.if();
      this.#context(arms[0]);
      this.#copy(arg(n, 1), locals);
      c.else();
      this.#context(arms[1]);
      this.#copy(arg(n, 2), locals);
      c.end();
    } else if (isWide(n)) this.computeWide(n, locals);
    else {
      this.compute(n);
      c.set(locals[0] as number);
    }
    this.locals.set(n, locals);
  }

  #copy(n: Node, locals: readonly number[]): void {
    locals.forEach((l, i) => {
      if (isWide(n)) this.limb(n, i);
      else this.push(n);
      this.code.set(l);
    });
  }

  /** Whether a value differs from what is stored: i32 on the stack. */
  #differs(n: Node, address: number): void {
    const c = this.code;
    if (!isWide(n)) {
      this.push(n);
      c.loadAt(typeOf(n.width), address);
      c.op(typeOf(n.width), "ne");
      return;
    }
    for (let i = 0; i < limbsOf(n); i++) {
      this.limb(n, i);
      c.loadAt("i64", address + 8 * i);
      c.op("i64", "xor");
      if (i > 0) c.op("i64", "or");
    }
    c.op("i64", "eqz");
    c.op("i32", "eqz");
  }
  #store(n: Node, address: number): void {
    const c = this.code;
    for (let i = 0; i < (isWide(n) ? limbsOf(n) : 1); i++) {
      c.i32(0);
      if (isWide(n)) this.limb(n, i);
      else this.push(n);
      c.store(isWide(n) ? "i64" : typeOf(n.width), address + 8 * i);
    }
  }
  #flags(readers: ReadonlySet<Partition> | undefined): void {
    for (const flag of this.map.flagsOf(readers ?? [])) {
      this.code.i32(0);
      this.code.i32(1);
      this.code.store("i32", flag);
    }
  }

  /** A value for other partitions. */
  #publish(n: Node): void {
    const readers = this.#plan.readers.get(n);
    if (readers === undefined) return;
    const at = this.map.values.get(n) as number;
    if (!this.#plan.gated) {
      this.#store(n, at);
      return;
    }
    this.#differs(n, at);
    this.code.if();
    this.#store(n, at);
    this.#flags(readers);
    this.code.end();
  }

  #output(index: number, n: Node): void {
    const { address, words } = this.#around.outputAt(index);
    for (let i = 0; i < words; i++) {
      this.code.i32(0);
      this.extract(n, 32 * i, Math.min(32, n.width - 32 * i), "i32");
      this.code.store("i32", address + 4 * i);
    }
  }

  #registers(t: Writes): void {
    const c = this.code;
    for (const r of t.plain) this.#register(r.register, r.node);
    for (const b of t.branches) {
      this.push(b.cond);
      if (b.cond.width > 32) {
        c.i64(0n);
        c.op("i64", "ne");
      }
      c.if();
      this.#context(b.then.context);
      this.#registers(b.then);
      if (b.otherwise.plain.length + b.otherwise.branches.length > 0) {
        c.else();
        this.#context(b.otherwise.context);
        this.#registers(b.otherwise);
      }
      c.end();
    }
  }
  #register(r: Register, n: Node): void {
    const own = this.map.sources.get(r.source) as number,
      shadow = this.map.shadows.get(r.source),
      c = this.code;
    const at = shadow ?? own;
    if (!this.#plan.gated && shadow === undefined) {
      this.#store(n, at);
      return;
    }
    this.#differs(n, at);
    c.if();
    this.#store(n, at);
    if (shadow === undefined) this.#flags(this.#plan.readers.get(r.source));
    else
      for (const flag of this.map.commitFlagsOf(this.#p)) {
        c.i32(0);
        c.i32(1);
        c.store("i32", flag);
      }
    c.end();
  }

  #writeMemory(w: Write): void {
    const c = this.code,
      store = w.store;
    const bytes = store.width <= 32 ? 4 : 8 * Math.ceil(store.width / 64);
    this.push(w.enable);
    this.within(w.address, store.depth);
    c.op("i32", "and");
    c.if();
    const at = c.local("i32");
    this.wordOffset(w.address, store.depth, bytes, this.map.stores.get(store) as number, 0);
    c.set(at);
    const limbs = store.width <= 64 ? 1 : limbsOf(w.data),
      t = store.width <= 64 ? typeOf(store.width) : "i64";
    for (let i = 0; i < limbs; i++) {
      const bits = Math.min(64, store.width - 64 * i);
      c.get(at);
      if (w.mask === undefined) {
        if (isWide(w.data)) this.limb(w.data, i);
        else this.push(w.data);
      } else {
        // old ^ ((old ^ new) & mask)
        const lanes = c.local(t),
          old = c.local(t);
        this.#laneMask(w.mask, store.width / w.mask.width, 64 * i, bits, t);
        c.set(lanes);
        c.get(at);
        c.load(t, 8 * i);
        c.tee(old);
        c.get(old);
        if (isWide(w.data)) this.limb(w.data, i);
        else this.push(w.data);
        c.op(t, "xor");
        c.get(lanes);
        c.op(t, "and");
        c.op(t, "xor");
      }
      c.store(t, 8 * i);
    }
    if (this.#plan.gated) this.#flags(this.#readersOf(store));
    c.end();
  }
  /** Bits `from` up of a word that the mask lets be written, on the stack. */
  #laneMask(mask: Node, lane: number, from: number, bits: number, t: "i32" | "i64"): void {
    const c = this.code;
    c.constant(t, 0n);
    for (let i = 0; i < mask.width; i++) {
      const lo = Math.max(from, i * lane),
        hi = Math.min(from + bits, (i + 1) * lane);
      if (lo >= hi) continue;
      c.constant(t, 0n);
      this.extract(mask, i, 1, t);
      c.op(t, "sub");
      c.constant(t, ((1n << BigInt(hi - lo)) - 1n) << BigInt(lo - from));
      c.op(t, "and");
      c.op(t, "or");
    }
  }
  #readersOf(store: Store): ReadonlySet<Partition> | undefined {
    return this.#plan.readers.get(store);
  }
}

/** Whether some way through the muxes leaves the register as it is: then a branch saves the rest. */
function holds(n: Node, r: Source, depth: number): boolean {
  if (n.op !== "mux") return false;
  return [arg(n, 1), arg(n, 2)].some(a => a.source === r || (depth > 0 && holds(a, r, depth - 1)));
}
