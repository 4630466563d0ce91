/**
 * Reads of two masters at two slaves through the crossbar, and at addresses of nobody: two of each master under way,
 * of two IDs and one or two beats; slaves have two reads, and answer IDs in any order, beats of them mixed.
 */
import { input } from "../../types/ports.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node } from "../../build/declare.ts";
import { type Def, module } from "../../build/module.ts";
import { assertAlways, cover, mux } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { uint } from "../../types/shape.ts";
import { axiResponse } from "../../lib/index.ts";
import { orTree } from "../../vectors/index.ts";
import { line } from "../axi/line.ts";
import type { Proof } from "../harness/proof.ts";
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
  OUTSTANDING,
  PAGE,
  type Ports,
  type Side,
} from "./crossbar-sides.ts";

/** What is claimed besides where the reads are. */
type Claim = "order" | "progress";
interface MasterSide extends Side {
  readonly several: Bit;
  readonly r: Channel;
  /** An address that is taken is of this slave. */
  readonly asks: (slave: number) => Bit;
  /** Slave (2), ID, beats behind the one at hand. */
  readonly entries: readonly Entry[];
  /** The last beat of a read of this slave stands at the master. */
  readonly leaves: (slave: number) => Bit;
}
interface SlaveSide extends Side {
  readonly mixes: Bit;
  readonly ar: Channel;
  /** Master, ID, beats behind the one at hand. */
  readonly entries: readonly Entry[];
}

function master(unit: Ports, m: number, free: UInt, claim: Claim): MasterSide {
  const [ar, r] = ["Ar", "R"].map(c => unit[`s${m}${c}`]) as [Channel, Channel],
    [id, last, resp, data] = ["id", "last", "resp", "data"].map(f => field(r, f)) as [UInt, UInt, UInt, UInt];
  const reads = line(`model_reads_${m}`, OUTSTANDING, 4);
  const asks = offer(free.bit(0), reads.full.not(), free.bits(1, 4), ar.fire, `model_ar_${m}`),
    to = asks.says.bits(2, 2);
  ar.valid.set(asks.valid);
  ar.payload.set({
    addr: cat(to, constant(0, PAGE)),
    id: asks.says.bit(1),
    len: asks.says.bit(0).zext(8),
    size: 0,
    burst: 1,
  });
  r.ready.set(free.bit(5));
  const at = reads.oldest(v => v.bit(1).eq(id)),
    [older, newer] = reads.entries as [Entry, Entry];
  const of = node(mux(at[0] as Bit, older.value, newer.value), { name: `model_read_${m}` }),
    target = of.bits(2, 2),
    ends = last as Bit;
  reads.step({
    push: ar.fire,
    value: asks.says,
    at: at.map(here => here.and(r.fire)),
    drop: ends,
    changed: cat(target, id, constant(0, 1)),
  });
  if (claim === "order") {
    const given = (b: Bit): Bit => r.valid.not().or(b),
      error = resp.eq(axiResponse.DECERR);
    assertAlways(given(orTree(at)), `master ${m}: a beat only for a read that was taken, with its ID`);
    assertAlways(
      given(ends.eq(of.bit(0).not())),
      `master ${m}: as many beats as were asked for, in the order of an ID`,
    );
    assertAlways(
      given(mux(target.bit(1), error, error.not().and(data.bit(0).eq(target.bit(0))))),
      `master ${m}: beats are those of the slave that was asked, and errors for addresses of nobody`,
    );
    moduleObeys({ valid: r.valid, ready: r.ready, payload: cat(id, ends, resp, data.bit(0)) }, `model_r_of_${m}`);
  }
  return {
    several: reads.full,
    r,
    asks: s => ar.fire.and(to.eq(s)),
    entries: reads.entries,
    leaves: s => r.valid.and(ends).and(target.eq(s)),
    busy: reads.any.or(asks.valid),
    willing: r.ready,
    moved: ar.fire.or(r.fire),
  };
}

function slave(unit: Ports, s: number, free: UInt, claim: Claim): SlaveSide {
  const [ar, r] = ["Ar", "R"].map(c => unit[`m${s}${c}`]) as [Channel, Channel];
  const under = line(`model_under_${s}`, 2, 3),
    [older, newer] = under.entries as [Entry, Entry];
  const long = field(ar, "len").bit(0),
    id = field(ar, "id");
  ar.ready.set(under.full.not().and(free.bit(0)));
  // The newer one may go first where its ID is another.
  const other = newer.there.and(older.value.bits(1, 2).ne(newer.value.bits(1, 2))),
    answers = offer(free.bit(1), older.there, free.bit(2).and(other), r.fire, `model_r_${s}`),
    late = answers.says.bit(0);
  const of = node(mux(late, newer.value, older.value), { name: `model_answers_${s}` }),
    ends = of.bit(0).not();
  r.valid.set(answers.valid);
  r.payload.set({ data: constant(s, 8), id: of.bits(1, 2), resp: 0, last: ends });
  under.step({
    push: ar.fire,
    value: cat(id, long),
    at: [r.fire.andNot(late), r.fire.and(late)],
    drop: ends,
    changed: cat(of.bits(1, 2), constant(0, 1)),
  });
  if (claim === "order") {
    const to = field(ar, "addr").bits(PAGE, 2);
    assertAlways(ar.valid.not().or(to.eq(s)), `slave ${s}: addresses of its own`);
    moduleObeys({ valid: ar.valid, ready: ar.ready, payload: cat(to, id, long) }, `model_ar_of_${s}`);
  }
  return {
    mixes: late.and(r.fire).andNot(ends),
    ar,
    entries: under.entries,
    busy: under.any,
    willing: ar.ready.or(under.full).and(answers.valid.or(under.any.not())),
    moved: ar.fire.or(r.fire),
  };
}

