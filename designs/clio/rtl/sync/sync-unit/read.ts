/** An operation gets a lane, and its word is read. */
import { assertAlways, bit, instance, node, ram, reg, stage, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { lengthBits, slotBits } from "../../../../shared/frame/index.ts";
import { plainOp, syncOpBits } from "../../records/records.ts";
import { syncOp } from "../sync-ops.ts";
import { SyncWords } from "../sync-words.ts";
import type { Build } from "./ports.ts";
import { pulse } from "./pulse.ts";

/** In: a lane for each operation, when no other lane has its word. */
function takeLanes({ io, p, word, wordShift }: Build) {
  const arrived = stage(io.request, "forward");
  const q = arrived.payload,
    qWord = q.address.bits(wordShift, word.width);
  const words = instance("words", SyncWords({ lanes: p.lanes, numberBits: word.width }));
  words.word.set(qWord);
  arrived.ready.set(words.free);
  const begins = node(arrived.fire);
  words.claim.set(begins);
  const isStore = node(q.op.eq(syncOp.store));
  assertAlways(arrived.valid.not().or(q.op.ne(plainOp)), "no plain access comes here");
  assertAlways(arrived.valid.not().or(q.address.trunc(wordShift).any().not()), "words are aligned");

  return { words, q, qWord, begins, isStore };
}

/** Fields needed at the word, and fields needed at the end. */
function keepFields({ p, word, laneWords }: Build, { words, q, qWord, begins }: ReturnType<typeof takeLanes>) {
  const work = ram(struct({ slot: uint(slotBits(p)), op: uint(syncOpBits), word }), {
    depth: laneWords,
    collision: "undefined",
    style: "distributed",
  });
  work.write(begins, words.lane, { slot: q.slot, op: q.op, word: qWord });
  const Context = struct({
    slot: uint(slotBits(p)),
    op: uint(syncOpBits),
    pid: uint(16),
    length: uint(lengthBits),
    silent: bit,
    replyOpcode: uint(8),
  });
  const contexts = ram(Context, { depth: laneWords, collision: "undefined", style: "distributed" });
  contexts.write(begins, words.lane, {
    slot: q.slot,
    op: q.op,
    pid: q.pid,
    length: q.length,
    silent: q.silent,
    replyOpcode: q.replyOpcode,
  });

  return { work, contexts };
}

/** Read. Answers come in the order of the addresses: all have one ID. */
export function readWords(build: Build) {
  const { io, p, lane, word, address } = build,
    lanes = takeLanes(build),
    { words, begins, isStore, qWord } = lanes,
    kept = keepFields(build, lanes);
  const reads = node(begins.and(isStore.not()));
  const asked = pulse("asked", word, reads, qWord, p.lanes);
  const reading = pulse("reading", lane, reads, words.lane, p.lanes);
  const storing = pulse("storing", lane, begins.and(isStore), words.lane, p.lanes);
  io.ar.valid.set(asked.valid);
  asked.ready.set(io.ar.ready);
  io.ar.payload.set(address(asked.payload));

  // A word that was read, or a STORE, which needs none; by turns when both are there, so that neither waits for long.
  const storedLast = reg(bit, { init: 0 });
  const takesStore = node(storing.valid.and(storedLast.not().or(reading.valid.not())));
  storedLast.set(takesStore);
  storing.ready.set(takesStore);
  io.r.ready.set(takesStore.not());
  reading.ready.set(io.r.fire);
  assertAlways(io.r.fire.not().or(reading.valid), "a word that comes was asked for");
  assertAlways(
    io.r.valid.not().or(io.r.payload.id.eq(p.id).and(io.r.payload.last)),
    "only single beats of the unit's ID come here",
  );

  return { ...kept, words, takesStore, reading, storing };
}
export type Reading = ReturnType<typeof readWords>;
