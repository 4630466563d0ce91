/** Every place of the language that takes a value, with what an output shows of the value there. */
import {
  assertAlways,
  assumeAlways,
  type Bit,
  cover,
  input,
  instance,
  module,
  output,
  ram,
  reg,
  type Shape,
  sint,
  switchOn,
  uint,
  type UInt,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { maskOf } from "../../../../hdl-dsl/ir/expr.ts";
import { type Dice, pattern } from "../../support/random.ts";
import { bitsOf, type Hw, type Inputs, type Io, s, type Spec, type Term, u, wrapped } from "./term.ts";

/** What one place shows: outputs of the module, the statements, and the model with its state. */
export interface Placed {
  readonly outputs: Readonly<Record<string, Shape>>;
  readonly build: (io: Io) => void;
  /** Bit patterns of the outputs before the clock edge. */
  readonly now: (inputs: Inputs) => readonly (readonly [string, bigint])[];
  readonly tick?: (inputs: Inputs, reset: boolean) => void;
}
export interface Around {
  readonly d: Dice;
  /** Prefix of everything that is declared. */
  readonly name: string;
  /** Another value. */
  readonly leaf: (spec: Spec) => Term;
  /** Prefix of the names of modules. */
  readonly modules: string;
}
export interface Position {
  readonly name: string;
  /** The values that it takes, at every width that matters. */
  readonly takes: readonly Spec[];
  readonly place: (x: Term, a: Around) => Placed;
}

interface Settable {
  set(v: unknown): void;
  setBits(lo: number, v: UInt): void;
}
interface SettableVec {
  set(v: unknown): void;
  at(i: number): UInt;
  setAt(i: UInt, v: UInt): void;
}
const shapeOf = (x: Spec): Shape => (x.signed ? sint(x.width) : uint(x.width));
const out = (io: Io, name: string): Settable => io[name] as Settable;
const unsigned = (h: Hw): UInt => h as UInt;
const bit = (h: Hw): Bit => h as Bit;

const WIDTHS = [1, 2, 3, 4, 6, 8, 34] as const;
const any: readonly Spec[] = WIDTHS.flatMap(w => [u(w), s(w)]);
const bits: readonly Spec[] = WIDTHS.map(u);
const condition: readonly Spec[] = [u(1)];
const short: readonly Spec[] = [u(1), u(2), u(3)];

/** A register of the model: unknown before reset, which the comparison knows from the circuit. */
class Held {
  now = 0n;
  readonly init: bigint;
  constructor(init: bigint) {
    this.init = init;
  }
  tick(reset: boolean, next: bigint): void {
    this.now = reset ? this.init : next;
  }
}
/** The reset value as the language takes it. */
const initOf = (held: Held, spec: Spec): bigint => wrapped(held.init, spec);
const flow = (name: string, x: Spec, build: (io: Io) => void, value: (inputs: Inputs) => bigint): Placed => ({
  outputs: { [name]: shapeOf(x) },
  build,
  now: i => [[name, bitsOf(value(i), x.width)]],
});

/** A register with a value of its own that `update` changes. */
function held(
  a: Around,
  spec: Spec,
  update: (io: Io, r: Settable) => void,
  next: (inputs: Inputs, now: bigint) => bigint,
): Placed {
  const value = new Held(pattern(a.d, spec.width));
  return {
    outputs: { [a.name]: shapeOf(spec) },
    build: io => {
      const r = reg(shapeOf(spec), { name: `${a.name}_r`, init: initOf(value, spec) as never }) as unknown as Settable;
      update(io, r);
      out(io, a.name).set(r);
    },
    now: () => [[a.name, value.now]],
    tick: (inputs, reset) => value.tick(reset, bitsOf(next(inputs, value.now), spec.width)),
  };
}

const underOf =
  (x: Term, y: Term) =>
  (io: Io, r: Settable): void => {
    when(bit(x.hw(io)), () => r.set(y.hw(io)));
  };
const nextOf =
  (x: Term, y: Term) =>
  (i: Inputs, now: bigint): bigint =>
    x.of(i) !== 0n ? y.of(i) : now;

interface Port {
  readonly address: Term;
  readonly data: Term;
  readonly enable: Term | undefined;
  readonly mask: Term | undefined;
  readonly read: Term;
  readonly readEnable: Term | undefined;
}
/** A memory of which one part is what is looked at, the others are other values. */
function memory(a: Around, addressBits: number, width: number, given: Partial<Port>, async = false): Placed {
  const { d } = a;
  const collision = d.pick(["new", "old"] as const),
    depth = 1 << addressBits;
  const leaf = (w: number): Term => a.leaf(u(w));
  const lanes = [1, 2, 4].filter(n => width % n === 0);
  const p: Port = {
    address: given.address ?? leaf(addressBits),
    data: given.data ?? leaf(width),
    enable: given.enable ?? (d.chance(0.7) ? leaf(1) : undefined),
    mask: given.mask ?? (d.chance(0.3) ? leaf(d.pick(lanes)) : undefined),
    read: given.read ?? (d.chance(0.5) ? (given.address ?? leaf(addressBits)) : leaf(addressBits)),
    readEnable: given.readEnable ?? (d.chance(0.3) ? leaf(1) : undefined),
  };
  const init = Array.from({ length: depth }, () => pattern(d, width)),
    words = [...init];
  let data = 0n;
  const at = (i: bigint): number => Number(i) % depth;
  return {
    outputs: { [a.name]: uint(width) },
    build: io => {
      const store = ram(uint<number>(width), { depth, collision, init, name: `${a.name}_store` });
      const write = (): void =>
        store.write(
          (p.enable === undefined ? leaf1(io) : p.enable.hw(io)) as Bit,
          unsigned(p.address.hw(io)),
          unsigned(p.data.hw(io)),
          p.mask === undefined ? undefined : unsigned(p.mask.hw(io)),
        );
      write();
      out(io, a.name).set(
        async
          ? store.readAsync(unsigned(p.read.hw(io)))
          : store.readSync(unsigned(p.read.hw(io)), {
              name: `${a.name}_q`,
              ...(p.readEnable === undefined ? {} : { en: bit(p.readEnable.hw(io)) }),
            }),
      );
    },
    now: i => [[a.name, async ? (words[at(p.read.of(i))] ?? 0n) : data]],
    tick: i => {
      const read = at(p.read.of(i)),
        before = words[read] ?? 0n,
        write = at(p.address.of(i));
      if (p.enable === undefined ? writes(i) : p.enable.of(i) !== 0n) {
        const count = p.mask?.width ?? 1,
          lane = width / count,
          mask = p.mask?.of(i) ?? 1n;
        let cover = 0n;
        for (let n = 0; n < count; n++)
          if (((mask >> BigInt(n)) & 1n) === 1n) cover |= maskOf(lane) << BigInt(n * lane);
        words[write] = ((words[write] ?? 0n) & ~cover) | (p.data.of(i) & cover);
      }
      if (p.readEnable === undefined || p.readEnable.of(i) !== 0n)
        data = collision === "new" ? (words[read] ?? 0n) : before;
    },
  };
}
/** The write enable where none is asked for: an input that every program has. */
const leaf1 = (io: Io): Hw => io["we"] as Hw;
const writes = (i: Inputs): boolean => i.get("we") === 1n;

/** A module that shows its input at once, and an edge later. */
const childOf = (prefix: string, x: Spec) =>
  module(
    `${prefix}Pass${x.signed ? "S" : "U"}${x.width}`,
    () => ({ i: input(shapeOf(x)), o: output(shapeOf(x)), q: output(shapeOf(x)) }),
    io => {
      const ports = io as unknown as Readonly<Record<"i" | "o" | "q", Settable>>;
      const kept = reg(shapeOf(x), { name: "kept", init: 0 as never }) as unknown as Settable;
      kept.set(ports.i);
      ports.o.set(ports.i);
      ports.q.set(kept);
    },
  )();
/** A module that counts, to see its reset. */
const counterOf = (prefix: string) =>
  module(
    `${prefix}Count`,
    () => ({ n: output(uint(3)) }),
    io => {
      const n = reg(uint(3), { init: 5, name: "n_kept" });
      n.set(n.add(1));
      io.n.set(n);
    },
  )();

/** Cases of a value with other values in them: labels, what each gives, and what is given otherwise. */
function casesOf(x: Term, a: Around): { labels: bigint[]; values: Term[]; otherwise: Term; all: boolean } {
  const most = x.width < 3 ? 1 << x.width : 4,
    all = x.width < 3 && a.d.chance(0.5);
  const labels = new Set<bigint>(all ? Array.from({ length: most }, (_, n) => BigInt(n)) : []);
  const count = 1 + a.d.below(most);
  for (let n = 0; n < 3 * count && labels.size < count; n++) labels.add(pattern(a.d, x.width));
  return {
    labels: [...labels],
    values: [...labels].map(() => a.leaf(u(4))),
    otherwise: a.leaf(u(4)),
    all,
  };
}
const property = (name: string, what: (c: Bit, message: string) => void): Position => ({
  name,
  takes: condition,
  // The condition must hold wherever the same value on a wire is 1.
  place: (x, a) =>
    flow(
      a.name,
      x,
      io => {
        const w = wire(uint(1), { name: `${a.name}_w` });
        w.set(unsigned(x.hw(io)).is(1));
        const again = bit(x.hw(io));
        when(w, () => what(again, `${a.name} is what it is on a wire`));
        out(io, a.name).set(w);
      },
      x.of,
    ),
});

export const positions: readonly Position[] = [
  { name: "output", takes: any, place: (x, a) => flow(a.name, x, io => out(io, a.name).set(x.hw(io)), x.of) },
  {
    name: "wire",
    takes: any,
    place: (x, a) =>
      flow(
        a.name,
        x,
        io => {
          const w = wire(shapeOf(x), { name: `${a.name}_w` }) as unknown as Settable;
          w.set(x.hw(io));
          out(io, a.name).set(w);
        },
        x.of,
      ),
  },
  {
    name: "part of a wire",
    takes: bits,
    place: (x, a) => {
      const lo = a.d.below(3),
        rest = a.leaf(u(x.width + 3)),
        mask = maskOf(x.width) << BigInt(lo);
      return flow(
        a.name,
        rest,
        io => {
          const w = wire(uint<number>(rest.width), { name: `${a.name}_w` });
          w.set(unsigned(rest.hw(io)));
          w.setBits(lo, unsigned(x.hw(io)));
          out(io, a.name).set(w);
        },
        i => (rest.of(i) & ~mask) | (x.of(i) << BigInt(lo)),
      );
    },
  },
  { name: "register", takes: any, place: (x, a) => held(a, x, (io, r) => r.set(x.hw(io)), x.of) },
  {
    name: "part of a register",
    takes: bits,
    place: (x, a) => {
      const lo = a.d.below(3),
        mask = maskOf(x.width) << BigInt(lo);
      return held(
        a,
        u(x.width + 3),
        (io, r) => r.setBits(lo, unsigned(x.hw(io))),
        (i, now) => (now & ~mask) | (x.of(i) << BigInt(lo)),
      );
    },
  },
  {
    name: "condition of a wire",
    takes: condition,
    place: (x, a) => {
      const yes = a.leaf(u(3)),
        no = a.leaf(u(3));
      return flow(
        a.name,
        yes,
        io => {
          const w = wire(uint(3), { name: `${a.name}_w` });
          w.set(unsigned(no.hw(io)).is(3));
          when(bit(x.hw(io)), () => w.set(unsigned(yes.hw(io)).is(3)));
          out(io, a.name).set(w);
        },
        i => (x.of(i) !== 0n ? yes.of(i) : no.of(i)),
      );
    },
  },
  {
    name: "enable of a register",
    takes: condition,
    place: (x, a) => {
      const y = a.leaf(u(4));
      return held(a, y, underOf(x, y), nextOf(x, y));
    },
  },
  {
    name: "elseWhen of a register",
    takes: condition,
    place: (x, a) => {
      const first = a.leaf(u(1)),
        [y, z, none] = [a.leaf(u(4)), a.leaf(u(4)), a.leaf(u(4))];
      return held(
        a,
        y,
        (io, r) => {
          when(bit(first.hw(io)), () => r.set(y.hw(io)))
            .elseWhen(bit(x.hw(io)), () => r.set(z.hw(io)))
            .otherwise(() => r.set(none.hw(io)));
        },
        i => (first.of(i) !== 0n ? y : x.of(i) !== 0n ? z : none).of(i),
      );
    },
  },
  {
    name: "one of two conditions alike",
    takes: condition,
    // Registers whose conditions say the same are written as one block: these two must stay apart.
    place: (x, a) => {
      const other = x.twin ?? a.leaf(u(1)),
        // The same condition twice, with something to do where it is 0, or two that differ in a detail.
        both = a.d.chance(0.3),
        one = (name: string, on: Term): Placed => {
          const [y, z] = [a.leaf(u(4)), a.leaf(u(4))];
          return held(
            { ...a, name },
            y,
            (io, r) => {
              const chain = when(bit(on.hw(io)), () => r.set(y.hw(io)));
              if (both) chain.otherwise(() => r.set(z.hw(io)));
            },
            (i, now) => (on.of(i) !== 0n ? y.of(i) : both ? z.of(i) : now),
          );
        },
        first = one(`${a.name}a`, x),
        second = one(`${a.name}b`, both ? x : other);
      return {
        outputs: { ...first.outputs, ...second.outputs },
        build: io => {
          first.build(io);
          second.build(io);
        },
        now: i => [...first.now(i), ...second.now(i)],
        tick: (i, reset) => {
          first.tick?.(i, reset);
          second.tick?.(i, reset);
        },
      };
    },
  },
  ...(["wire", "register"] as const).map((kind): Position => ({
    name: `case subject of a ${kind}`,
    takes: bits.filter(b => b.width < 34),
    place: (x, a) => {
      const { labels, values, otherwise, all } = casesOf(x, a);
      const value = (i: Inputs): bigint => {
        const n = labels.indexOf(x.of(i));
        return (values[n] ?? otherwise).of(i);
      };
      // What is set before the cases stands where none of them is taken, as what is set otherwise does.
      const first = a.d.chance(0.5);
      const build = (io: Io, r: Settable): void => {
        if (first) r.set(otherwise.hw(io));
        const chain = switchOn(unsigned(x.hw(io)));
        labels.forEach((l, n) => chain.is(l, () => r.set(values[n]?.hw(io))));
        if (!all && !first) chain.otherwise(() => r.set(otherwise.hw(io)));
      };
      if (kind === "register") return held(a, u(4), build, value);
      return flow(
        a.name,
        u(4),
        io => {
          const w = wire(uint(4), { name: `${a.name}_w` });
          build(io, w);
          out(io, a.name).set(w);
        },
        value,
      );
    },
  })),
  {
    name: "instance pin",
    takes: any,
    place: (x, a) => {
      let kept = 0n;
      return {
        outputs: { [`${a.name}o`]: shapeOf(x), [`${a.name}q`]: shapeOf(x) },
        build: io => {
          const made = instance(`${a.name}_u`, childOf(a.modules, x)) as unknown as Readonly<Record<string, Settable>>;
          made["i"]?.set(x.hw(io));
          out(io, `${a.name}o`).set(made["o"]);
          out(io, `${a.name}q`).set(made["q"]);
        },
        now: i => [
          [`${a.name}o`, bitsOf(x.of(i), x.width)],
          [`${a.name}q`, kept],
        ],
        tick: (i, reset) => {
          kept = reset ? 0n : bitsOf(x.of(i), x.width);
        },
      };
    },
  },
  {
    name: "instance reset",
    takes: condition,
    place: (x, a) => {
      let n = 0n;
      return {
        outputs: { [a.name]: uint(3) },
        build: io => {
          const made = instance(`${a.name}_u`, counterOf(a.modules), { reset: bit(x.hw(io)) });
          out(io, a.name).set(made.n);
        },
        now: () => [[a.name, n]],
        tick: (i, reset) => {
          n = reset || x.of(i) !== 0n ? 5n : (n + 1n) & 7n;
        },
      };
    },
  },
  { name: "write address", takes: short, place: (x, a) => memory(a, x.width, a.d.pick([8, 4, 36]), { address: x }) },
  { name: "write data", takes: bits, place: (x, a) => memory(a, 2, x.width, { data: x }) },
  { name: "write enable", takes: condition, place: (x, a) => memory(a, 1, 8, { enable: x }) },
  { name: "write mask", takes: [u(1), u(2), u(4)], place: (x, a) => memory(a, 1, 2 * x.width, { mask: x }) },
  { name: "read address", takes: short, place: (x, a) => memory(a, x.width, a.d.pick([8, 36]), { read: x }) },
  { name: "read enable", takes: condition, place: (x, a) => memory(a, 1, 8, { readEnable: x }) },
  { name: "read address at once", takes: short, place: (x, a) => memory(a, x.width, 5, { read: x }, true) },
  {
    name: "index of a vec that is set",
    takes: [u(1), u(2), u(3)],
    place: (x, a) => {
      const width = a.d.pick([1, 2, 5]),
        length = 1 << x.width,
        y = a.leaf(u(width));
      return lanes(a, width, length, x, y);
    },
  },
  {
    name: "element of a vec that is set",
    takes: [u(1), u(2), u(5)],
    place: (x, a) => lanes(a, x.width, a.d.pick([4, 8]), undefined, x),
  },
  {
    name: "index of lanes written out",
    takes: [u(2), u(3), u(4)],
    place: (x, a) => {
      const count = 1 << x.width,
        y = a.leaf(u(1));
      return held(
        a,
        u(count),
        (io, r) => {
          const index = unsigned(x.hw(io));
          for (let n = 0; n < count; n++) when(index.eq(n), () => r.setBits(n, unsigned(y.hw(io))));
        },
        (i, now) => {
          const at = 1n << x.of(i);
          return (now & ~at) | (y.of(i) !== 0n ? at : 0n);
        },
      );
    },
  },
  property("assertion", assertAlways),
  property("assumption", assumeAlways),
  property("cover", cover),
];

/** A register of a vec with one element set in each cycle. */
function lanes(a: Around, width: number, length: number, x: Term | undefined, y: Term): Placed {
  const index = x ?? a.leaf(u(Math.log2(length))),
    first = Array.from({ length }, () => pattern(a.d, width)),
    words = [...first];
  return {
    outputs: Object.fromEntries(words.map((_, n) => [`${a.name}e${n}`, uint(width)])),
    build: io => {
      const r = reg(vec(uint<number>(width), length), {
        name: `${a.name}_v`,
        init: first as never,
      }) as unknown as SettableVec;
      r.setAt(unsigned(index.hw(io)), unsigned(y.hw(io)));
      words.forEach((_, n) => out(io, `${a.name}e${n}`).set(r.at(n)));
    },
    now: () => words.map((w, n) => [`${a.name}e${n}`, w]),
    tick: (i, reset) => {
      if (reset) first.forEach((w, n) => (words[n] = w));
      else words[Number(index.of(i))] = y.of(i);
    },
  };
}
