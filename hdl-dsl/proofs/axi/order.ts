/** Which answer belongs to which access, and how many beats: for AXI4 and, without IDs and bursts, for AXI4-Lite. */
import { uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { bitsFor } from "../../types/bits.ts";
import { node, reg } from "../../build/declare.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { orTree } from "../../vectors/index.ts";
import type { Owed } from "./bus.ts";
import { line } from "./line.ts";

/** Sizes of what the rules remember. */
export interface OrderSizes {
  readonly name: string;
  /** Accesses under way each way, at most: the side that is given does not begin another. */
  readonly outstanding: number;
  /** Beats of a burst, at most. */
  readonly beats: number;
}
interface Handshake {
  readonly valid: Bit;
  readonly ready: Bit;
  readonly fire: Bit;
}
export interface ReadOrder {
  readonly address: Handshake & { readonly id: UInt; readonly len: UInt };
  readonly data: Handshake & { readonly id: UInt; readonly last?: Bit };
  readonly proved: "master" | "slave";
}
export interface WriteOrder {
  readonly address: Handshake & { readonly id: UInt; readonly len: UInt };
  readonly data: Handshake & { readonly last?: Bit };
  readonly answer: Handshake & { readonly id: UInt };
  readonly proved: "master" | "slave";
}

/** The side that is given does not go beyond what the model can remember. */
function bounded(o: Owed, proved: "master" | "slave", full: Bit, s: Handshake, message: string): void {
  if (proved === "master") o.slave(full.and(s.ready).not(), message);
  else o.master(full.and(s.valid).not(), message);
}

/** R after AR, by ID in order, as many beats as were asked for. @returns whether reads are under way: one, and two */
export function readOrder(o: Owed, s: ReadOrder, z: OrderSizes): { readonly any: Bit; readonly several: Bit } {
  const beatBits = bitsFor(z.beats - 1),
    { address, data } = s;
  const reads = line(`${z.name}_reads`, z.outstanding, address.id.width + beatBits);
  bounded(o, s.proved, reads.full, address, `ar: at most ${z.outstanding} reads under way (the size of this proof)`);
  if (z.beats < 256 && address.len.width >= 8)
    o.master(address.valid.not().or(address.len.lt(z.beats)), `ar: at most ${z.beats} beats (the size of this proof)`);
  const at = reads.oldest(v => v.shr(beatBits).trunc(address.id.width).eq(data.id)),
    due = node(orTree(at), { name: `${z.name}_read_due` });
  o.slave(data.valid.not().or(due), "r: a beat only for a read that was taken, with its ID");
  const left = node(
    orBits(at.map((hit, i) => mux(hit, reads.entries[i]?.value.trunc(beatBits) as UInt, constant(0, beatBits)))),
    { name: `${z.name}_read_left` },
  );
  const ends = node(data.last ?? constant(1, 1), { name: `${z.name}_read_ends` });
  if (data.last !== undefined)
    o.slave(
      data.valid.not().or(data.last.eq(left.eq(0))),
      "r: last with the last beat that was asked for, and no other",
    );
  reads.step({
    push: address.fire,
    value: cat(address.id, address.len.resize(beatBits)),
    at: at.map(h => h.and(data.fire)),
    drop: ends,
    changed: cat(data.id, left.sub(1)),
  });
  return { any: reads.any, several: reads.entries[1]?.there ?? constant(0, 1) };
}

const orBits = (values: readonly UInt[]): UInt => values.reduce((a, b) => a.or(b));

export interface Writes {
  /** Addresses whose data are not all there, and bursts of data whose address has not come. */
  readonly addresses: Bit;
  readonly data: Bit;
  /** Answers are due: one, and two. */
  readonly any: Bit;
  readonly several: Bit;
  /** A burst's address stands or is taken and its data are not all there; and the reverse. */
  readonly wantsData: Bit;
  readonly wantsAddress: Bit;
}

/** W with the address that it belongs to, whichever is first; B after both, by ID. */
export function writeOrder(o: Owed, s: WriteOrder, z: OrderSizes): Writes {
  const beatBits = bitsFor(z.beats - 1),
    { address, data, answer } = s,
    idBits = address.id.width,
    len = address.len.resize(beatBits),
    last = data.last ?? constant(1, 1);
  const addresses = line(`${z.name}_addresses`, z.outstanding, idBits + beatBits),
    whole = line(`${z.name}_data`, z.outstanding, beatBits),
    answers = line(`${z.name}_answers`, 2 * z.outstanding, idBits);
  // AXI4-Lite has bursts of one beat, which nobody counts.
  const beat = reg(uint<number>(beatBits), { init: 0, name: `${z.name}_beat`, mayBeUnread: true });
  const tooMany = "under way (the size of this proof)";
  const owing = answers.entries[z.outstanding - 1]?.there as Bit;
  bounded(o, s.proved, addresses.full.or(owing), address, `aw: at most ${z.outstanding} writes ${tooMany}`);
  bounded(o, s.proved, whole.full.or(owing), data, `w: at most ${z.outstanding} bursts ${tooMany}`);
  if (z.beats < 256 && address.len.width >= 8)
    o.master(address.valid.not().or(address.len.lt(z.beats)), `aw: at most ${z.beats} beats (the size of this proof)`);

  // The address of the burst whose data come now: taken, or standing beside them. And the reverse.
  const headLen = addresses.entries[0]?.value.trunc(beatBits) as UInt,
    headBeats = whole.entries[0]?.value as UInt;
  const beside = address.valid.and(addresses.any.or(whole.any).not());
  if (data.last !== undefined) {
    const asked = mux(addresses.any, headLen, len);
    o.master(
      data.valid
        .not()
        .or(addresses.any.or(beside).not())
        .or(data.last.eq((beat as UInt).eq(asked))),
      "w: last with the last beat that the address says, and no other",
    );
    o.master(beside.not().or(len.ge(beat as UInt)), "aw: no shorter than the data that went before");
    o.master(address.valid.and(whole.any).not().or(len.eq(headBeats)), "aw: as long as the data that went before");
    if (z.beats < 256)
      o.master(
        data.valid
          .not()
          .or(data.last)
          .or(beat.ne(z.beats - 1)),
        `w: at most ${z.beats} beats (the size of this proof)`,
      );
  }
  const ends = node(data.fire.and(last), { name: `${z.name}_burst_ends` });
  when(data.fire, () => beat.set(mux(last, constant(0, beatBits), beat.add(1))));
  const meet = node(address.fire.and(ends).and(addresses.any.or(whole.any).not()), { name: `${z.name}_meet` }),
    byData = node(ends.and(addresses.any), { name: `${z.name}_by_data` }),
    byAddress = node(address.fire.and(whole.any), { name: `${z.name}_by_address` });
  const firstOnly = (n: number, taken: Bit): Bit[] =>
    Array.from({ length: n }, (_, i) => (i === 0 ? taken : constant(0, 1)));
  const one = constant(1, 1);
  addresses.step({
    push: address.fire.and(meet.or(byAddress).not()),
    value: cat(address.id, len),
    at: firstOnly(z.outstanding, byData),
    drop: one,
  });
  whole.step({
    push: ends.and(meet.or(byData).not()),
    value: beat,
    at: firstOnly(z.outstanding, byAddress),
    drop: one,
  });
  const at = answers.oldest(v => v.eq(answer.id));
  o.slave(answer.valid.not().or(orTree(at)), "b: only for a write whose address and last data were taken, with its ID");
  answers.step({
    push: meet.or(byData).or(byAddress),
    value: mux(byData, addresses.entries[0]?.value.shr(beatBits).trunc(idBits) as UInt, address.id),
    at: at.map(h => h.and(answer.fire)),
    drop: one,
  });
  return {
    addresses: addresses.any,
    data: whole.any,
    any: answers.any,
    several: answers.entries[1]?.there ?? constant(0, 1),
    wantsData: addresses.any.or(beside),
    wantsAddress: whole.any.or(beat.any()).or(data.valid).and(addresses.any.not()),
  };
}
