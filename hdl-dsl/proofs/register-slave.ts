/**
 * Registers on AXI4-Lite against a model of their map: writes are read back, events are kept, and answers have the
 * value that was there.
 */
import { input, output, sink, source } from "../types/ports.ts";
import { bit, uint } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { instance, module } from "../build/module.ts";
import { past } from "../build/past.ts";
import { assertAlways, cover, mux, when } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { pack } from "../build/view.ts";
import { axiResponse, liteAddress, LiteRead, LiteResponse, LiteWrite } from "../lib/index.ts";
import { register, registerMap, RegisterSlave } from "../registers/index.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys } from "./harness/rules.ts";

const ADDRESS_BITS = 5,
  VERSION = 5,
  INITIAL = 2;
const AT = { version: 0, mode: 4, events: 8, start: 12 } as const;

const map = registerMap({
  name: "Proved",
  doc: "One field of each kind.",
  addressBits: ADDRESS_BITS,
  registers: [
    register(AT.version, "version", "Fixed.", { version: [0, 3, "constant", "Fixed."] }),
    register(AT.mode, "mode", "Kept, across a byte's end.", { mode: [7, 2, "rw", "Kept."] }),
    register(AT.events, "events", "Happened.", { happened: [0, 1, "event", "Happened."] }),
    register(AT.start, "start", "Starts.", { start: [0, 1, "pulse", "Starts."] }),
  ],
});

/**
 * One write and one read at a time, side by side; addresses and data in either order and after any wait. Several under
 * way are proved in axi/outstanding.ts.
 */
