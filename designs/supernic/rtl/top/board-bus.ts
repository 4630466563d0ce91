/** The board's memory, which the tasks' spaces and the rings share. Pages: docs/supernic/memory.md, spill.md. */
import {
  assertAlways,
  axi4Address,
  axi4Master,
  type Axi4Parameters,
  axi4Read,
  axi4Response,
  axi4Slave,
  connect,
  constant,
  instance,
  map,
  mergePorts,
  module,
  stage,
  type StreamIn,
  type StreamOut,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { AxiShare } from "../../../shared/axi/index.ts";

export interface BoardBusParameters {
  readonly beatBytes: number;
  /** The board's memory, a power of two: bits of a byte's address in it. */
  readonly addressBits: number;
  /** The tasks' bus has IDs up to this one, and this many bits of an address. */
  readonly tasksId: number;
  readonly tasksBits: number;
  /** Byte at which the rings begin: tasks have those in front of it, rings those from it on. */
  readonly firstRing: number;
}
/** Write bursts whose data have not gone to the memory, at most. */
const burstsOnBus = 16;
const idBitsOf = (most: number): number => Math.max(1, Math.ceil(Math.log2(most + 1)));
const tasksBus = (p: BoardBusParameters): Axi4Parameters => ({
  beatBytes: p.beatBytes,
  addressBits: p.tasksBits,
  idBits: idBitsOf(p.tasksId),
});
const ringsBus = ({ beatBytes, addressBits }: BoardBusParameters): Axi4Parameters => ({
  beatBytes,
  addressBits,
  idBits: 1,
});
/** The bus of both: the tasks' IDs, and behind them that of the rings. */
export const boardBusOf = ({ beatBytes, addressBits, tasksId }: BoardBusParameters): Axi4Parameters => ({
  beatBytes,
  addressBits,
  idBits: idBitsOf(tasksId + 1),
});

/**
 * One AXI4 bus, 64 bytes wide, for two masters: `tasks` has all IDs up to `tasksId`, `rings` the next one. Both take
 * turns, burst by burst, when both ask: each waits for one burst of the other at most. Answers go by their ID, so an
 * error is told to its own master alone. Neither may be late with data or with taking an answer: so neither holds up
 * the other. Each master keeps to its own addresses; that is asserted here, and made so by the page table, the mover
 * and the rings' writer. Latency: 1 cycle on every channel; initiation interval 1. Full: with 16 bursts of write data
 * to pass, a further write address waits. Reset: nothing is under way; so all three are reset together.
 */
export const BoardBus = module(
  "BoardBus",
  (p: BoardBusParameters) =>
    mergePorts(axi4Slave("tasks", tasksBus(p)), axi4Slave("rings", ringsBus(p)), axi4Master("m", boardBusOf(p))),
  (io, p) => {
    const bus = boardBusOf(p),
      ringsId = p.tasksId + 1,
      share = instance(
        "share",
        AxiShare({
          ...bus,
          masters: [
            { name: "tasks", id: 0, many: true },
            { name: "rings", id: ringsId },
          ],
          writes: burstsOnBus,
          turns: "roundRobin",
        }),
      );
    type Address = ReturnType<typeof axi4Address>;
    const wide = p.tasksBits + 1,
      place = (from: StreamIn<Address>, to: StreamOut<Address>, name: "tasks" | "rings"): void => {
        const { addr, id } = from.payload,
          own = name === "tasks" ? addr.zext(wide).lt(p.firstRing) : addr.ge(p.firstRing);
        assertAlways(from.valid.not().or(own), `${name} keep to their own addresses`);
        connect(
          map(
            from,
            axi4Address(bus),
            v => ({
              ...v,
              addr: addr.resize(p.addressBits),
              id: name === "tasks" ? id.resize(bus.idBits) : constant(ringsId, bus.idBits),
            }),
            { name: `${name}_placed` },
          ),
          to,
        );
      };
    place(io.tasksAr, share.tasksAr, "tasks");
    place(io.tasksAw, share.tasksAw, "tasks");
    place(io.ringsAr, share.ringsAr, "rings");
    place(io.ringsAw, share.ringsAw, "rings");
    connect(io.tasksW, share.tasksW);
    connect(io.ringsW, share.ringsW);
    // Each has its own IDs again.
    const own = tasksBus(p),
      Read = axi4Read(own),
      Response = axi4Response(own),
      backOf = (id: UInt) => id.trunc(own.idBits);
    connect(
      map(share.tasksR, Read, v => ({ ...v, id: backOf(v.id) }), { name: "tasks_read" }),
      io.tasksR,
    );
    connect(
      map(share.tasksB, Response, v => ({ ...v, id: backOf(v.id) }), { name: "tasks_written" }),
      io.tasksB,
    );
    connect(
      map(share.ringsR, axi4Read(ringsBus(p)), v => ({ ...v, id: 0 }), { name: "rings_read" }),
      io.ringsR,
    );
    connect(
      map(share.ringsB, axi4Response(ringsBus(p)), v => ({ ...v, id: 0 }), { name: "rings_written" }),
      io.ringsB,
    );
    connect(stage(share.ar, "forward", { name: "ar_out" }), io.mAr);
    connect(stage(share.aw, "forward", { name: "aw_out" }), io.mAw);
    connect(stage(share.w, "forward", { name: "w_out" }), io.mW);
    connect(stage(io.mR, "forward", { name: "r_in" }), share.r);
    connect(stage(io.mB, "forward", { name: "b_in" }), share.b);
  },
  { nameOf: p => `BoardBus_t${p.tasksId}_${p.tasksBits}_a${p.addressBits}_r${p.firstRing}` },
);
