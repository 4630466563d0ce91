/** The way of the frames that are kept: bursts of the store become accesses of the task's memory. */
import {
  arbiter,
  axi4Read,
  axi4Response,
  type Bit,
  cat,
  connect,
  constant,
  type InstanceOf,
  map,
  mux,
  stage,
  type StreamIn,
  type StreamOut,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { type GbnStore } from "../../../../shared/go-back-n/rtl/index.ts";
import {
  memoryAddressBits,
  MemoryAsk,
  type MemoryGot,
  memoryLengthBits,
  MemoryPut,
  type MemoryWrote,
} from "../memory.ts";
import { payloadBits } from "../payload.ts";
import { beatBytes, type GbnTaskParameters, memoryOf } from "./records.ts";

interface Ends {
  readonly ask: StreamOut<typeof MemoryAsk>;
  readonly put: StreamOut<typeof MemoryPut>;
  readonly got: StreamIn<typeof MemoryGot>;
  readonly wrote: StreamIn<typeof MemoryWrote>;
}
/** AXI's code of an error of the one who was asked. */
const slaveError = 2;

/** Whole beats are written: what is behind a frame's end is its own place. */
export function keepIn(p: GbnTaskParameters, store: InstanceOf<typeof GbnStore>, io: Ends): void {
  const lane = Math.log2(beatBytes),
    lastByte = (len: UInt) =>
      cat(len.trunc(memoryLengthBits - lane), constant(beatBytes - 1, lane)).is(memoryLengthBits);
  const asks = [store.aw, store.ar].map((from, i) =>
    map(
      from,
      MemoryAsk,
      ({ addr, len }) => ({ write: 1 - i, address: addr.is(memoryAddressBits), lastByte: lastByte(len) }),
      {
        name: i === 0 ? "write_asks" : "read_asks",
      },
    ),
  );
  connect(stage(arbiter(asks, { name: "asks" }), "forward", { name: "asking" }), io.ask);
  connect(
    map(store.w, MemoryPut, ({ data }) => ({ data: data.is(payloadBits) })),
    io.put,
  );
  const respOf = (failed: Bit): UInt<2> => mux(failed, constant(slaveError, 2), constant(0, 2)).is(2);
  connect(
    map(io.wrote, axi4Response(memoryOf(p)), ({ error }) => ({ id: 0, resp: respOf(error.ne("none")) })),
    store.b,
  );
  connect(
    map(io.got, axi4Read(memoryOf(p)), ({ data, last, error }) => ({
      ...{ id: 0, data, last },
      resp: respOf(last.and(error.ne("none"))),
    })),
    store.r,
  );
}
