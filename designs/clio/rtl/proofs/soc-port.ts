/** The slow path's port: whatever software writes and when, what has been ordered stays as it was ordered until it is taken, and is told done once. */
import {
  assertAlways, assumeAlways, bit, bitsFor, cat, connect, cover, input, instance, liteSlavePorts, module, moduleObeys, mux, node, output, producerObeys, reg, sink, source, uint, type Bit, type Proof,
} from "../../../../hdl-dsl/index.ts";
import { deriveConfig, narrowConfig } from "../../config/index.ts";
import { socPortGeometry, socPortMap } from "../../registers/index.ts";
import { Exchange, SocPort } from "../slow-path/soc-port.ts";
import { geometryOf } from "../../../shared/virtual-memory/rtl/index.ts";
import { Shootdown } from "../memory/translate.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";

/** Short frames and few of them: what is proved does not look at their bytes. */
const c = { ...narrowConfig({ pageSize: 512, physicalMemory: 8192, slotsFactor: 2, tlbEntries: 4, freePageBuffer: 4, mtuFrame: 128, clientPorts: 1 }), slowPathRing: 4 };
const g = socPortGeometry(deriveConfig(c)), slots = g.slots;
const table = { pageSize: c.pageSize, physicalMemory: c.physicalMemory, slotsFactor: c.slotsFactor };

const registerNamed = (name: string): { readonly address: number } => {
  const register = socPortMap.registers.find(r => r.name === name);
  if (register === undefined) throw new Error(`no register ${name}`); // A programming error: the map was changed.
  return register;
};

const harness = module("SocPortProof",
  () => ({
    ...liteSlavePorts(g.addressBits), irq: output(bit), soc_rx: sink(AxisBeat(8)), soc_tx: source(AxisBeat(8)),
    free_page: source(uint(geometryOf(table).ppnBits)), free_pages: input(uint(bitsFor(c.freePageBuffer))), low_water: input(bit),
    shootdown: source(Shootdown({ ...table, misses: 1, beatBytes: 8, addressBits: 13, idBits: 1, freePages: 4, slots: 1, tlbEntries: 4, pagesPerRequest: 2 })), shootdown_done: sink(bit),
    exchange: source(Exchange(c.physAddrBits)), exchanged: sink(uint(64)),
  }),
  io => {
    const dut = instance("dut", SocPort(c));
    connect(io.s_aw, dut.s_aw); connect(io.s_w, dut.s_w); connect(dut.s_b, io.s_b); connect(io.s_ar, dut.s_ar); connect(dut.s_r, io.s_r);
    connect(io.soc_rx, dut.soc_rx); connect(dut.soc_tx, io.soc_tx); connect(dut.free_page, io.free_page); connect(dut.shootdown, io.shootdown);
    connect(io.shootdown_done, dut.shootdown_done); connect(dut.exchange, io.exchange); connect(io.exchanged, dut.exchanged);
    dut.free_pages.set(io.free_pages);
    dut.low_water.set(io.low_water);
    io.irq.set(dut.irq);

    // What the surroundings promise.
    producerObeys({ valid: io.s_aw.valid, ready: io.s_aw.ready, payload: io.s_aw.payload.addr }, "s_aw");
    producerObeys({ valid: io.s_w.valid, ready: io.s_w.ready, payload: cat(io.s_w.payload.data, io.s_w.payload.strb) }, "s_w");
    producerObeys({ valid: io.s_ar.valid, ready: io.s_ar.ready, payload: io.s_ar.payload.addr }, "s_ar");
    // The registers repeat throughout their window.
    const { address: rxTail } = registerNamed("rxTail");
    assumeAlways(io.s_aw.valid.not().or(io.s_aw.payload.addr.bits(2, socPortMap.addressBits - 2).ne(rxTail >> 2)), "software leaves the receive ring as it is");

    // One of each under way: from the offer to the answer.
    const underWay = (name: string, taken: Bit, answered: Bit): Bit => {
      const open = reg(bit, { init: 0, name: `model_${name}` });
      open.set(taken.or(open.and(answered.not())));
      return open;
    };
    const shot = underWay("shot", io.shootdown.fire, io.shootdown_done.fire.and(io.shootdown_done.payload)), swap = underWay("swap", io.exchange.fire, io.exchanged.fire);
    assumeAlways(io.shootdown_done.valid.not().or(shot).and(io.exchanged.valid.not().or(swap)), "only what was taken is answered");
    assertAlways(io.shootdown.valid.and(shot).not(), "one shootdown at a time");
    assertAlways(io.exchange.valid.and(swap).not(), "one exchange at a time");

    const frames = reg(uint(bitsFor(slots)), { init: 0, name: "model_frames" });
    const whole = node(io.soc_rx.fire.and(io.soc_rx.payload.last), { name: "model_whole" });
    frames.set(mux(whole, frames.add(1), frames));
    assertAlways(whole.not().or(frames.lt(slots)), "the receive ring takes no more frames than it has slots");

    moduleObeys({ valid: io.free_page.valid, ready: io.free_page.ready, payload: io.free_page.payload }, "free_page");
    moduleObeys({ valid: io.shootdown.valid, ready: io.shootdown.ready, payload: cat(io.shootdown.payload.pid, io.shootdown.payload.vpn) }, "shootdown");
    moduleObeys({ valid: io.exchange.valid, ready: io.exchange.ready, payload: cat(io.exchange.payload.address, io.exchange.payload.bits) }, "exchange");
    moduleObeys({ valid: io.s_b.valid, ready: io.s_b.ready, payload: io.s_b.payload.resp }, "s_b");

    cover(io.exchanged.fire, "an exchange is done");
    cover(io.shootdown_done.fire, "a shootdown is done");
    cover(io.free_page.fire, "a page is handed over");
    cover(frames.eq(slots), "the receive ring is full");
  });

export const socPortProof: Proof = {
  module: `SocPort, rings of ${slots} frames`,
  harness: harness(),
  reach: 20,
  faults: [
    { what: "an exchange that waits follows the registers", from: /assign exchange_payload_bits = [^;]*;/, to: "assign exchange_payload_bits = {registers_new_entry_high, registers_new_entry_low};" },
    { what: "a shootdown is taken while one is under way", from: /wire shoots = [^;]*;/, to: "wire shoots = registers_shootdown_go;" },
  ],
};
