/** Operators whose result has up to 64 bits. */
import { arg, maskOf, type Node } from "../circuit/node.ts";
import { bitsOf, isWide, limbsOf, typeOf, Values } from "./values.ts";
import type { Type } from "./wasm.ts";

export abstract class Narrow extends Values {
  protected override compute(n: Node): void {
    const c = this.code,
      t = typeOf(n.width);
    switch (n.op) {
      case "const":
      case "source":
        throw new Error(`${n.op} is not computed`);
      case "not":
        this.push(arg(n, 0));
        c.constant(t, maskOf(n.width));
        c.op(t, "xor");
        return;
      case "neg":
        c.constant(t, 0n);
        this.push(arg(n, 0));
        c.op(t, "sub");
        this.mask(t, n.width);
        return;
      case "and":
      case "or":
      case "xor":
        this.#two(n, t, n.op);
        return;
      case "add":
      case "sub":
      case "mul":
        this.#two(n, t, n.op);
        this.mask(t, n.width);
        return;
      case "eq":
        this.#equal(arg(n, 0), arg(n, 1));
        return;
      case "ult":
      case "slt":
        this.#less(arg(n, 0), arg(n, 1), n.op === "slt");
        return;
      case "redXor":
        this.#parity(arg(n, 0));
        return;
      case "redAnd":
      case "redOr":
        throw new Error(`${n.op} is made an equality`);
      case "shl":
      case "shr":
      case "sar":
        this.#shift(n, t);
        return;
      case "mux":
        this.push(arg(n, 1));
        this.push(arg(n, 2));
        this.push(arg(n, 0));
        c.select();
        return;
      case "concat":
        this.#concat(n, t);
        return;
      case "slice":
        this.extract(arg(n, 0), n.lo, n.width, t);
        return;
      case "sext":
        this.#signExtend(arg(n, 0), t);
        this.mask(t, n.width);
        return;
      case "memRead":
        this.memRead(n);
        return;
      case "select":
        this.select(n);
        return;
      case "pick":
        this.#pick(n, t);
        return;
    }
  }