const harness = module(
  "RegisterSlaveProof",
  () => ({
    aw: sink(liteAddress(ADDRESS_BITS)),
    w: sink(LiteWrite),
    b: source(LiteResponse),
    ar: sink(liteAddress(ADDRESS_BITS)),
    r: source(LiteRead),
    happened: input(bit),
    mode: output(uint(2)),
    start: output(bit),
  }),
  io => {
    const dut = instance("dut", RegisterSlave({ map, values: { version: VERSION, mode: INITIAL } }));
    dut.happened.set(io.happened);
    io.mode.set(dut.mode);
    io.start.set(dut.start);
    io.b.valid.set(dut.sB.valid);
    io.b.payload.set(dut.sB.payload);
    dut.sB.ready.set(io.b.ready);
    io.r.valid.set(dut.sR.valid);
    io.r.payload.set(dut.sR.payload);
    dut.sR.ready.set(io.r.ready);
    moduleObeys({ ...io.b, payload: io.b.payload.resp }, "b");
    moduleObeys({ ...io.r, payload: pack(io.r.payload) }, "r");

    /** A transfer is taken once, and stays until the answer has gone. */
    const once = <A extends typeof io.aw | typeof io.w>(
      from: A,
      to: { readonly valid: { set(v: UInt<1>): void }; readonly ready: UInt<1> },
      end: UInt<1>,
      name: string,
    ): UInt<1> => {
      const taken = reg(bit, { init: 0, name: `model_${name}` });
      to.valid.set(from.valid.and(taken.not()));
      from.ready.set(to.ready.and(taken.not()));
      when(end, () => taken.set(0)).elseWhen(from.fire, () => taken.set(1));
      return taken;
    };
    const ended = node(io.b.fire, { name: "model_written" }),
      answered = node(io.r.fire, { name: "model_answered" });
    const addressed = once(io.aw, dut.sAw, ended, "addressed"),
      given = once(io.w, dut.sW, ended, "given"),
      asked = once(io.ar, dut.sAr, answered, "asked");
    dut.sAw.payload.set(io.aw.payload);
    dut.sW.payload.set(io.w.payload);
    dut.sAr.payload.set(io.ar.payload);
    const to = reg(uint(3), { name: "model_to" }),
      data = reg(uint(9), { name: "model_data" }),
      strb = reg(uint(2), { name: "model_strb" }),
      of = reg(uint(3), { name: "model_of" });
    when(io.aw.fire, () => to.set(io.aw.payload.addr.bits(2, 3).is(3)));
    when(io.w.fire, () => {
      data.set(io.w.payload.data.bits(0, 9));
      strb.set(io.w.payload.strb.bits(0, 2));
    });
    when(io.ar.fire, () => of.set(io.ar.payload.addr.bits(2, 3).is(3)));
    const writing = node(addressed.and(given), { name: "model_writing" });
    const isWord = (v: UInt, address: number): UInt<1> => v.eq(address / 4);

    // The kept field: its low bit lies in byte 0, its high one in byte 1.
    const mode = reg(uint(2), { init: INITIAL, name: "model_mode" });
    const low = mux(strb.bit(0), data.bit(7), mode.bit(0)),
      high = mux(strb.bit(1), data.bit(8), mode.bit(1));
    const written = node(mux(isWord(to, AT.mode), high.zext(2).shl(1).or(low.zext(2)), mode), {
      name: "model_mode_written",
    });
    when(ended, () => mode.set(written));
    assertAlways(io.b.valid.not().or(writing), "no answer to what was not written");
    assertAlways(writing.or(dut.mode.eq(mode)), "the field has what was written last, byte strobes obeyed");
    assertAlways(io.b.valid.not().or(dut.mode.eq(written)), "when the answer comes, the field has it");
    const writable = isWord(to, AT.mode).or(isWord(to, AT.events)).or(isWord(to, AT.start));
    const answer = mux(
      writable,
      constant(axiResponse.OKAY, 2),
      mux(isWord(to, AT.version), constant(axiResponse.SLVERR, 2), constant(axiResponse.DECERR, 2)),
    );
    assertAlways(io.b.valid.not().or(io.b.payload.resp.eq(answer)), "the answer to a write says whether it was done");

    // The pulse: one cycle for each 1 that is written, while the write is under way.
    const fired = reg(bit, { init: 0, name: "model_fired" });
    when(ended, () => fired.set(0)).elseWhen(dut.start, () => fired.set(1));
    const wanted = isWord(to, AT.start).and(strb.bit(0)).and(data.bit(0));
    assertAlways(
      dut.start.not().or(writing.and(wanted).and(fired.not())),
      "a pulse comes of a 1 that is written, once",
    );
    assertAlways(io.b.valid.not().or(fired.eq(wanted)), "it has come when the answer does");

    // Reads: only those compared that no write went beside.
    assertAlways(io.r.valid.not().or(asked), "no answer to what was not asked");
    const alone = reg(bit, { init: 0, name: "model_alone" }),
      pending = reg(bit, { init: 0, name: "model_pending" }),
      promised = reg(bit, { init: 0, name: "model_promised" });
    const quiet = node(writing.not(), { name: "model_quiet" });
    when(asked.not(), () => alone.set(quiet)).elseWhen(quiet.not(), () => alone.set(0));
    // An event that cannot have been cleared since stands in every read that starts after it. A write is done in the
    // first cycle in which all of it is there; an event of that very cycle is not lost.
    when(io.happened, () => pending.set(1)).elseWhen(
      writing.and(past(writing, 1, { name: "model_before" }).not()),
      () => pending.set(0),
    );
    when(asked.not(), () => promised.set(pending));
    const got = io.r.payload.data,
      known = node(io.r.valid.and(alone).and(quiet), { name: "model_known" });
    assertAlways(
      known
        .and(isWord(of, AT.mode))
        .not()
        .or(got.eq(mode.zext(32).shl(7))),
      "a read gives the field in its place, and 0 around it",
    );
    assertAlways(io.r.valid.and(isWord(of, AT.version)).not().or(got.eq(VERSION)), "a constant reads as it is");
    assertAlways(
      known.and(isWord(of, AT.events)).and(promised).not().or(got.bit(0)),
      "an event stays until it is cleared",
    );
    assertAlways(io.r.valid.and(isWord(of, AT.start)).not().or(got.eq(0)), "a pulse reads as 0");
    assertAlways(
      io.r.payload.resp
        .eq(mux(of.le(3), constant(axiResponse.OKAY, 2), constant(axiResponse.DECERR, 2)))
        .or(io.r.valid.not()),
      "the answer to a read says whether there was a register",
    );
    assertAlways(io.r.valid.and(of.gt(3)).not().or(got.eq(0)), "nothing reads as 0");
    cover(io.r.fire.and(known).and(isWord(of, AT.mode)).and(mode.eq(1)), "what was written is read");
    cover(io.r.fire.and(known).and(promised).and(isWord(of, AT.events)), "an event is read");
    cover(dut.start, "a pulse");
  },
);

export const registerSlaveProofs: readonly Proof[] = [
  {
    module: "RegisterSlave, a field of each kind",
    harness: harness(),
    reach: 20,
    faults: [
      { what: "a strobe is passed by", from: "order_data_held_strb[1] ?", to: "1'b1 ?" },
      { what: "an event of the cycle that clears is lost", from: "| happened;", to: "| (happened & ~write_events);" },
      { what: "a write to nothing is answered as done", from: /\? 2'd2 :\n    2'd3/, to: "? 2'd2 :\n    2'd0" },
    ],
  },
];
