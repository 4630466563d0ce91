/** Values on WebAssembly's stack: what the operators of both kinds build on. */
import type { MemoryMap } from "../memory-map.ts";
import { arg, maskOf, type Node } from "../circuit/node.ts";
import type { Code, Type } from "./wasm.ts";

export const isWide = (n: Node): boolean => n.width > 64;
export const typeOf = (width: number): Type => (width <= 32 ? "i32" : "i64");
export const bitsOf = (t: Type): number => (t === "i32" ? 32 : 64);
export const limbsOf = (n: Node): number => Math.ceil(n.width / 64);

/** Turns nodes into instructions: locals where a value is used more than once, else in place. */
export abstract class Values {
  readonly code: Code;
  readonly map: MemoryMap;
  /** One local of a narrow value; one per limb of a wide one. */
  readonly locals = new Map<Node, readonly number[]>();

  constructor(code: Code, map: MemoryMap) {
    this.code = code;
    this.map = map;
  }

  /** The address of a value that lies in memory for this partition; undefined when it is computed here. */
  abstract addressOf(n: Node): number | undefined;
  /** Puts a narrow value that has no local and no address on the stack. */
  protected abstract compute(n: Node): void;

  /** Puts a narrow value on the stack, in its own type. */
  push(n: Node): void {
    const local = this.locals.get(n)?.[0];
    if (local !== undefined) {
      this.code.get(local);
      return;
    }
    const t = typeOf(n.width);
    if (n.op === "const") {
      this.code.constant(t, n.value);
      return;
    }
    const at = this.addressOf(n);
    if (at !== undefined) this.code.loadAt(t, at);
    else this.compute(n);
  }
  /** As `push`, in the type that is asked for. */
  pushAs(n: Node, t: Type): void {
    if (n.op === "const") {
      this.code.constant(t, n.value);
      return;
    }
    this.push(n);
    this.convert(typeOf(n.width), t);
  }
  convert(from: Type, to: Type): void {
    if (from === to) return;
    if (to === "i64") this.code.widen();
    else this.code.wrap();
  }

  /** Puts limb `i` on the stack; beyond the value's end it is 0. */
  limb(n: Node, i: number): void {
    if (n.op === "const") {
      this.code.i64(n.value >> BigInt(64 * i));
      return;
    }
    if (!isWide(n)) {
      if (i === 0) this.pushAs(n, "i64");
      else this.code.i64(0n);
      return;
    }
    if (i >= limbsOf(n)) {
      this.code.i64(0n);
      return;
    }
    const local = this.locals.get(n)?.[i];
    if (local !== undefined) {
      this.code.get(local);
      return;
    }
    const at = this.addressOf(n);
    if (at === undefined) throw new Error(`wide node ${n.id} (${n.op}) has no place`);
    this.code.loadAt("i64", at + 8 * i);
  }

  /** Puts bits `lo` up (at most 64, within the value) on the stack, in the type asked for; bits above are 0. */
  extract(n: Node, lo: number, width: number, t: Type): void {
    const c = this.code;
    if (n.op === "const") {
      c.constant(t, (n.value >> BigInt(lo)) & maskOf(width));
      return;
    }
    if (!isWide(n)) {
      const own = typeOf(n.width);
      this.push(n);
      if (lo > 0) {
        c.constant(own, BigInt(lo));
        c.op(own, "shrU");
      }
      if (t === "i32") this.convert(own, t);
      if (lo + width < n.width) this.mask(t === "i32" ? "i32" : own, width);
      if (t !== "i32") this.convert(own, t);
      return;
    }
    const at = this.locals.has(n) ? undefined : this.addressOf(n);
    const shift = lo & 7;
    if (at !== undefined && shift + width <= 64) {
      const load: Type = shift + width <= 32 ? "i32" : "i64";
      c.loadAt(load, at + (lo >> 3));
      if (shift > 0) {
        c.constant(load, BigInt(shift));
        c.op(load, "shrU");
      }
      if (shift + width < bitsOf(load)) this.mask(load, width);
      this.convert(load, t);
      return;
    }
    const i = lo >> 6,
      off = lo & 63;
    this.limb(n, i);
    if (off > 0) {
      c.i64(BigInt(off));
      c.op("i64", "shrU");
    }
    if (off + width > 64) {
      this.limb(n, i + 1);
      c.i64(BigInt(64 - off));
      c.op("i64", "shl");
      c.op("i64", "or");
    }
    if (width < 64 && lo + width < n.width) this.mask("i64", width);
    this.convert("i64", t);
  }

  /** Clears the bits above `width` of what is on the stack. */
  mask(t: Type, width: number): void {
    if (width >= bitsOf(t)) return;
    this.code.constant(t, maskOf(width));
    this.code.op(t, "and");
  }

  /** Puts the least of a shift's amount and `most` on the stack, as i32. */
  amount(by: Node, most: number): void {
    const c = this.code;
    if (isWide(by)) {
      for (let i = 0; i < limbsOf(by); i++) {
        this.limb(by, i);
        if (i === 0) {
          c.i64(BigInt(most));
          c.op("i64", "ltU");
        } else {
          c.op("i64", "eqz");
          c.op("i32", "and");
        }
      }
      c.if("i32");
      this.limb(by, 0);
      c.wrap();
      c.else();
      c.i32(most);
      c.end();
      return;
    }
    const t = typeOf(by.width);
    if (by.width < 31 && 2 ** by.width - 1 <= most) {
      this.push(by);
      return;
    }
    const local = c.local(t);
    this.push(by);
    c.tee(local);
    c.constant(t, BigInt(most));
    c.get(local);
    c.constant(t, BigInt(most));
    c.op(t, "ltU");
    c.select();
    this.convert(t, "i32");
  }

  /** Address of memory that holds a wide value's limbs, `below` and `above` limbs around it: the value is put there. */
  spilled(n: Node): number {
    const at = this.addressOf(n);
    if (at !== undefined && !this.locals.has(n)) return at;
    const to = this.map.take(8 * limbsOf(n));
    for (let i = 0; i < limbsOf(n); i++) {
      this.code.i32(0);
      this.limb(n, i);
      this.code.store("i64", to + 8 * i);
    }
    return to;
  }

  /** Limb that begins `bit` bits (0..63, a local of i64) above the address in a local. */
  unaligned(address: number, offset: number, bit: number): void {
    const c = this.code;
    c.get(address);
    c.load("i64", offset);
    c.get(bit);
    c.op("i64", "shrU");
    c.get(address);
    c.load("i64", offset + 8);
    c.i64(1n);
    c.op("i64", "shl");
    c.i64(63n);
    c.get(bit);
    c.op("i64", "sub");
    c.op("i64", "shl");
    c.op("i64", "or");
  }
}

/** Whether a value's operands are put on the stack more than once each. */
export function usesTwice(user: Node, n: number): boolean {
  if (isWide(user)) return !(user.op === "mux" && n > 0 && !isWide(arg(user, n)));
  const a = arg(user, n);
  if (isWide(a)) return true;
  return user.op === "memRead" || user.op === "select" || user.op === "pick" || ((user.op === "shl" || user.op === "shr" || user.op === "sar") && n === 1); // prettier-ignore
}
