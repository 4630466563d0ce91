/** The processor's accesses: to the registers, or to the windows of the rings. */
import {
  arbiter,
  axiResponse,
  bit,
  connect,
  constant,
  demux,
  fork,
  gate,
  join,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  map,
  mux,
  node,
  ram,
  reg,
  stage,
  stream,
  type StreamIn,
  uint,
  unpack,
  vec,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { socPortMap } from "../../../registers/index.ts";
import { type Parts, region } from "./ports.ts";

const narrow = socPortMap.addressBits;

/** A read of the receive ring. @returns its answer, and the ring's memory */
function readWindow(
  { c, g, slotBeats, slotBits, beatBits, wordBits, words, regionOf }: Parts,
  toWindow: StreamIn<ReturnType<typeof liteAddress>>,
) {
  const { beatBytes } = c;
  const rxBeats = ram(uint(8 * beatBytes), { depth: g.slots * slotBeats, collision: "undefined", style: "block" });
  const fetched = reg(bit, { init: 0 });
  const beat = rxBeats.readSync(toWindow.payload.addr.bits(Math.log2(beatBytes), slotBits + beatBits), {
    name: "rx_beat",
  });
  const word = unpack(vec(uint(32), words), beat).at(
    wordBits === 0 ? constant(0, 1) : toWindow.payload.addr.bits(2, wordBits),
  );
  const windowAnswer = stream(LiteRead);
  const inRx = node(regionOf(toWindow.payload.addr).eq(region.rx));
  windowAnswer.valid.set(toWindow.valid.and(fetched));
  windowAnswer.payload.set({
    data: mux(inRx, word, constant(0, 32)),
    resp: mux(inRx, constant(axiResponse.OKAY, 2), axiResponse.DECERR),
  });
  toWindow.ready.set(windowAnswer.ready.and(fetched));
  fetched.set(toWindow.valid.and(fetched.not()));
  return { windowAnswer, rxBeats };
}

/** Reads, the answers in order because there is one at a time. */
export function reads(parts: Parts) {
  const { io, registers, regionOf } = parts;
  const reading = reg(bit, { init: 0 });
  const asked = stage(gate(io.sAr, reading.not(), { name: "read_open" }), "forward", { name: "asked" });
  when(io.sR.fire, () => reading.set(0)).elseWhen(io.sAr.fire, () => reading.set(1));
  const readsRegister = node(regionOf(asked.payload.addr).eq(region.registers));
  const [toRegister, toWindow] = demux(asked, readsRegister.not(), 2, { name: "read_to" });
  connect(
    map(toRegister, liteAddress(narrow), a => ({ addr: a.addr.bits(0, narrow), prot: a.prot }), {
      name: "register_read",
    }),
    registers.sAr,
  );

  const { windowAnswer, rxBeats } = readWindow(parts, toWindow);
  connect(
    arbiter([registers.sR, stage(windowAnswer, "forward", { name: "window_answer" })], {
      policy: "priority",
      name: "read_answers",
    }),
    io.sR,
  );

  return rxBeats;
}

/** Writes, address and data together, one at a time. */
function storesOf({ io }: Parts) {
  const writing = reg(bit, { init: 0 });
  const wanted = join(
    {
      aw: gate(io.sAw, writing.not(), { name: "write_open" }),
      w: gate(io.sW, writing.not(), { name: "data_open" }),
    },
    { name: "wanted" },
  );
  const given = stage(wanted, "forward", { name: "given" });
  when(io.sB.fire, () => writing.set(0)).elseWhen(wanted.fire, () => writing.set(1));
  return given;
}
type Stores = ReturnType<typeof storesOf>;

/** A write of a word of the send ring. */
function writeWindow({ regionOf }: Parts, storeWindow: Stores) {
  const { aw, w } = storeWindow.payload;
  const whole = node(w.strb.all()),
    inTx = node(regionOf(aw.addr).eq(region.tx));
  const windowDone = stream(LiteResponse);
  windowDone.valid.set(storeWindow.valid);
  storeWindow.ready.set(windowDone.ready);
  windowDone.payload.resp.set(
    mux(inTx, mux(whole, constant(axiResponse.OKAY, 2), axiResponse.SLVERR), constant(axiResponse.DECERR, 2)),
  );
  const stores = node(storeWindow.fire.and(whole).and(inTx));
  return { windowDone, stores, address: aw.addr, data: w.data };
}

/** A write of a register. */
function writeRegister({ registers }: Parts, storeRegister: Stores): void {
  const [addressPart, dataPart] = fork(storeRegister, 2, "eager", { name: "register_store" });
  connect(
    map(addressPart, liteAddress(narrow), v => ({ addr: v.aw.addr.bits(0, narrow), prot: v.aw.prot }), {
      name: "register_address",
    }),
    registers.sAw,
  );
  connect(
    map(dataPart, LiteWrite, v => v.w, { name: "register_data" }),
    registers.sW,
  );
}

export function writes(parts: Parts) {
  const { io, registers, regionOf } = parts;
  const given = storesOf(parts);
  const writesRegister = node(regionOf(given.payload.aw.addr).eq(region.registers));
  const [storeRegister, storeWindow] = demux(given, writesRegister.not(), 2, { name: "write_to" });
  writeRegister(parts, storeRegister);
  const { windowDone, ...written } = writeWindow(parts, storeWindow);
  connect(
    arbiter([registers.sB, stage(windowDone, "forward", { name: "window_done" })], {
      policy: "priority",
      name: "write_answers",
    }),
    io.sB,
  );

  return written;
}
