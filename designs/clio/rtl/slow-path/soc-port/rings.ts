/** The two rings of frames. */
import {
  assertAlways,
  bit,
  cat,
  constant,
  lastLane,
  mux,
  node,
  ram,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { keepAll, keepTo, lengthBits } from "../../../../shared/frame/index.ts";
import type { reads, writes } from "./bus.ts";
import type { Parts } from "./ports.ts";

/** Frames come in. @returns the number of those that have come */
export function receiveRing({ io, g, registers, slotBits, beatBits }: Parts, rxBeats: ReturnType<typeof reads>) {
  const rxHead = reg(uint(16), { init: 0 });
  const rxBeatNumber = reg(uint(beatBits), { init: 0 });
  const rxRoom = node(rxHead.sub(registers.rxTail).ne(g.slots));
  const lengths = ram(uint(lengthBits), {
    depth: g.slots,
    collision: "old",
    style: "distributed",
    name: "rx_lengths",
  });
  const rx = io.socRx.payload,
    arrived = node(io.socRx.fire.and(rx.last));
  io.socRx.ready.set(rxRoom);
  rxBeats.write(io.socRx.fire, cat(rxHead.trunc(slotBits), rxBeatNumber), rx.data);
  lengths.write(arrived, rxHead.trunc(slotBits), cat(rxBeatNumber, lastLane(rx.keep)).resize(lengthBits).add(1));
  when(io.socRx.fire, () => rxBeatNumber.set(mux(rx.last, constant(0, beatBits), rxBeatNumber.add(1))));
  when(arrived, () => rxHead.set(rxHead.add(1)));
  registers.rxHead.set(rxHead);
  registers.rxLength.set(lengths.readAsync(registers.rxTail.trunc(slotBits)));
  assertAlways(rxHead.sub(registers.rxTail).le(g.slots), "software takes no frame that has not come");

  return rxHead;
}

/** A memory for each word of a beat, as software writes words. */
function sendWords(
  { c, g, words, wordBits, slotBeats, slotBits, slotByteBits }: Parts,
  { stores, address, data }: ReturnType<typeof writes>,
  front: UInt,
): UInt[] {
  const { beatBytes } = c;
  return Array.from({ length: words }, (_, i) => {
    const store = ram(uint(32), {
      depth: g.slots * slotBeats,
      collision: "undefined",
      style: "block",
      name: `tx_word_${i}`,
    });
    const here = wordBits === 0 ? stores : stores.and(address.bits(2, wordBits).eq(i));
    store.write(here, address.bits(Math.log2(beatBytes), slotByteBits - Math.log2(beatBytes) + slotBits), data);
    return store.readSync(front, { name: `tx_front_${i}` });
  });
}

/** What software has committed. */
function commitsOf({ g, registers, slotBits }: Parts) {
  const txHead = reg(uint(16), { init: 0 });
  const txTail = reg(uint(16), { init: 0 });
  const txFull = node(txHead.sub(txTail).eq(g.slots));
  const commits = node(registers.txCommit.any());
  const committed = node(commits.and(txFull.not()));
  const txLengths = ram(uint(lengthBits), { depth: g.slots, collision: "old", style: "distributed" });
  txLengths.write(committed, txHead.trunc(slotBits), registers.txCommit);
  when(committed, () => txHead.set(txHead.add(1)));
  return { txHead, txTail, txFull, commits, txLengths };
}

/** Frames go out. */
export function sendRing(parts: Parts, written: ReturnType<typeof writes>) {
  const { io, c, registers, slotBits, beatBits } = parts,
    { beatBytes } = c,
    { txHead, txTail, txFull, commits, txLengths } = commitsOf(parts);
  const sending = reg(bit, { init: 0 });
  const loaded = reg(bit, { init: 0 });
  const txBeat = reg(uint(beatBits), { init: 0 });
  const lastByte = node(txLengths.readAsync(txTail.trunc(slotBits)).sub(1));
  const final = node(txBeat.eq(lastByte.bits(Math.log2(beatBytes), beatBits)));
  const sent = node(io.socTx.fire);
  const nextBeat = node(mux(sent, txBeat.add(1), txBeat));
  const txWords = sendWords(parts, written, cat(txTail.trunc(slotBits), nextBeat));
  loaded.set(sending.and(sent.and(final).not()));
  when(sending.not(), () => when(txHead.ne(txTail), () => sending.set(1)));
  when(sent, () => {
    txBeat.set(mux(final, constant(0, beatBits), nextBeat));
    when(final, () => {
      sending.set(0);
      txTail.set(txTail.add(1));
    });
  });
  io.socTx.valid.set(loaded);
  io.socTx.payload.set({
    data: cat(...[...txWords].reverse()),
    last: final,
    user: 0,
    keep: mux(final, keepTo(lastByte.bits(0, Math.log2(beatBytes)), beatBytes), keepAll(beatBytes)),
  });
  registers.txHead.set(txHead);
  registers.txTail.set(txTail);

  return { commits, txFull };
}