/** Where reads are that are under way, as the ports tell of it: with this the engines need not find it out. */
function whereabouts(masters: readonly MasterSide[], slaves: readonly SlaveSide[]): void {
  const places = slaves.map((s, i) => {
    // The masters of addresses that have not come out.
    const comes = masters.map(m => m.asks(i)),
      stage = line(`model_stage_${i}`, 2, 1);
    stage.step({ push: orTree(comes), value: comes[1] as Bit, at: first(2, s.ar.fire), drop: constant(1, 1) });
    const front = field(s.ar, "id")
      .bit(1)
      .eq((stage.entries[0] as Entry).value);
    assertAlways(s.ar.valid.eq(stage.any), `slave ${i}: its addresses come out, and no other`);
    assertAlways(s.ar.valid.not().or(front), `slave ${i}: addresses come out in the order of their coming`);
    return (k: number): Bit[] => [
      ...stage.entries.map(e => e.there.and(e.value.eq(k))),
      ...s.entries.map(e => e.there.and(e.value.bit(2).eq(k))),
    ];
  });
  masters.forEach((m, k) => {
    assertAlways(all(places.map(p => orTree(p(k)))).not(), `master ${k}: its reads under way are at one slave`);
    places.forEach((p, i) => {
      const mine = m.entries.map(e => e.there.and(e.value.bits(2, 2).eq(i)));
      assertAlways(howMany(mine).eq(howMany([...p(k), m.leaves(i)])), `master ${k}: its reads at slave ${i} are there`);
    });
  });
}

const harness = (claim: Claim): Def =>
  module(
    `CrossbarReads_${claim}`,
    () => ({ master0: input(uint(6)), master1: input(uint(6)), slave0: input(uint(3)), slave1: input(uint(3)) }),
    io => {
      const unit = crossbarOf("reads");
      const masters = [master(unit, 0, io.master0, claim), master(unit, 1, io.master1, claim)] as const,
        slaves = [slave(unit, 0, io.slave0, claim), slave(unit, 1, io.slave1, claim)] as const;
      whereabouts(masters, slaves);
      if (claim === "progress") neverStill([...masters, ...slaves]);
      const [r, other] = masters.map(m => m.r) as [Channel, Channel];
      cover(masters[0].several.and(masters[1].several), "two reads of each master are under way");
      cover(slaves[0].mixes, "a slave mixes the beats of two reads");
      cover(r.fire.and(other.fire), "two beats go at once");
      cover(r.fire.and(field(r, "resp").eq(axiResponse.DECERR)), "a read from nobody is answered");
    },
  )();

const named = (what: string): string => `Axi4Crossbar, reads of 2 masters from 2 slaves: ${what}`;
export const crossbarReadProofs: readonly Proof[] = [
  {
    module: named("no deadlock"),
    long: "minutes",
    by: "abc pdr",
    harness: harness("progress"),
    faults: [
      {
        what: "a read for another slave does not wait for the answers of the one before",
        from: /wire ar_open_0 = [^;]*;/,
        to: "wire ar_open_0 = ar_count_0 != 2'd2;",
      },
      { what: "an answer ends with its first beat", from: / & data_for_0_payload_last/g, to: "" },
      { what: "errors are given at the slave that was asked last", from: /ar_at_0\[2\]/, to: "ar_at_0[1]" },
    ],
  },
  {
    module: named("order"),
    long: "minutes",
    by: "abc pdr",
    harness: harness("order"),
    faults: [
      {
        what: "a master changes its slave while one read is under way",
        from: /\(ar_count_0 == 2'd0\) \|/,
        to: "(ar_count_0 != 2'd2) |",
      },
      {
        what: "an answer goes to the other master",
        from: /assign r_0_from_0 = [^;]*;/,
        to: "assign r_0_from_0 = ar_at_0[0];",
      },
      {
        what: "a beat is replaced under a stall",
        from: /assign data_for_0_ready = [^;]*;/,
        to: "assign data_for_0_ready = 1'b1;",
      },
      { what: "errors end a beat late", from: "no_read_0_left == 8'd0", to: "no_read_0_left == 8'd1" },
    ],
  },
];
