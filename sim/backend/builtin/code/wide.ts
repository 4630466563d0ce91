/** Operators whose result has more than 64 bits: limb by limb into locals. */
import { Narrow } from "./narrow.ts";
import { arg, maskOf, type Node } from "../circuit/node.ts";
import { isWide, limbsOf } from "./values.ts";

export abstract class Wide extends Narrow {
  /** Computes a wide value into its locals. */
  protected computeWide(n: Node, to: readonly number[]): void {
    const c = this.code;
    const each = (limb: (i: number) => void): void => {
      to.forEach((l, i) => {
        limb(i);
        c.set(l);
      });
    };
    switch (n.op) {
      case "and":
      case "or":
      case "xor": {
        const op = n.op;
        each(i => {
          this.limb(arg(n, 0), i);
          this.limb(arg(n, 1), i);
          c.op("i64", op);
        });
        return;
      }
      case "not":
        each(i => {
          this.limb(arg(n, 0), i);
          c.i64(i === to.length - 1 ? maskOf(n.width - 64 * i) : -1n);
          c.op("i64", "xor");
        });
        return;
      case "neg":
        this.#sum(undefined, arg(n, 0), true, to);
        this.#trim(n, to);
        return;
      case "add":
      case "sub":
        this.#sum(arg(n, 0), arg(n, 1), n.op === "sub", to);
        this.#trim(n, to);
        return;
      case "mul":
        this.#product(n, to);
        this.#trim(n, to);
        return;
      case "mux":
        each(i => {
          this.limb(arg(n, 1), i);
          this.limb(arg(n, 2), i);
          this.push(arg(n, 0));
          c.select();
        });
        return;
      case "concat":
        this.#concat(n, to);
        return;
      case "slice":
        each(i => this.extract(arg(n, 0), n.lo + 64 * i, Math.min(64, n.width - 64 * i), "i64"));
        return;
      case "sext":
        this.#signExtend(n, to);
        return;
      case "shl":
      case "shr":
      case "sar":
        this.#shift(n, to);
        return;
      case "memRead":
        this.#memRead(n, to);
        return;
      case "select":
        this.#select(n, to);
        return;
      case "pick": {
        const { address, bit } = this.elementAt(n);
        each(i => this.unaligned(address, 8 * i, bit));
        this.#trim(n, to);
        return;
      }
      default:
        throw new Error(`${n.op} is never wide`);
    }
  }

