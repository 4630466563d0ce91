import { flip, type Flipped, mergePorts } from "../../types/ports.ts";
import { uint } from "../../types/shape.ts";
import type { Bit, End, Inside, Stream, StreamIn } from "../../types/value.ts";
import { node } from "../../build/declare.ts";
import { endOf } from "../../build/ends.ts";
import { instance, module } from "../../build/module.ts";
import { onehotMux } from "../../build/statements.ts";
import { connect } from "../../stream/connect.ts";
import { stage } from "../../stream/stage.ts";
import { stream } from "../../stream/stream.ts";
import { orTree } from "../../vectors/index.ts";
import {
  type Axi4Address,
  axi4Bus,
  type Axi4Channels,
  axi4Master,
  type Axi4Parameters,
  axi4Read,
  type Axi4Read,
  axi4Response,
  type Axi4Response,
  axi4Slave,
  type Axi4Write,
  axi4Write,
} from "../axi/index.ts";
import { Fifo } from "../queues/index.ts";
import { type AddressRange, checkRanges } from "./address-map.ts";
import { numberBits, type Requests, routeAnswers, routeRequests, type Sizes } from "./crossbar-routes.ts";
import { readErrors, writeErrors } from "./decode-errors.ts";

/** Widths of the masters' buses, how many there are, and where the slaves are. */
export interface Axi4CrossbarParameters extends Axi4Parameters {
  /** Masters, 2 or more. */
  readonly masters: number;
  /** Addresses of each slave, 1 or more of them; an address of none is answered with DECERR. */
  readonly slaves: readonly AddressRange[];
  /** Reads, and writes, of a master that may be under way; 8 when left out. */
  readonly outstanding?: number;
  /** Writes of a slave whose data have not all come, 1 or more; twice the masters when left out. */
  readonly ordered?: number;
}
/** ID bits of the slaves' buses: the master's number stands above its ID. */
export const crossbarIdBits = (p: Pick<Axi4CrossbarParameters, "masters" | "idBits">): number =>
  p.idBits + numberBits(p.masters);

type Numbered<N extends string, C> = { readonly [K in keyof C & string as `${N}${number}${Capitalize<K>}`]: C[K] };
/** `s0Aw` and so on of the masters, `m0Aw` and so on of the slaves. */
export type Axi4CrossbarPorts = Numbered<"s", Flipped<Axi4Channels>> & Numbered<"m", Axi4Channels>;

type MasterEnd = End<Flipped<Axi4Channels>>;
type SlaveEnd = End<Axi4Channels>;
const sizesOf = (p: Axi4CrossbarParameters): Sizes => ({
  ...p,
  outstanding: p.outstanding ?? 8,
  ordered: p.ordered ?? 2 * p.masters,
});

/**
 * Data follow their addresses: each slave takes them from the masters in the order of the addresses that it was
 * given.
 */
function routeData(
  p: Sizes,
  masters: readonly MasterEnd[],
  slaves: readonly SlaveEnd[],
  aw: Requests,
): readonly Bit[][] {
  const taken: Bit[][] = masters.map(() => []);
  slaves.forEach((slave, i) => {
    const order = instance(
      `order_${i}`,
      Fifo({ shape: uint(numberBits(p.masters)), depth: p.ordered, style: "distributed" }),
    );
    // An address goes on when its place in the order is kept; the register lets its data come before it is taken.
    const chosen = aw.chosen[i] as StreamIn<Axi4Address>,
      address: Stream<Axi4Address> = stream(chosen.shape, { name: `address_${i}` });
    address.valid.set(chosen.valid.and(order.push.ready));
    address.payload.set(chosen.payload);
    chosen.ready.set(address.ready.and(order.push.ready));
    order.push.valid.set(chosen.valid.and(address.ready));
    order.push.payload.set(chosen.payload.id.bits(p.idBits, numberBits(p.masters)));
    connect(stage(address as StreamIn<Axi4Address>, "full", { name: `aw_${i}` }), slave.aw);
    const data: Stream<Axi4Write> = stream(axi4Write(p.beatBytes), { name: `data_${i}` });
    const turns = masters.map((_, m) => node(order.pop.valid.and(order.pop.payload.eq(m)), { name: `turn_${i}_${m}` }));
    data.valid.set(orTree(masters.map((s, m) => s.w.valid.and(turns[m] as Bit))));
    data.payload.set(
      onehotMux(
        turns,
        masters.map(s => s.w.payload),
      ),
    );
    order.pop.ready.set(data.fire.and(data.payload.last));
    turns.forEach((t, m) => (taken[m] as Bit[]).push(t.and(data.ready)));
    connect(stage(data as StreamIn<Axi4Write>, "forward", { name: `w_${i}` }), slave.w);
  });
  return taken;
}

