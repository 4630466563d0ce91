/** The two directions of a crossbar: requests from masters to slaves, and answers back. */
import type { Shape } from "../../types/shape.ts";
import type { Bit, Stream, StreamIn, StreamOut, UInt, Val } from "../../types/value.ts";
import { addressBits, bitsFor } from "../../types/bits.ts";
import { uint } from "../../types/shape.ts";
import { node, reg } from "../../build/declare.ts";
import { onehotMux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { assignView } from "../../build/view.ts";
import { arbiter } from "../../stream/arbiter.ts";
import { stream } from "../../stream/stream.ts";
import { fromBits, orTree } from "../../vectors/index.ts";
import { axi4Address, type Axi4Address, type Axi4Parameters } from "../axi/index.ts";
import { type AddressRange, within } from "./address-map.ts";

/** What a crossbar is made for. */
export interface Sizes extends Axi4Parameters {
  readonly masters: number;
  readonly slaves: readonly AddressRange[];
  readonly outstanding: number;
  readonly ordered: number;
}
/** The bits that a master's number takes. */
export const numberBits = (masters: number): number => addressBits(masters);

/** A master's requests under way: all of them are at one slave, `at`; its last bit is the slave that answers errors. */
export interface Underway {
  readonly at: UInt;
  /** One is done: to be told by who sees the answers. */
  readonly done: (end: Bit) => void;
}
/** Requests on their way. */
export interface Requests {
  readonly underway: readonly Underway[];
  /** Of each slave: requests with the master's number above their ID. */
  readonly chosen: readonly StreamIn<Axi4Address>[];
  /** Of each master: requests that no slave has. */
  readonly lost: readonly StreamIn<Axi4Address>[];
}

/**
 * Requests of all masters to all slaves. A master's request waits while others of it are under way at another slave: so
 * its answers come in order, and no circle of waiting can form.
 */
export function routeRequests(p: Sizes, from: readonly StreamIn<Axi4Address>[], name: string): Requests {
  const own = axi4Address(p),
    wide = axi4Address({ ...p, idBits: p.idBits + numberBits(p.masters) });
  const ways: Stream<Axi4Address>[][] = p.slaves.map(() => []),
    lost: Stream<Axi4Address>[] = [],
    underway: Underway[] = [];
  from.forEach((s, m) => {
    const hits = p.slaves.map(r => within(s.payload.addr, r));
    const target = node(fromBits([...hits, orTree(hits).not()]), { name: `${name}_target_${m}` }),
      at = reg(uint<number>(target.width), { init: 0, name: `${name}_at_${m}` }),
      count = reg(uint<number>(bitsFor(p.outstanding)), { init: 0, name: `${name}_count_${m}` });
    const alone = count.eq(0).or(target.eq(at)),
      open = node(alone.and(count.ne(p.outstanding)), { name: `${name}_open_${m}` });
    const lane = (shape: Axi4Address, i: number, to: string): Stream<Axi4Address> => {
      const out = stream(shape, { name: `${name}_${m}_to_${to}` });
      out.valid.set(s.valid.and(open).and(target.bit(i)));
      return out;
    };
    const lanes = p.slaves.map((_, i) => {
      const out = lane(wide, i, String(i)),
        { id, ...rest } = s.payload;
      out.payload.set({ ...rest, id: cat(constant(m, numberBits(p.masters)), id) });
      (ways[i] as Stream<Axi4Address>[]).push(out);
      return out;
    });
    const none = lane(own, p.slaves.length, "none");
    none.payload.set(s.payload);
    lost.push(none);
    s.ready.set(open.and(orTree([...lanes, none].map((l, i) => l.ready.and(target.bit(i))))));
    when(s.fire, () => at.set(target));
    underway.push({
      at,
      done: end => {
        when(s.fire.andNot(end), () => count.set(count.add(1))).elseWhen(end.andNot(s.fire), () =>
          count.set(count.sub(1)),
        );
      },
    });
  });
  const chosen = ways.map((w, i) => arbiter(w as readonly StreamIn<Axi4Address>[], { name: `${name}_slave_${i}` }));
  return { underway, chosen, lost };
}

/** An answer as its master knows it: the ID without the master's number. */
function ownAnswer<S extends Shape>(p: Sizes, payload: unknown): Val<S> {
  const v = payload as { readonly id: UInt };
  // The shapes of B and R on both sides differ in the width of the ID alone.
  return { ...v, id: v.id.trunc(p.idBits) } as unknown as Val<S>;
}

/**
 * Answers of all slaves to the masters that their IDs name. @param to of each master: where they go, and where those of
 * its own errors come from
 */
export function routeAnswers<S extends Shape>(
  p: Sizes,
  from: readonly StreamIn<Shape>[],
  errors: readonly StreamIn<S>[],
  to: readonly { readonly out: StreamOut<S>; readonly at: UInt }[],
  name: string,
): void {
  const master = from.map(s => (s.payload as { readonly id: UInt }).id.bits(p.idBits, numberBits(p.masters)));
  const lets: Bit[][] = from.map(() => []);
  to.forEach(({ out, at }, m) => {
    const mine = from.map((_, i) => node(at.bit(i).and((master[i] as UInt).eq(m)), { name: `${name}_${m}_from_${i}` }));
    const error = errors[m] as StreamIn<S>,
      erring = at.bit(p.slaves.length);
    out.valid.set(orTree([...from.map((s, i) => s.valid.and(mine[i] as Bit)), error.valid.and(erring)]));
    const selects = [erring, ...mine],
      values = [error.payload, ...from.map(s => ownAnswer<S>(p, s.payload))];
    assignView(out.payload, onehotMux(selects, values), "payload");
    error.ready.set(out.ready.and(erring));
    mine.forEach((b, i) => (lets[i] as Bit[]).push(b.and(out.ready)));
  });
  from.forEach((s, i) => s.ready.set(orTree(lets[i] as Bit[])));
}