  /** Clears the bits above the width. */
  #trim(n: Node, to: readonly number[]): void {
    const last = to.length - 1,
      rest = n.width - 64 * last,
      l = to[last];
    if (rest === 64 || l === undefined) return;
    this.code.get(l);
    this.mask("i64", rest);
    this.code.set(l);
  }

  #sum(a: Node | undefined, b: Node, minus: boolean, to: readonly number[]): void {
    const c = this.code,
      carry = c.local("i64"),
      part = c.local("i64");
    to.forEach((l, i) => {
      // Sum or difference without the carry, then with it; at most one of the two goes over the end.
      if (a === undefined) c.i64(0n);
      else this.limb(a, i);
      this.limb(b, i);
      c.op("i64", minus ? "sub" : "add");
      c.set(part);
      const over = (): void => {
        if (minus) {
          if (a === undefined) c.i64(0n);
          else this.limb(a, i);
          this.limb(b, i);
        } else {
          c.get(part);
          if (a === undefined) c.i64(0n);
          else this.limb(a, i);
        }
        c.op("i64", "ltU");
      };
      if (i === 0) {
        over();
        c.widen();
        c.set(carry);
        c.get(part);
        c.set(l);
        return;
      }
      c.get(part);
      c.get(carry);
      c.op("i64", minus ? "sub" : "add");
      c.set(l);
      over();
      if (minus) {
        c.get(part);
        c.get(carry);
      } else {
        c.get(l);
        c.get(part);
      }
      c.op("i64", "ltU");
      c.op("i32", "or");
      c.widen();
      c.set(carry);
    });
  }

  /** Products of 32 bits by 32, column by column. */
  #product(n: Node, to: readonly number[]): void {
    const c = this.code,
      words = Math.ceil(n.width / 32);
    const halves = (x: Node): number[] =>
      Array.from({ length: words }, (_, i) => {
        const l = c.local("i64");
        this.limb(x, i >> 1);
        if (i % 2 === 1) {
          c.i64(32n);
          c.op("i64", "shrU");
        } else this.mask("i64", 32);
        c.set(l);
        return l;
      });
    const a = halves(arg(n, 0)),
      b = halves(arg(n, 1));
    const low = c.local("i64"),
      high = c.local("i64"),
      p = c.local("i64");
    // `low` and `high`: the column's sum, each half of a product added apart so that nothing is lost.
    c.i64(0n);
    c.set(low);
    for (let k = 0; k < words; k++) {
      c.i64(0n);
      c.set(high);
      for (let i = 0; i <= k; i++) {
        c.get(a[i] as number);
        c.get(b[k - i] as number);
        c.op("i64", "mul");
        c.tee(p);
        this.mask("i64", 32);
        c.get(low);
        c.op("i64", "add");
        c.set(low);
        c.get(p);
        c.i64(32n);
        c.op("i64", "shrU");
        c.get(high);
        c.op("i64", "add");
        c.set(high);
      }
      const l = to[k >> 1] as number;
      c.get(low);
      this.mask("i64", 32);
      if (k % 2 === 1) {
        c.i64(32n);
        c.op("i64", "shl");
        c.get(l);
        c.op("i64", "or");
      }
      c.set(l);
      c.get(low);
      c.i64(32n);
      c.op("i64", "shrU");
      c.get(high);
      c.op("i64", "add");
      c.set(low);
    }
  }

  #concat(n: Node, to: readonly number[]): void {
    const c = this.code;
    to.forEach((l, i) => {
      let at = 0,
        first = true;
      for (const p of n.args) {
        const from = Math.max(at, 64 * i),
          end = Math.min(at + p.width, 64 * i + 64);
        if (from < end && !(p.op === "const" && p.value === 0n)) {
          this.extract(p, from - at, end - from, "i64");
          if (from > 64 * i) {
            c.i64(BigInt(from - 64 * i));
            c.op("i64", "shl");
          }
          if (!first) c.op("i64", "or");
          first = false;
        }
        at += p.width;
      }
      if (first) c.i64(0n);
      c.set(l);
    });
  }

  /** All bits 1 when the sign is, as a local. */
  #fill(a: Node): number {
    const c = this.code,
      l = c.local("i64");
    c.i64(0n);
    this.extract(a, a.width - 1, 1, "i64");
    c.op("i64", "sub");
    c.set(l);
    return l;
  }
  #signExtend(n: Node, to: readonly number[]): void {
    const c = this.code,
      a = arg(n, 0),
      fill = this.#fill(a);
    to.forEach((l, i) => {
      const own = Math.min(64, Math.max(0, a.width - 64 * i));
      if (own > 0) this.limb(a, i);
      if (own < 64) {
        c.get(fill);
        if (own > 0) {
          c.i64(BigInt(own));
          c.op("i64", "shl");
          c.op("i64", "or");
        }
      }
      c.set(l);
    });
    this.#trim(n, to);
  }

  /** The value lies in memory with as many limbs of what is shifted in beside it; the result is found at a distance. */
  #shift(n: Node, to: readonly number[]): void {
    const c = this.code,
      a = arg(n, 0),
      limbs = to.length;
    const area = this.map.take(8 * (3 * limbs + 2)),
      value = area + 8 * (limbs + 1);
    const fill = n.op === "sar" ? this.#fill(a) : undefined;
    const rest = n.width - 64 * (limbs - 1);
    for (let i = 0; i < limbs; i++) {
      c.i32(0);
      this.limb(a, i);
      if (fill !== undefined && i === limbs - 1 && rest < 64) {
        c.get(fill);
        c.i64(BigInt(rest));
        c.op("i64", "shl");
        c.op("i64", "or");
      }
      c.store("i64", value + 8 * i);
    }
    if (fill !== undefined)
      for (let i = 0; i <= limbs; i++) {
        c.i32(0);
        c.get(fill);
        c.store("i64", value + 8 * (limbs + i));
      }
    const by = c.local("i32"),
      bit = c.local("i64"),
      address = c.local("i32");
    this.amount(arg(n, 1), n.width);
    c.set(by);
    // To the left by n is to the right by -n: whole limbs down, then bits up.
    if (n.op === "shl") {
      c.i32(0);
      c.get(by);
      c.op("i32", "sub");
      c.set(by);
    }
    c.get(by);
    c.i32(63);
    c.op("i32", "and");
    c.widen();
    c.set(bit);
    c.get(by);
    c.i32(6);
    c.op("i32", "shrS");
    c.i32(3);
    c.op("i32", "shl");
    c.i32(value);
    c.op("i32", "add");
    c.set(address);
    to.forEach((l, i) => {
      this.unaligned(address, 8 * i, bit);
      c.set(l);
    });
    this.#trim(n, to);
  }

  #memRead(n: Node, to: readonly number[]): void {
    const c = this.code,
      store = n.store;
    if (store === undefined) throw new Error("a read of no memory");
    const at = c.local("i32");
    this.wordOffset(
      arg(n, 0),
      store.depth,
      8 * limbsOf(n),
      this.map.stores.get(store) as number,
      this.map.beyond.get(n) as number,
    );
    c.set(at);
    to.forEach((l, i) => {
      c.get(at);
      c.load("i64", 8 * i);
      c.set(l);
    });
  }

  #select(n: Node, to: readonly number[]): void {
    const c = this.code,
      [index, ...elements] = n.args as [Node, ...Node[]];
    const row = this.row(elements);
    if (row !== undefined) {
      const at = c.local("i32");
      this.pushAs(index, "i32");
      c.i32(row.step);
      c.op("i32", "mul");
      c.set(at);
      to.forEach((l, i) => {
        c.get(at);
        c.load("i64", row.at + 8 * i);
        c.set(l);
      });
      return;
    }
    c.block();
    for (let i = 0; i < elements.length; i++) c.block();
    this.pushAs(index, "i32");
    c.brTable(
      elements.map((_, i) => i),
      elements.length - 1,
    );
    elements.forEach((e, i) => {
      c.end();
      to.forEach((l, k) => {
        this.limb(e, k);
        c.set(l);
      });
      if (i < elements.length - 1) c.br(elements.length - 1 - i);
    });
    c.end();
  }
}

/** What a node costs, in instructions or so: whether it is worth a branch around it. */
export function costOf(n: Node): number {
  const limbs = isWide(n) ? limbsOf(n) : 1;
  switch (n.op) {
    case "const":
      return 0;
    case "source":
      return limbs;
    case "shl":
    case "shr":
    case "sar":
      return limbs > 1 ? 12 * limbs : 4;
    case "mul":
      return limbs > 1 ? 16 * limbs * limbs : 3;
    case "memRead":
    case "select":
    case "pick":
      return 5 + 2 * limbs;
    case "concat":
      return 3 * n.args.length;
    case "eq":
    case "ult":
    case "slt":
      return n.args[0] !== undefined && isWide(n.args[0]) ? 4 * limbsOf(n.args[0]) : 2;
    default:
      return 2 * limbs;
  }
}
