/**
 * Registers on AXI4-Lite with several accesses outstanding: a second write behind an answer that is not taken, reads
 * and writes side by side, address and data in either order.
 */
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, assumeAlways, cover, mux } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { orTree } from "../../vectors/index.ts";
import { axiResponse } from "../../lib/index.ts";
import { register, registerMap, RegisterSlave } from "../../registers/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";
import { line } from "./line.ts";
import { liteSlaveObeys } from "./lite-rules.ts";

const OUTSTANDING = 3,
  VERSION = 5,
  INITIAL = 2,
  AT = { version: 0, mode: 4, start: 8 } as const;
const map = registerMap({
  name: "Outstanding",
  doc: "A field of each kind that accesses can tell apart.",
  addressBits: 4,
  registers: [
    register(AT.version, "version", "Fixed.", { version: [0, 3, "constant", "Fixed."] }),
    register(AT.mode, "mode", "Kept.", { mode: [0, 2, "rw", "Kept."] }),
    register(AT.start, "start", "Starts.", { start: [0, 1, "pulse", "Starts."] }),
  ],
});
const isWord = (word: UInt, address: number): Bit => word.eq(address / 4);
const one = constant(1, 1);
const first = (taken: Bit): Bit[] => Array.from({ length: OUTSTANDING }, (_, i) => (i === 0 ? taken : constant(0, 1)));

const harness = around("OutstandingProof", RegisterSlave({ map, values: { version: VERSION, mode: INITIAL } }), io => {
  const traffic = liteSlaveObeys(io, { outstanding: OUTSTANDING });
  // The writes that have not been answered, in order: their words and their data.
  const wordOf = (a: UInt): UInt => a.bits(2, 2);
  const words = line("model_words", OUTSTANDING, 2),
    data = line("model_data", OUTSTANDING, 2),
    ends = node(io.sB.fire, { name: "model_ends" });
  words.step({ push: io.sAw.fire, value: wordOf(io.sAw.payload.addr), at: first(ends), drop: one });
  data.step({ push: io.sW.fire, value: io.sW.payload.data.bits(0, 2), at: first(ends), drop: one });
  assumeAlways(io.sW.valid.not().or(io.sW.payload.strb.bit(0)), "the byte is written");
  const [word] = words.entries.map(e => e.value) as [UInt];

  // The field as it is after the first of them, the first two and so on.
  const mode = reg(uint(2), { init: INITIAL, name: "model_mode" });
  const after: UInt[] = [];
  words.entries.forEach((w, i) => {
    const d = data.entries[i] as (typeof words.entries)[number];
    after.push(
      node(mux(w.there.and(d.there).and(isWord(w.value, AT.mode)), d.value, after[i - 1] ?? (mode as UInt)), {
        name: `model_after_${i}`,
      }),
    );
  });
  mode.set(mux(ends, after[0] as UInt, mode as UInt));
  assertAlways(
    orTree([mode as UInt, ...after].map(v => io.mode.eq(v))),
    "the field has what a write in the order of their coming left",
  );
  assertAlways(
    io.sB.valid.not().or(orTree(after.map(v => io.mode.eq(v)))),
    "the field has a write before its answer comes",
  );
  assertAlways(words.any.and(data.any).or(io.mode.eq(mode)), "the field has the last write when all are answered");
  // Pulses: one for each 1 that is written, before its answer; counted in advance of the answers.
  const ahead = reg(uint(2), { init: 0, name: "model_ahead" });
  const asks = node(isWord(word, AT.start).and(data.entries[0]?.value.bit(0) as Bit), { name: "model_asks" });
  const now = node(ahead.add(io.start.zext(2)), { name: "model_ahead_now" });
  ahead.set(now.sub(ends.and(asks).zext(2)));
  assertAlways(io.sB.valid.not().or(asks.not()).or(ahead.any()), "a pulse has come when its answer does");
  assertAlways(words.any.and(data.any).or(ahead.eq(0).and(io.start.not())), "no pulse but for a write");
  assertAlways(io.start.not().or(ahead.lt(OUTSTANDING - 1)), "one pulse a write");
  const answer = mux(
    isWord(word, AT.mode).or(isWord(word, AT.start)),
    constant(axiResponse.OKAY, 2),
    mux(isWord(word, AT.version), constant(axiResponse.SLVERR, 2), constant(axiResponse.DECERR, 2)),
  );
  assertAlways(io.sB.valid.not().or(io.sB.payload.resp.eq(answer)), "each write has its own answer");

  // Reads in order, each with its own word.
  const asked = line("model_asked", OUTSTANDING, 2);
  asked.step({ push: io.sAr.fire, value: wordOf(io.sAr.payload.addr), at: first(io.sR.fire), drop: one });
  const of = asked.entries[0]?.value as UInt,
    got = io.sR.payload.data;
  const known = mux(isWord(of, AT.version), constant(VERSION, 32), constant(0, 32));
  assertAlways(io.sR.valid.not().or(isWord(of, AT.mode)).or(got.eq(known)), "each read has its own word");
  assertAlways(
    io.sR.valid.not().or(isWord(of, AT.mode).not()).or(got.shr(2).eq(0)),
    "the field stands in its place, and 0 around it",
  );
  assertAlways(
    io.sR.valid
      .not()
      .or(io.sR.payload.resp.eq(mux(of.le(2), constant(axiResponse.OKAY, 2), constant(axiResponse.DECERR, 2)))),
    "each read has its own answer",
  );
  const stalled = reg(bit, { init: 0, name: "model_stalled" });
  stalled.set(io.sB.valid.and(io.sB.ready.not()).and(traffic.writes.several));
  cover(stalled.and(ends), "a second write stood behind an answer that was not taken");
  cover(traffic.reads.several.and(traffic.writes.several), "two of each");
  cover(traffic.writes.data, "data before their address");
});

export const outstandingProof: Proof = {
  module: `RegisterSlave, ${OUTSTANDING} accesses outstanding each way`,
  long: true,
  harness,
  reach: 16,
  faults: [
    {
      what: "an answer that is not taken is replaced by the next one",
      from: /assign written_ready = [^;]*;/,
      to: "assign written_ready = 1'b1;",
    },
    {
      what: "a second write is done in each cycle in which it waits behind an answer",
      from: /write_fire = [^;]*;/,
      to: "write_fire = order_valid;",
    },
    {
      what: "a read that is not taken is replaced by the next one",
      from: /answer_ready = [^;]*;/,
      to: "answer_ready = 1'b1;",
    },
    { what: "the answer to a write tells nothing", from: /s_b_payload_resp = [^;]*;/, to: "s_b_payload_resp = 2'd0;" },
  ],
};
