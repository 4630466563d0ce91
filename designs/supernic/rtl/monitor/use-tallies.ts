/** What is counted of uses: three tallies, each two registers behind what it counts. */
import {
  type Bit,
  cat,
  constant,
  instance,
  mux,
  node,
  ram,
  repeat,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { dagEntries } from "../../wire/index.ts";
import { ago, counter, numberAgo } from "../drf/index.ts";
import { beatBytes, cellBeats, type EntryWrite, lengthBits, payloadCellBits, type Released } from "../inside/index.ts";
import { heldBy } from "./held.ts";
import { type FairParameters, fairUserBits, fairUsers, typesOf } from "./parameters.ts";
import type { Admitted, Decided } from "./records.ts";
import { Tally } from "./tally.ts";

/** Three times the bytes of a frame, and the same less two bits: three times a packet. */
const amountBits = lengthBits + 2;
const beatShift = Math.log2(beatBytes);

/** Bytes in whole beats. */
const inBeats = (bytes: UInt, bits: number): UInt => {
  const beats = bytes
    .zext(bits)
    .add(beatBytes - 1)
    .shr(beatShift)
    .trunc(bits - beatShift);
  return cat(beats, constant(0, beatShift)).is(bits);
};
/** What packets use of a type: so often its bytes, or so often a beat. */
function useOf(name: string, times: UInt, bytes: UInt, packets: Bit): UInt {
  const often = (once: UInt): UInt => {
    const two = mux(times.bit(1), once.shl(1), constant(0, amountBits)),
      one = mux(times.bit(0), once, constant(0, amountBits));
    return one.is(amountBits).add(two.is(amountBits));
  };
  const beats = cat(times, constant(0, beatShift)).zext(amountBits);
  return node(mux(packets, beats, often(bytes.zext(amountBits))).is(amountBits), { name });
}
const all = (value: UInt, is: Bit): UInt => value.and(repeat(is, value.width));

/** What arrives: its bytes, types, lane, store writes. */
export function admittedTally(p: FairParameters, io: AdmittedInputs) {
  const types = typesOf(p),
    words = ram(uint(2 * types), { depth: dagEntries, collision: "old", style: "block", init: [0], name: "dag_uses" });
  const { en, index, value } = io.dagUse,
    // Its fields are named by number.
    fields = value as unknown as Readonly<Record<string, UInt>>;
  const written = Array.from({ length: types }, (_, t) => fields[`uses${t}`] ?? constant(0, 2));
  words.write(en, index, cat(...written.reverse()).is(2 * types));
  const { admitted } = io,
    times = words.readSync(admitted.dag, { name: "dag_use" }),
    bytes = numberAgo(
      "admitted_bytes",
      admitted.payloadBytes.add(admitted.headBytes.zext(lengthBits)).zext(amountBits),
      1,
    ),
    payload = numberAgo("admitted_payload", inBeats(admitted.payloadBytes, amountBits), 1);
  const amounts = [
    bytes,
    ...Array.from({ length: types }, (_, t) => useOf(`use_${t}`, times.bits(2 * t, 2), bytes, io.packets.bit(t))),
    payload.add(beatBytes),
    payload,
  ];
  return tallyOf(
    "admitted_tally",
    p,
    ago("admitted_valid", admitted.valid, 1),
    numberAgo("admitted_user", admitted.user, 1),
    amounts,
  );
}
interface AdmittedInputs {
  readonly admitted: Val<ReturnType<typeof Admitted>>;
  readonly dagUse: Val<ReturnType<typeof EntryWrite<"dagUse">>>;
  readonly packets: UInt;
}

/** A tally behind a register. */
function tallyOf(name: string, p: FairParameters, valid: Bit, user: UInt, amounts: readonly UInt[]) {
  const it = instance(name, Tally({ users: fairUsers(p), columns: amounts.length, amountBits, wraps: 0 }));
  it.add.valid.set(ago(`${name}_adds`, valid, 1));
  it.add.user.set(numberAgo(`${name}_user`, user.resize(fairUserBits(p)), 1).is(fairUserBits(p)));
  amounts.forEach((a, i) => it.add.amounts.at(i).set(numberAgo(`${name}_${i}`, a, 1).is(amountBits)));
  return it;
}

/** What the egress has decided on: its bytes, store reads, ports. */
export function decidedTally(
  p: FairParameters,
  admitted: Val<ReturnType<typeof Admitted>>,
  decided: Val<ReturnType<typeof Decided>>,
) {
  const Kept = struct({ user: uint(fairUserBits(p)), bytes: uint(lengthBits), payload: uint(lengthBits) }),
    kept = ram(Kept, { depth: p.contexts, collision: "undefined", style: "block", name: "inside" });
  const { headBytes, payloadBytes, user } = admitted;
  kept.write(admitted.valid, admitted.ctx, {
    user: user.resize(fairUserBits(p)),
    bytes: payloadBytes.add(headBytes.zext(lengthBits)),
    payload: payloadBytes,
  });
  const word = kept.readSync(decided.ctx, { name: "decided_word" }),
    ports = numberAgo("decided_ports", decided.ports, 1),
    leaves = ago("decided_leaves", decided.dropped.not(), 1);
  const bytes = word.bytes.zext(amountBits),
    reads = all(inBeats(word.payload, amountBits), leaves),
    byPort = Array.from({ length: p.ports }, (_, q) => all(bytes, ports.bit(q).and(leaves)));
  return tallyOf("decided_tally", p, ago("decided_valid", decided.valid, 1), word.user, [bytes, reads, ...byPort]);
}

/** Cells that users hold, one user a cycle. */
export function cellTally(
  p: FairParameters,
  { valid, user, payloadBytes }: Val<ReturnType<typeof Admitted>>,
  released: Val<ReturnType<typeof Released>>,
) {
  const bits = Math.log2(p.cells) + 1,
    cellShift = beatShift + Math.log2(cellBeats),
    cells = payloadBytes
      .zext(lengthBits + 1)
      .add(beatBytes * cellBeats - 1)
      .shr(cellShift);
  const behind = (name: string, v: Bit, u: UInt, amount: UInt) => ({
    valid: ago(`${name}_valid`, v, 1),
    user: numberAgo(`${name}_user`, u.resize(fairUserBits(p)), 1),
    amount: numberAgo(`${name}_cells`, amount.resize(payloadCellBits(p)), 1),
  });
  const held = heldBy(
    p,
    behind("holds_more", valid, user, cells),
    behind("holds_less", released.valid, released.user, released.cells),
    bits,
  );
  const turn = counter("holder", fairUsers(p), fairUserBits(p));
  turn.step();
  return tallyOf("cell_tally", p, constant(1, 1), turn.value, [held(turn.value).zext(amountBits)]);
}