function writes(p: Sizes, masters: readonly MasterEnd[], slaves: readonly SlaveEnd[]): void {
  const aw = routeRequests(
      p,
      masters.map(s => s.aw),
      "aw",
    ),
    taken = routeData(p, masters, slaves, aw);
  const errors = masters.map((s, m) => {
    const e = writeErrors(p, aw.lost[m] as StreamIn<Axi4Address>, `no_write_${m}`);
    s.w.ready.set(orTree([...(taken[m] as Bit[]), e.takes]));
    e.data(e.takes.and(s.w.valid).and(s.w.payload.last));
    return e.answers;
  });
  const out = masters.map((s, m) => {
    const answers: Stream<Axi4Response> = stream(axi4Response(p), { name: `answers_${m}` }),
      { at, done } = aw.underway[m] as Requests["underway"][number];
    connect(stage(answers as StreamIn<Axi4Response>, "forward", { name: `b_${m}` }), s.b);
    done(answers.fire);
    return { out: answers, at };
  });
  routeAnswers<Axi4Response>(
    p,
    slaves.map(m => m.b),
    errors,
    out,
    "b",
  );
}

function reads(p: Sizes, masters: readonly MasterEnd[], slaves: readonly SlaveEnd[]): void {
  const ar = routeRequests(
    p,
    masters.map(s => s.ar),
    "ar",
  );
  slaves.forEach((s, i) => connect(stage(ar.chosen[i] as StreamIn<Axi4Address>, "full", { name: `ar_${i}` }), s.ar));
  const errors = masters.map((_, m) => readErrors(p, ar.lost[m] as StreamIn<Axi4Address>, `no_read_${m}`));
  const out = masters.map((s, m) => {
    const answers: Stream<Axi4Read> = stream(axi4Read(p), { name: `data_for_${m}` }),
      { at, done } = ar.underway[m] as Requests["underway"][number];
    connect(stage(answers as StreamIn<Axi4Read>, "forward", { name: `r_${m}` }), s.r);
    done(answers.fire.and(answers.payload.last));
    return { out: answers, at };
  });
  routeAnswers<Axi4Read>(
    p,
    slaves.map(m => m.r),
    errors,
    out,
    "r",
  );
}

/**
 * AXI4 crossbar: any number of masters (`s0` and up) and slaves (`m0` and up), all pairs at once. The slaves see the
 * master's number above its ID, and may answer IDs in any order, mixed too. An address of no slave is answered here,
 * DECERR for each beat.
 *
 * A master's reads that are under way are all at one slave, and so are its writes: a request for another slave waits
 * for their answers. That keeps AXI4's order of equal IDs, and no circle of waiting can form. Slaves take addresses
 * round robin, and data in the order of their addresses.
 *
 * Latency 1 cycle for each channel, initiation interval 1; a write's data come 1 cycle behind their address. At most
 * `outstanding` reads and writes of a master are under way, and `ordered` writes of a slave whose data have not all
 * come; beyond that addresses wait. A master or slave that stands still stops only those that want it. Reset
 * forgets all that is under way, on all sides at once.
 */
export const Axi4Crossbar = module(
  "Axi4Crossbar",
  (p: Axi4CrossbarParameters): Axi4CrossbarPorts => {
    checkRanges(p.slaves, p.addressBits);
    const wide = { ...p, idBits: crossbarIdBits(p) };
    // Their names are made of numbers, which the compiler cannot count.
    return mergePorts(
      ...Array.from({ length: p.masters }, (_, m) => axi4Slave(`s${m}`, p)),
      ...p.slaves.map((_, i) => axi4Master(`m${i}`, wide)),
    ) as never;
  },
  (io: Inside<Axi4CrossbarPorts>, p) => {
    const sizes = sizesOf(p),
      wide = axi4Bus({ ...p, idBits: crossbarIdBits(p) });
    // Ports by their numbers, which the compiler cannot count: `endOf` looks for each.
    const masters = Array.from(
        { length: p.masters },
        (_, m) => endOf(flip(axi4Bus(p)), io as never, `s${m}`) as MasterEnd,
      ),
      slaves = p.slaves.map((_, i) => endOf(wide, io as never, `m${i}`) as SlaveEnd);
    writes(sizes, masters, slaves);
    reads(sizes, masters, slaves);
  },
  {
    nameOf: p =>
      `Axi4Crossbar_${p.masters}x${p.slaves.length}_a${p.addressBits}_i${p.idBits}_b${p.beatBytes}_o${p.outstanding ?? 8}${p.ordered === undefined ? "" : `_w${p.ordered}`}`,
  },
);
