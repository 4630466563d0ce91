/**
 * Writes of two masters at two slaves through the crossbar, and at addresses of nobody. Masters give data and addresses
 * in either order, bursts of one or two beats, two writes under way each; slaves take both in either order, one write
 * at a time, which is what gives them the least room.
 */
import { input } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { type Def, module } from "../../build/module.ts";
import { assertAlways, cover, mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { axiResponse } from "../../lib/index.ts";
import { orTree } from "../../vectors/index.ts";
import { type Line, line } from "../axi/line.ts";
import type { Fault, Proof } from "../harness/proof.ts";
import { moduleObeys } from "../harness/rules.ts";
import {
  all,
  type Channel,
  crossbarOf,
  type Entry,
  field,
  first,
  howMany,
  neverStill,
  offer,
  ORDERED,
  OUTSTANDING,
  PAGE,
  type Ports,
  type Side,
} from "./crossbar-sides.ts";

/** What is claimed besides where the writes are. */
type Claim = "order" | "progress";
const one = constant(1, 1);

interface MasterSide extends Side {
  readonly aw: Channel;
  readonly b: Channel;
  /** Slaves of the writes that are not answered, and of those whose data are not all taken. */
  readonly open: Line;
  readonly owing: Line;
  readonly ends: Bit;
  /** An address that is taken is of this slave. */
  readonly asks: (slave: number) => Bit;
  /** Turns with each address: it tells one write from the other. */
  readonly tag: UInt;
}
interface SlaveSide extends Side {
  readonly aw: Channel;
  readonly w: Channel;
  readonly address: Bit;
  readonly id: UInt;
  readonly data: Bit;
}
function turn(event: Bit, name: string): Bit {
  const t = reg(bit, { init: 0, name, mayBeUnread: true });
  when(event, () => t.set(t.not()));
  return t;
}

function master(unit: Ports, m: number, free: UInt, claim: Claim): MasterSide {
  const [aw, w, b] = ["Aw", "W", "B"].map(c => unit[`s${m}${c}`]) as [Channel, Channel, Channel];
  const open = line(`model_open_${m}`, OUTSTANDING, 2),
    owing = line(`model_owing_${m}`, OUTSTANDING, 2),
    second = reg(bit, { init: 0, name: `model_second_${m}` });
  const asks = offer(free.bit(0), open.full.not(), free.bits(1, 2), aw.fire, `model_aw_${m}`),
    gives = offer(free.bit(3), one, free.bit(4), w.fire, `model_w_${m}`),
    last = node(gives.says.or(second), { name: `model_last_${m}` }),
    ends = node(w.fire.and(last), { name: `model_ends_${m}` });
  when(w.fire, () => second.set(last.not()));
  const tag = turn(aw.fire, `model_asked_${m}`),
    gave = turn(ends, `model_gave_${m}`),
    got = turn(b.fire, `model_got_${m}`);
  open.step({ push: aw.fire, value: asks.says, at: first(OUTSTANDING, b.fire), drop: one });
  owing.step({ push: aw.fire, value: asks.says, at: first(OUTSTANDING, ends), drop: one });
  aw.valid.set(asks.valid);
  aw.payload.set({ addr: cat(asks.says, constant(0, PAGE)), id: tag, len: 0, size: 0, burst: 1 });
  w.valid.set(gives.valid);
  w.payload.set({ data: cat(constant(m, 1), gave).zext(8), strb: 1, last });
  b.ready.set(free.bit(5));
  if (claim === "order") {
    const given = (x: Bit): Bit => b.valid.not().or(x),
      id = field(b, "id"),
      resp = field(b, "resp"),
      nobody = (open.entries[0] as Entry).value.bit(1);
    assertAlways(given(open.any), `master ${m}: an answer is a write's`);
    assertAlways(given(open.full.or(owing.any.not()).and(owing.full.not())), `master ${m}: no answer before its data`);
    assertAlways(given(id.eq(got)), `master ${m}: each answer once, in the order of its writes, with its ID`);
    assertAlways(
      given(resp.eq(axiResponse.DECERR).eq(nobody)),
      `master ${m}: errors answer addresses of nobody, and those alone`,
    );
    moduleObeys({ valid: b.valid, ready: b.ready, payload: cat(id, resp) }, `model_b_of_${m}`);
  }
  return {
    aw,
    b,
    open,
    owing,
    ends,
    tag,
    asks: s => aw.fire.and(asks.says.eq(s)),
    busy: open.any.or(asks.valid).or(gives.valid),
    // Whoever gives data gives their address, and the reverse.
    willing: all([b.ready, owing.any.not().or(gives.valid), gives.valid.or(second).not().or(owing.any).or(asks.valid)]),
    moved: orTree([aw.fire, w.fire, b.fire]),
  };
}

function slave(unit: Ports, s: number, free: UInt, claim: Claim): SlaveSide {
  const [aw, w, b] = ["Aw", "W", "B"].map(c => unit[`m${s}${c}`]) as [Channel, Channel, Channel];
  const address = reg(bit, { init: 0, name: `model_address_${s}` }),
    data = reg(bit, { init: 0, name: `model_data_${s}` }),
    begun = reg(bit, { init: 0, name: `model_begun_${s}`, mayBeUnread: true }),
    of = reg(uint(2), { name: `model_of_${s}`, mayBeUnread: true }),
    id = reg(uint(2), { name: `model_id_${s}` });
  const last = field(w, "last"),
    source = field(w, "data").trunc(2);
  aw.ready.set(address.not().and(free.bit(0)));
  w.ready.set(data.not().and(free.bit(1)));
  const answers = offer(free.bit(2), address.and(data), constant(0, 1), b.fire, `model_b_${s}`);
  b.valid.set(answers.valid);
  b.payload.set({ id, resp: 0 });
  when(aw.fire, () => {
    address.set(1);
    id.set(field(aw, "id"));
  });
  when(w.fire, () => {
    of.set(source);
    begun.set(last.not());
    data.set(last);
  });
  when(b.fire, () => {
    address.set(0);
    data.set(0);
  });
  if (claim === "order") {
    const to = field(aw, "addr").bits(PAGE, 2);
    assertAlways(aw.valid.not().or(to.eq(s)), `slave ${s}: addresses of its own`);
    assertAlways(address.and(data.or(begun)).not().or(id.eq(of)), `slave ${s}: data of the write whose address it is`);
    assertAlways(w.valid.and(begun).not().or(of.eq(source)), `slave ${s}: a burst is of one write`);
    moduleObeys({ valid: aw.valid, ready: aw.ready, payload: cat(to, field(aw, "id")) }, `model_aw_of_${s}`);
    moduleObeys({ valid: w.valid, ready: w.ready, payload: cat(source, last) }, `model_w_of_${s}`);
  }
  return {
    aw,
    w,
    address,
    id,
    data,
    busy: orTree([address, data, begun]),
    willing: all([aw.ready.or(address), w.ready.or(data), address.and(data).not().or(answers.valid)]),
    moved: orTree([aw.fire, w.fire, b.fire]),
  };
}

/** Where writes are that are under way, as the ports tell of it: with this the engines need not find it out. */
function whereabouts(masters: readonly MasterSide[], slaves: readonly SlaveSide[]): void {
  const places = slaves.map((s, i) => {
    // Addresses that have not come out, and those whose data have not passed; each with its master and tag.
    const stage = line(`model_stage_${i}`, 2, 2),
      owed = line(`model_owed_${i}`, ORDERED, 2);
    const comes = masters.map(m => m.asks(i)),
      push = orTree(comes),
      value = cat(
        comes[1] as Bit,
        mux(comes[1] as Bit, (masters[1] as MasterSide).tag, (masters[0] as MasterSide).tag),
      ),
      [next] = owed.entries as [Entry],
      passed = orTree(masters.map((m, k) => m.ends.and(next.there).and(next.value.bit(1).eq(k))));
    stage.step({ push, value, at: first(2, s.aw.fire), drop: one });
    owed.step({ push, value, at: first(ORDERED, passed), drop: one });
    const front = (stage.entries[0] as Entry).value.eq(field(s.aw, "id"));
    assertAlways(s.aw.valid.eq(stage.any), `slave ${i}: its addresses come out, and no other`);
    assertAlways(s.aw.valid.not().or(front), `slave ${i}: addresses come out in the order of their coming`);
    const addresses = [...stage.entries.map(e => e.there), s.address],
      datas = [...owed.entries.map(e => e.there), s.w.valid.and(field(s.w, "last")), s.data];
    assertAlways(howMany(addresses).eq(howMany(datas)), `slave ${i}: each address has its data`);
    return {
      under: (k: number): Bit[] => [
        ...stage.entries.map(e => e.there.and(e.value.bit(1).eq(k))),
        s.address.and(s.id.bit(1).eq(k)),
      ],
      owed: (k: number): Bit[] => owed.entries.map(e => e.there.and(e.value.bit(1).eq(k))),
    };
  });
  masters.forEach((m, k) => {
    const at = places.map(p => orTree(p.under(k)));
    assertAlways(all(at).not(), `master ${k}: its writes under way are at one slave`);
    places.forEach((p, i) => {
      const mine = (l: Line): UInt => howMany(l.entries.map(e => e.there.and(e.value.eq(i)))),
        answered = m.b.valid.and((m.open.entries[0] as Entry).value.eq(i));
      assertAlways(
        mine(m.open).eq(howMany([...p.under(k), answered])),
        `master ${k}: its writes at slave ${i} are there`,
      );
      assertAlways(mine(m.owing).eq(howMany(p.owed(k))), `master ${k}: its data for slave ${i} are awaited there`);
    });
  });
}

const harness = (claim: Claim): Def =>
  module(
    `CrossbarWrites_${claim}`,
    () => ({ master0: input(uint(6)), master1: input(uint(6)), slave0: input(uint(3)), slave1: input(uint(3)) }),
    io => {
      const unit = crossbarOf("writes");
      const masters = [master(unit, 0, io.master0, claim), master(unit, 1, io.master1, claim)] as const,
        slaves = [slave(unit, 0, io.slave0, claim), slave(unit, 1, io.slave1, claim)] as const;
      whereabouts(masters, slaves);
      if (claim === "progress") neverStill([...masters, ...slaves]);
      cover(masters[0].b.fire.and(masters[1].b.fire), "two writes end at once");
      cover(masters[0].open.full.and(masters[1].open.full), "two writes of each master are under way");
      cover(masters[0].b.fire.and(field(masters[0].b, "resp").eq(axiResponse.DECERR)), "a write to nobody is answered");
    },
  )();
/** From here to there in the Verilog, whatever stands between. */
const later = "[\\s\\S]*?";
const circle: Fault = {
  what: "a master's writes go to two slaves at once: a circle of data that wait for one another",
  from: new RegExp(
    [0, 1].map(m => `(wire aw_open_${m} = )[^;]*(;${later})`).join("") +
      [0, 1].flatMap(m => [0, 1].map(s => `(assign b_${m}_from_${s} = )aw_at_${m}\\[${s}\\] & `)).join(`(${later})`),
  ),
  to: "$1aw_count_0 != 2'd2$2$3aw_count_1 != 2'd2$4$5$6$7$8$9$10$11",
};
const named = (what: string): string => `Axi4Crossbar, writes of 2 masters to 2 slaves: ${what}`;
export const crossbarWriteProofs: readonly Proof[] = [
  {
    module: named("no deadlock"),
    long: "minutes",
    by: "abc pdr",
    harness: harness("progress"),
    reach: 18,
    faults: [
      circle,
      {
        what: "an address goes on without a place in the order of data",
        from: /wire address_0_valid = [^;]*;/,
        to: "wire address_0_valid = aw_slave_0_valid;",
      },
      { what: "a turn ends with the first beat", from: " & data_0_payload_last;", to: ";" },
      {
        what: "a write that ends as another begins is counted twice",
        from: "aw_ready & ~(answers_0_valid & answers_0_ready)) aw_count_0",
        to: "aw_ready) aw_count_0",
      },
    ],
  },
  {
    module: named("order"),
    long: "minutes",
    by: "abc pdr",
    harness: harness("order"),
    reach: 18,
    faults: [
      {
        what: "data go by the order of the other slave",
        from: /assign turn_0_0 = [^;]*;/,
        to: "assign turn_0_0 = order_0_pop_valid & ~order_1_pop_payload;",
      },
      {
        what: "the order has the master that asks, not the one that is served",
        from: ".push_payload (aw_slave_0_payload_id[1])",
        to: ".push_payload (s1_aw_valid)",
      },
      {
        what: "an answer goes to the other master",
        from: /assign b_0_from_0 = [^;]*;/,
        to: "assign b_0_from_0 = aw_at_0[0];",
      },
      { what: "data are replaced under a stall", from: /wire data_0_ready = [^;]*;/, to: "wire data_0_ready = 1'b1;" },
      {
        what: "a master changes its slave while one write is under way",
        from: /\(aw_count_0 == 2'd0\) \|/,
        to: "(aw_count_0 != 2'd2) |",
      },
    ],
  },
];
