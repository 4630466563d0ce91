/** An encoder for the part of WebAssembly that the generated code needs. */

export type Type = "i32" | "i64";
const TYPE: Readonly<Record<Type, number>> = { i32: 0x7f, i64: 0x7e };
const VOID = 0x40;

export type Operator =
  | "eqz"
  | "eq"
  | "ne"
  | "ltS"
  | "ltU"
  | "popcnt"
  | "add"
  | "sub"
  | "mul"
  | "and"
  | "or"
  | "xor"
  | "shl"
  | "shrS"
  | "shrU";
/** Operators that are one byte, by name; those of `i64` stand at another place than those of `i32`. */
const OPS: Readonly<Record<Operator, readonly [i32: number, i64: number]>> = {
  eqz: [0x45, 0x50],
  eq: [0x46, 0x51],
  ne: [0x47, 0x52],
  ltS: [0x48, 0x53],
  ltU: [0x49, 0x54],
  popcnt: [0x69, 0x7b],
  add: [0x6a, 0x7c],
  sub: [0x6b, 0x7d],
  mul: [0x6c, 0x7e],
  and: [0x71, 0x83],
  or: [0x72, 0x84],
  xor: [0x73, 0x85],
  shl: [0x74, 0x86],
  shrS: [0x75, 0x87],
  shrU: [0x76, 0x88],
};

/** Bytes that grow. */
export class Bytes {
  #data = new Uint8Array(256);
  length = 0;

  byte(b: number): void {
    if (this.length === this.#data.length) this.#grow(1);
    this.#data[this.length++] = b;
  }
  #grow(n: number): void {
    const bigger = new Uint8Array(Math.max(this.#data.length * 2, this.length + n));
    bigger.set(this.#data);
    this.#data = bigger;
  }
  append(other: Uint8Array): void {
    if (this.length + other.length > this.#data.length) this.#grow(other.length);
    this.#data.set(other, this.length);
    this.length += other.length;
  }
  unsigned(n: number): void {
    let rest = n;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }
  /** A signed number of up to 32 bits. */
  signed(n: number): void {
    let rest = n | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
        this.byte(low);
        return;
      }
      this.byte(low | 0x80);
    }
  }
  signedBig(n: bigint): void {
    let rest = BigInt.asIntN(64, n);
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0)) {
        this.byte(low);
        return;
      }
      this.byte(low | 0x80);
    }
  }
  text(s: string): void {
    const b = new TextEncoder().encode(s);
    this.unsigned(b.length);
    this.append(b);
  }
  view(): Uint8Array {
    return this.#data.subarray(0, this.length);
  }
}

/** The body of a function: instructions, and the locals that they use. */
export class Code {
  readonly #out = new Bytes();
  readonly #locals: Type[] = [];
  readonly #parameters: number;

