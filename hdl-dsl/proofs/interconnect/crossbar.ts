/**
 * The crossbar's writes between two masters and two slaves, and an address of nobody: no state is reached in which all
 * sides are willing and nothing moves; and every answer goes to who asked.
 */
import { input, output } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { instance, module } from "../../build/module.ts";
import { assertAlways, cover, mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { Axi4Crossbar } from "../../lib/index.ts";
import { orTree } from "../../vectors/index.ts";
import type { Proof } from "../harness/proof.ts";

const ADDRESS = 14,
  PAGE = 12,
  /** Willing cycles in which nothing moves, at most: from the order of an address to its data, and back. */
  STILL = 4;
const dut = Axi4Crossbar({
  addressBits: ADDRESS,
  idBits: 1,
  beatBytes: 1,
  masters: 2,
  slaves: [
    { base: 0, size: 2 ** PAGE },
    { base: 2 ** PAGE, size: 2 ** PAGE },
  ],
  outstanding: 2,
});

interface Channel {
  readonly valid: Bit & { set(v: unknown): void };
  readonly ready: Bit & { set(v: unknown): void };
  readonly fire: Bit;
  readonly payload: { set(v: unknown): void } & Readonly<Record<string, UInt>>;
}
type Ports = Readonly<Record<string, Channel>>;

/** A bit that may rise at any time, and stays until its offer is taken. */
function offer(free: Bit, may: Bit, taken: Bit, name: string): Bit {
  const held = reg(bit, { init: 0, name: `${name}_held` });
  const now = node(held.or(free.and(may)), { name: `${name}_offers` });
  held.set(now.andNot(taken));
  return now;
}

/** A master of writes of one beat: addresses and data in either order, two under way at most. */
function master(
  unit: Ports,
  m: number,
  free: UInt,
): { readonly busy: Bit; readonly willing: Bit; readonly moved: Bit } {
  const aw = unit[`s${m}Aw`] as Channel,
    w = unit[`s${m}W`] as Channel,
    b = unit[`s${m}B`] as Channel;
  const count = (name: string, up: Bit, down: Bit): UInt => {
    const n = reg(uint(2), { init: 0, name: `model_${name}_${m}` });
    n.set(n.add(up.zext(2)).sub(down.zext(2)));
    return n;
  };
  const open = count("open", aw.fire, b.fire),
    // Data that have gone less addresses: 0 and 1 are ahead, 3 is one behind, 2 two behind.
    ahead = count("ahead", w.fire, aw.fire);
  const target = reg(uint(2), { name: `model_target_${m}` }),
    waits = reg(bit, { init: 0, name: `model_waits_${m}` });
  const asks = offer(free.bit(0), open.ne(2), aw.fire, `aw_${m}`);
  waits.set(asks.andNot(aw.fire));
  const to = node(mux(waits, target, free.bits(1, 2)), { name: `model_to_${m}` });
  target.set(to);
  aw.valid.set(asks);
  aw.payload.set({ addr: cat(to, constant(0, PAGE)), id: free.bit(3), len: 0, size: 0, burst: 1 });
  const gives = offer(free.bit(4), ahead.ne(1), w.fire, `w_${m}`);
  w.valid.set(gives);
  w.payload.set({ data: 0, strb: 1, last: 1 });
  b.ready.set(free.bit(5));
  assertAlways(b.fire.not().or(open.ne(0)), `master ${m}: an answer is a write's`);
  assertAlways(b.fire.not().or(ahead.ne(2)).or(open.eq(3)), `master ${m}: no answer before its data`);
  const owes = ahead.bit(1);
  return {
    busy: open.any().or(asks).or(gives),
    willing: free.bit(5).and(owes.not().or(gives)),
    moved: orTree([aw.fire, w.fire, b.fire]),
  };
}

/** A slave with one write at a time: it answers when it has the address and the data. */
function slave(unit: Ports, s: number, free: UInt): { readonly busy: Bit; readonly willing: Bit; readonly moved: Bit } {
  const aw = unit[`m${s}Aw`] as Channel,
    w = unit[`m${s}W`] as Channel,
    b = unit[`m${s}B`] as Channel;
  const address = reg(bit, { init: 0, name: `model_address_${s}` }),
    data = reg(bit, { init: 0, name: `model_data_${s}` }),
    id = reg(uint(2), { name: `model_id_${s}` });
  aw.ready.set(address.not().and(free.bit(0)));
  w.ready.set(data.not().and(free.bit(1)));
  const answers = offer(free.bit(2), address.and(data), b.fire, `b_${s}`);
  b.valid.set(answers);
  b.payload.set({ id, resp: 0 });
  when(aw.fire, () => {
    address.set(1);
    id.set(aw.payload["id"] as UInt);
  });
  when(w.fire, () => data.set(1));
  when(b.fire, () => {
    address.set(0);
    data.set(0);
  });
  const here = (aw.payload["addr"] as UInt).bits(PAGE, 2).eq(s);
  assertAlways(aw.valid.not().or(here), `slave ${s}: addresses of its own`);
  return {
    busy: address.or(data),
    willing: free.bits(0, 2).all().and(address.and(data).not().or(answers)),
    moved: orTree([aw.fire, w.fire, b.fire]),
  };
}

const harness = module(
  "CrossbarProof",
  () => ({
    free0: input(uint(6)),
    free1: input(uint(6)),
    own0: input(uint(3)),
    own1: input(uint(3)),
    still: output(uint(3)),
  }),
  io => {
    const unit = instance("dut", dut) as unknown as Ports;
    for (const m of [0, 1]) {
      const ar = unit[`s${m}Ar`] as Channel;
      ar.valid.set(0);
      ar.payload.set({ addr: 0, id: 0, len: 0, size: 0, burst: 0 });
      (unit[`s${m}R`] as Channel).ready.set(1);
      (unit[`m${m}Ar`] as Channel).ready.set(1);
      const r = unit[`m${m}R`] as Channel;
      r.valid.set(0);
      r.payload.set({ data: 0, id: 0, resp: 0, last: 0 });
    }
    const sides = [
      master(unit, 0, io.free0),
      master(unit, 1, io.free1),
      slave(unit, 0, io.own0),
      slave(unit, 1, io.own1),
    ];
    const busy = orTree(sides.map(s => s.busy)),
      willing = sides.map(s => s.willing).reduce((a, b) => a.and(b)),
      moved = orTree(sides.map(s => s.moved));
    const still = reg(uint(3), { init: 0, name: "model_still" });
    when(busy.andNot(moved).and(willing), () => still.set(still.add(1))).otherwise(() => still.set(0));
    io.still.set(still);
    assertAlways(still.lt(STILL), "where all sides are willing something moves");
    cover(still.eq(1), "a cycle in which nothing moves");
    const answered = unit["s0B"] as Channel;
    cover(answered.fire.and((answered.payload["resp"] as UInt).eq(3)), "an address of nobody is answered");
    cover((unit["s0B"] as Channel).fire.and((unit["s1B"] as Channel).fire), "two answers at once");
  },
);

export const crossbarProof: Proof = {
  module: "Axi4Crossbar, writes of 2 masters to 2 slaves",
  long: "minutes",
  harness: harness(),
  reach: 24,
  faults: [
    {
      what: "a write for another slave does not wait for the answers of the one before",
      from: /wire aw_open_0 = [^;]*;/,
      to: "wire aw_open_0 = aw_count_0 != 2'd2;",
    },
  ],
};