  #two(n: Node, t: Type, op: "and" | "or" | "xor" | "add" | "sub" | "mul"): void {
    this.push(arg(n, 0));
    this.push(arg(n, 1));
    this.code.op(t, op);
  }

  #equal(a: Node, b: Node): void {
    const c = this.code;
    if (!isWide(a)) {
      const t = typeOf(a.width);
      this.push(a);
      if (b.op === "const" && b.value === 0n) c.op(t, "eqz");
      else {
        this.push(b);
        c.op(t, "eq");
      }
      return;
    }
    for (let i = 0; i < limbsOf(a); i++) {
      this.limb(a, i);
      this.limb(b, i);
      c.op("i64", "xor");
      if (i > 0) c.op("i64", "or");
    }
    c.op("i64", "eqz");
  }

  /** The value with its sign in the highest bit of the type. */
  #atTop(n: Node, t: Type): void {
    this.push(n);
    if (n.width < bitsOf(t)) {
      this.code.constant(t, BigInt(bitsOf(t) - n.width));
      this.code.op(t, "shl");
    }
  }
  #less(a: Node, b: Node, signed: boolean): void {
    const c = this.code;
    if (!isWide(a)) {
      const t = typeOf(a.width);
      if (signed) {
        this.#atTop(a, t);
        this.#atTop(b, t);
      } else {
        this.push(a);
        this.push(b);
      }
      c.op(t, signed ? "ltS" : "ltU");
      return;
    }
    // From the lowest limb: less so far, and equal above, or less above.
    const top = limbsOf(a) - 1,
      rest = BigInt(64 - (a.width - 64 * top));
    const push = (n: Node, i: number): void => {
      this.limb(n, i);
      if (signed && i === top && rest > 0n) {
        c.i64(rest);
        c.op("i64", "shl");
      }
    };
    const less = c.local("i32");
    for (let i = 0; i <= top; i++) {
      push(a, i);
      push(b, i);
      c.op("i64", signed && i === top ? "ltS" : "ltU");
      if (i > 0) {
        push(a, i);
        push(b, i);
        c.op("i64", "eq");
        c.get(less);
        c.op("i32", "and");
        c.op("i32", "or");
      }
      if (i < top) c.set(less);
    }
  }

  #parity(a: Node): void {
    const c = this.code;
    if (!isWide(a)) {
      const t = typeOf(a.width);
      this.push(a);
      c.op(t, "popcnt");
      this.convert(t, "i32");
    } else {
      for (let i = 0; i < limbsOf(a); i++) {
        this.limb(a, i);
        if (i > 0) c.op("i64", "xor");
      }
      c.op("i64", "popcnt");
      c.wrap();
    }
    c.i32(1);
    c.op("i32", "and");
  }

  #shift(n: Node, t: Type): void {
    const c = this.code,
      a = arg(n, 0),
      by = arg(n, 1),
      bits = bitsOf(t);
    if (n.op === "sar") {
      this.#signExtend(a, t);
      this.amount(by, bits - 1);
      this.convert("i32", t);
      c.op(t, "shrS");
      this.mask(t, n.width);
      return;
    }
    const small = by.width < 31 && 2 ** by.width <= bits;
    this.push(a);
    if (small) this.push(by);
    else this.amount(by, bits);
    const amount = small ? undefined : c.local("i32");
    if (amount !== undefined) c.tee(amount);
    this.convert(small ? typeOf(by.width) : "i32", t);
    c.op(t, n.op === "shl" ? "shl" : "shrU");
    if (n.op === "shl") this.mask(t, n.width);
    if (amount === undefined) return;
    c.constant(t, 0n);
    c.get(amount);
    c.i32(bits);
    c.op("i32", "ltU");
    c.select();
  }

  #concat(n: Node, t: Type): void {
    const c = this.code;
    let at = 0,
      first = true;
    for (const p of n.args) {
      if (!(p.op === "const" && p.value === 0n)) {
        this.pushAs(p, t);
        if (at > 0) {
          c.constant(t, BigInt(at));
          c.op(t, "shl");
        }
        if (!first) c.op(t, "or");
        first = false;
      }
      at += p.width;
    }
  }

  /** The value with its sign in all bits above, not masked. */
  #signExtend(a: Node, t: Type): void {
    const c = this.code;
    this.pushAs(a, t);
    if (a.width === 1) {
      const l = c.local(t);
      c.set(l);
      c.constant(t, 0n);
      c.get(l);
      c.op(t, "sub");
      return;
    }
    const up = BigInt(bitsOf(t) - a.width);
    if (up === 0n) return;
    for (const op of ["shl", "shrS"] as const) {
      c.constant(t, up);
      c.op(t, op);
    }
  }

  /** The address of a memory's word on the stack; `inside`: what to do with the word, else with what lies beyond. */
  protected memRead(n: Node): void {
    const store = n.store,
      c = this.code,
      t = typeOf(n.width);
    if (store === undefined) throw new Error("a read of no memory");
    const base = this.map.stores.get(store) as number,
      beyond = this.map.beyond.get(n) as number;
    this.wordOffset(arg(n, 0), store.depth, t === "i32" ? 4 : 8, base, beyond);
    c.load(t, 0);
  }

  /** Puts the address of a word on the stack, or `beyond` where there is none. */
  protected wordOffset(address: Node, depth: number, bytes: number, base: number, beyond: number): void {
    const c = this.code;
    const push = (): void => {
      if (isWide(address)) {
        this.limb(address, 0);
        c.wrap();
      } else this.pushAs(address, "i32");
      c.i32(bytes);
      c.op("i32", "mul");
      c.i32(base);
      c.op("i32", "add");
    };
    if (address.width < 31 && 2 ** address.width <= depth) {
      push();
      return;
    }
    push();
    c.i32(beyond);
    this.within(address, depth);
    c.select();
  }

  /** Whether an address has a word, as i32 on the stack. */
  protected within(address: Node, depth: number): void {
    const c = this.code;
    if (!isWide(address)) {
      const t = typeOf(address.width);
      if (address.width < 31 && 2 ** address.width <= depth) {
        c.i32(1);
        return;
      }
      this.push(address);
      c.constant(t, BigInt(depth));
      c.op(t, "ltU");
      return;
    }
    for (let i = 0; i < limbsOf(address); i++) {
      this.limb(address, i);
      if (i === 0) {
        c.i64(BigInt(depth));
        c.op("i64", "ltU");
      } else {
        c.op("i64", "eqz");
        c.op("i32", "and");
      }
    }
  }

  /** Elements that lie at equal distances are found by their address; else a jump to the one that is meant. */
  protected select(n: Node): void {
    const c = this.code,
      t = typeOf(n.width),
      [index, ...elements] = n.args as [Node, ...Node[]];
    const row = this.row(elements);
    if (row !== undefined) {
      this.pushAs(index, "i32");
      c.i32(row.step);
      c.op("i32", "mul");
      c.load(t, row.at);
      return;
    }
    c.block(t);
    for (let i = 0; i < elements.length; i++) c.block();
    this.pushAs(index, "i32");
    c.brTable(
      elements.map((_, i) => i),
      elements.length - 1,
    );
    elements.forEach((e, i) => {
      c.end();
      this.push(e);
      if (i < elements.length - 1) c.br(elements.length - 1 - i);
    });
    c.end();
  }
  protected row(elements: readonly Node[]): { readonly at: number; readonly step: number } | undefined {
    const places = elements.map(e => (this.locals.has(e) || e.op === "const" ? undefined : this.addressOf(e)));
    const [first, second] = places;
    if (first === undefined || second === undefined || second <= first) return undefined;
    const step = second - first;
    return places.every((p, i) => p === first + i * step) ? { at: first, step } : undefined;
  }

  #pick(n: Node, t: Type): void {
    const c = this.code;
    const { address, bit } = this.elementAt(n);
    if (n.width % 8 === 0 || n.width <= 57) {
      c.get(address);
      c.load("i64", 0);
      c.get(bit);
      c.op("i64", "shrU");
    } else this.unaligned(address, 0, bit);
    this.convert("i64", t);
    this.mask(t, n.width);
  }

  /** Where an element of a wide value begins: a byte's address and a bit in it, as locals. */
  protected elementAt(n: Node): { readonly address: number; readonly bit: number } {
    const c = this.code;
    const base = this.spilled(arg(n, 0));
    const offset = c.local("i32"),
      bit = c.local("i64");
    this.pushAs(arg(n, 1), "i32");
    c.i32(n.width);
    c.op("i32", "mul");
    c.tee(offset);
    c.i32(7);
    c.op("i32", "and");
    c.widen();
    c.set(bit);
    c.get(offset);
    c.i32(3);
    c.op("i32", "shrU");
    c.i32(base);
    c.op("i32", "add");
    c.set(offset);
    return { address: offset, bit };
  }
}