  constructor(parameters = 0) {
    this.#parameters = parameters;
  }
  get size(): number {
    return this.#out.length;
  }
  local(type: Type): number {
    this.#locals.push(type);
    return this.#parameters + this.#locals.length - 1;
  }
  i32(n: number): void {
    this.#out.byte(0x41);
    this.#out.signed(n);
  }
  i64(n: bigint): void {
    this.#out.byte(0x42);
    this.#out.signedBig(n);
  }
  constant(t: Type, n: bigint): void {
    if (t === "i32") this.i32(Number(BigInt.asIntN(32, n)));
    else this.i64(n);
  }
  op(t: Type, name: Operator): void {
    this.#out.byte(OPS[name][t === "i32" ? 0 : 1]);
  }
  get(local: number): void {
    this.#out.byte(0x20);
    this.#out.unsigned(local);
  }
  set(local: number): void {
    this.#out.byte(0x21);
    this.#out.unsigned(local);
  }
  tee(local: number): void {
    this.#out.byte(0x22);
    this.#out.unsigned(local);
  }
  /** The address is on the stack; `offset` is added to it. No alignment is promised. */
  load(t: Type, offset: number): void {
    this.#out.byte(t === "i32" ? 0x28 : 0x29);
    this.#out.unsigned(0);
    this.#out.unsigned(offset);
  }
  /** Address, then value, are on the stack. */
  store(t: Type, offset: number): void {
    this.#out.byte(t === "i32" ? 0x36 : 0x37);
    this.#out.unsigned(0);
    this.#out.unsigned(offset);
  }
  /** The value at a fixed address. */
  loadAt(t: Type, address: number): void {
    this.i32(0);
    this.load(t, address);
  }
  wrap(): void {
    this.#out.byte(0xa7);
  }
  widen(): void {
    this.#out.byte(0xad);
  }
  select(): void {
    this.#out.byte(0x1b);
  }
  /** The condition is on the stack. */
  if(result?: Type): void {
    this.#out.byte(0x04);
    this.#out.byte(result === undefined ? VOID : TYPE[result]);
  }
  else(): void {
    this.#out.byte(0x05);
  }
  block(result?: Type): void {
    this.#out.byte(0x02);
    this.#out.byte(result === undefined ? VOID : TYPE[result]);
  }
  loop(): void {
    this.#out.byte(0x03);
    this.#out.byte(VOID);
  }
  end(): void {
    this.#out.byte(0x0b);
  }
  br(depth: number): void {
    this.#out.byte(0x0c);
    this.#out.unsigned(depth);
  }
  brIf(depth: number): void {
    this.#out.byte(0x0d);
    this.#out.unsigned(depth);
  }
  brTable(depths: readonly number[], otherwise: number): void {
    this.#out.byte(0x0e);
    this.#out.unsigned(depths.length);
    for (const d of depths) this.#out.unsigned(d);
    this.#out.unsigned(otherwise);
  }
  call(f: number): void {
    this.#out.byte(0x10);
    this.#out.unsigned(f);
  }
  /** Another body of no parameters and no locals of its own, in place. */
  encode(into: Bytes): void {
    const runs: [number, Type][] = [];
    for (const t of this.#locals) {
      const last = runs.at(-1);
      if (last?.[1] === t) last[0]++;
      else runs.push([1, t]);
    }
    const head = new Bytes();
    head.unsigned(runs.length);
    for (const [n, t] of runs) {
      head.unsigned(n);
      head.byte(TYPE[t]);
    }
    into.unsigned(head.length + this.#out.length + 1);
    into.append(head.view());
    into.append(this.#out.view());
    into.byte(0x0b);
  }
}

/** A function of the module; parameters are i32, there is no result. */
export interface Function {
  readonly parameters: number;
  readonly code: Code;
  readonly export?: string;
}

/**
 * A module with one imported memory (`e.m`), one imported function `e.f` of one i32 (function 0), and these functions
 * (from number 1 on).
 */
export function encodeModule(functions: readonly Function[], pages: number): Uint8Array<ArrayBuffer> {
  const out = new Bytes();
  for (const b of [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) out.byte(b);
  const section = (id: number, fill: (b: Bytes) => void): void => {
    const body = new Bytes();
    fill(body);
    out.byte(id);
    out.unsigned(body.length);
    out.append(body.view());
  };
  section(1, b => {
    b.unsigned(2);
    for (const parameters of [0, 1]) {
      b.byte(0x60);
      b.unsigned(parameters);
      for (let i = 0; i < parameters; i++) b.byte(TYPE.i32);
      b.unsigned(0);
    }
  });
  section(2, b => {
    b.unsigned(2);
    b.text("e");
    b.text("m");
    b.byte(2);
    b.byte(0);
    b.unsigned(pages);
    b.text("e");
    b.text("f");
    b.byte(0);
    b.unsigned(1);
  });
  section(3, b => {
    b.unsigned(functions.length);
    for (const f of functions) b.unsigned(f.parameters);
  });
  const exported = functions.flatMap((f, i) => (f.export === undefined ? [] : [{ name: f.export, index: i + 1 }]));
  section(7, b => {
    b.unsigned(exported.length);
    for (const e of exported) {
      b.text(e.name);
      b.byte(0);
      b.unsigned(e.index);
    }
  });
  section(10, b => {
    b.unsigned(functions.length);
    for (const f of functions) f.code.encode(b);
  });
  return new Uint8Array(out.view());
}
