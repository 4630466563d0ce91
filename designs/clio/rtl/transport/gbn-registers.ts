import {
  bit,
  connect,
  constant,
  Fifo,
  input,
  instance,
  liteSlavePorts,
  module,
  mux,
  reg,
  RegisterSlave,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { gbnCounters, gbnMap, gbnValues } from "../../registers/index.ts";
import { GbnCounters } from "./gbn-shims.ts";
import { sessionBits, SessionControl } from "../../../shared/go-back-n/rtl/index.ts";

/** Sessions given up that software has not asked after yet. */
const failuresKept = 16;

/**
 * The registers of the Go-Back-N shims on AXI4-Lite (the map is data: ../registers/go-back-n.ts). Software opens
 * and closes sessions, sees those that were given up, and reads the counters. Latency and full: as RegisterSlave.
 * An order while one is under way is forgotten; a session given up while 16 are remembered is closed and counted,
 * but not remembered.
 */
export const GbnRegisters = module(
  "GbnRegisters",
  (p: { readonly sessions: number; readonly window: number }) => ({
    ...liteSlavePorts(gbnMap.addressBits),
    session: source(SessionControl(p)),
    failed: input(struct({ valid: bit, session: uint(sessionBits(p)) })),
    counters: input(GbnCounters),
  }),
  (io, p) => {
    const registers = instance(RegisterSlave({ map: gbnMap, values: gbnValues(p) }));
    connect(io.sAw, registers.sAw);
    connect(io.sW, registers.sW);
    connect(registers.sB, io.sB);
    connect(io.sAr, registers.sAr);
    connect(registers.sR, io.sR);

    // The number stands in its register from the cycle after the order.
    const ordered = reg(bit, { init: 0 });
    const pending = reg(bit, { init: 0 });
    ordered.set(registers.gbnGo.and(pending.not()).and(ordered.not()));
    when(ordered, () => pending.set(1)).elseWhen(io.session.fire, () => pending.set(0));
    io.session.valid.set(pending);
    io.session.payload.set({ session: registers.gbnSession.resize(sessionBits(p)), open: registers.gbnOpen });
    registers.gbnIdle.set(pending.or(ordered).not());

    const failures = instance(
      "failures",
      Fifo({ shape: uint(sessionBits(p)), depth: failuresKept, style: "distributed" }),
    );
    failures.push.valid.set(io.failed.valid);
    failures.push.payload.set(io.failed.session);
    failures.pop.ready.set(registers.gbnFailedTaken);
    registers.gbnFailedWaiting.set(failures.pop.valid);
    registers.gbnFailed.set(mux(failures.pop.valid, failures.pop.payload.resize(16), constant(0, 16)));

    for (const c of gbnCounters) {
      const side: Readonly<Record<string, UInt<32>>> = io.counters[c.side];
      const count = side[c.event];
      if (count !== undefined) registers[c.name]?.set(count);
    }
  },
);
