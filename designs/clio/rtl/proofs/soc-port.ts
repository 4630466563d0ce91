/**
 * The slow path's port. An order stays as it is until it is taken, and is reported done once, however and
 * whenever software writes.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  connect,
  cover,
  input,
  instance,
  liteSlavePorts,
  module,
  moduleObeys,
  mux,
  node,
  output,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { deriveConfig, narrowConfig, tableOf } from "../../config/index.ts";
import { socPortGeometry, socPortMap } from "../../registers/index.ts";
import { SocPort } from "../slow-path/soc-port.ts";
import { Exchange, Exchanged } from "../slow-path/soc-port/ports.ts";
import { Shootdown } from "../memory/translate.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";

/** Short frames and few of them: the claims do not depend on their bytes. */
const c = {
  ...narrowConfig({
    pageSize: 512,
    physicalMemory: 8192,
    slotsFactor: 2,
    tlbEntries: 4,
    freePageBuffer: 4,
    mtuFrame: 128,
    clientPorts: 1,
  }),
  slowPathRing: 4,
};
const g = socPortGeometry(deriveConfig(c)),
  slots = g.slots;
const table = { pageSize: c.pageSize, physicalMemory: c.physicalMemory, slotsFactor: c.slotsFactor };

const registerNamed = (name: string): { readonly address: number } => {
  const register = socPortMap.registers.find(r => r.name === name);
  if (register === undefined) throw new Error(`no register ${name}`); // A programming error: the map was changed.
  return register;
};

const harness = module(
  "SocPortProof",
  () => ({
    ...liteSlavePorts(g.addressBits),
    irq: output(bit),
    socRx: sink(AxisBeat(8)),
    socTx: source(AxisBeat(8)),
    freePage: source(uint(tableOf(table).ppnBits)),
    freePages: input(uint(bitsFor(c.freePageBuffer))),
    lowWater: input(bit),
    shootdown: source(
      Shootdown({
        ...table,
        misses: 1,
        beatBytes: 8,
        addressBits: 13,
        idBits: 1,
        freePages: 4,
        slots: 1,
        tlbEntries: 4,
        pagesPerRequest: 2,
      }),
    ),
    shootdownDone: sink(bit),
    exchange: source(Exchange(c.physAddrBits)),
    exchanged: sink(Exchanged),
  }),
  io => {
    const dut = instance("dut", SocPort(c));
    connect(io.sAw, dut.sAw);
    connect(io.sW, dut.sW);
    connect(dut.sB, io.sB);
    connect(io.sAr, dut.sAr);
    connect(dut.sR, io.sR);
    connect(io.socRx, dut.socRx);
    connect(dut.socTx, io.socTx);
    connect(dut.freePage, io.freePage);
    connect(dut.shootdown, io.shootdown);
    connect(io.shootdownDone, dut.shootdownDone);
    connect(dut.exchange, io.exchange);
    connect(io.exchanged, dut.exchanged);
    dut.freePages.set(io.freePages);
    dut.lowWater.set(io.lowWater);
    io.irq.set(dut.irq);

    // Assumptions about the surroundings.
    producerObeys({ valid: io.sAw.valid, ready: io.sAw.ready, payload: io.sAw.payload.addr }, "s_aw");
    producerObeys(
      { valid: io.sW.valid, ready: io.sW.ready, payload: cat(io.sW.payload.data, io.sW.payload.strb) },
      "s_w",
    );
    producerObeys({ valid: io.sAr.valid, ready: io.sAr.ready, payload: io.sAr.payload.addr }, "s_ar");
    // The registers repeat throughout their window.
    const { address: rxTail } = registerNamed("rxTail");
    assumeAlways(
      io.sAw.valid.not().or(io.sAw.payload.addr.bits(2, socPortMap.addressBits - 2).ne(rxTail >> 2)),
      "software leaves the receive ring as it is",
    );

    // One of each under way: from the offer to the answer.
    const underWay = (name: string, taken: Bit, answered: Bit): Bit => {
      const open = reg(bit, { init: 0, name: `model_${name}` });
      open.set(taken.or(open.and(answered.not())));
      return open;
    };
    const shot = underWay("shot", io.shootdown.fire, io.shootdownDone.fire.and(io.shootdownDone.payload)),
      swap = underWay("swap", io.exchange.fire, io.exchanged.fire);
    assumeAlways(
      io.shootdownDone.valid.not().or(shot).and(io.exchanged.valid.not().or(swap)),
      "only what was taken is answered",
    );
    assertAlways(io.shootdown.valid.and(shot).not(), "one shootdown at a time");
    assertAlways(io.exchange.valid.and(swap).not(), "one exchange at a time");

    const frames = reg(uint(bitsFor(slots)), { init: 0, name: "model_frames" });
    const whole = node(io.socRx.fire.and(io.socRx.payload.last), { name: "model_whole" });
    frames.set(mux(whole, frames.add(1), frames));
    assertAlways(whole.not().or(frames.lt(slots)), "the receive ring takes no more frames than it has slots");

    moduleObeys({ valid: io.freePage.valid, ready: io.freePage.ready, payload: io.freePage.payload }, "free_page");
    moduleObeys(
      {
        valid: io.shootdown.valid,
        ready: io.shootdown.ready,
        payload: cat(io.shootdown.payload.pid, io.shootdown.payload.vpn),
      },
      "shootdown",
    );
    moduleObeys(
      {
        valid: io.exchange.valid,
        ready: io.exchange.ready,
        payload: cat(io.exchange.payload.address, io.exchange.payload.bits),
      },
      "exchange",
    );
    moduleObeys({ valid: io.sB.valid, ready: io.sB.ready, payload: io.sB.payload.resp }, "s_b");

    cover(io.exchanged.fire, "an exchange is done");
    cover(io.shootdownDone.fire, "a shootdown is done");
    cover(io.freePage.fire, "a page is handed over");
    cover(frames.eq(slots), "the receive ring is full");
  },
);

export const socPortProof: Proof = {
  module: `SocPort, rings of ${slots} frames`,
  long: true,
  harness: harness(),
  reach: 20,
  faults: [
    {
      what: "an exchange that waits follows the registers",
      from: /assign exchange_payload_bits = [^;]*;/,
      to: "assign exchange_payload_bits = {registers_new_entry_high, registers_new_entry_low};",
    },
    {
      what: "a shootdown is taken while one is under way",
      from: /wire shoots = [^;]*;/,
      to: "wire shoots = registers_shootdown_go;",
    },
  ],
};
