import { arbiter, bit, connect, demux, Fifo, fork, gate, instance, map, module, node, sink, source, uint } from "../../../hdl-dsl/index.ts";
import { AxiAddress, AxiRead, AxiResponse, AxiWrite } from "./types.ts";

export interface AxiShareParameters {
  readonly beatBytes: number; readonly addressBits: number; readonly idBits: number;
  /** Write bursts whose data is still to be passed, at most. */
  readonly writes: number;
}

/**
 * Data and table accesses on one AXI4 master. Addresses: the table first (a miss has a request waiting, and tables ask rarely). Write data follow in the order
 * of the write addresses granted, never before their address. Answers go by ID: 0 is data, all others the table.
 * Latency 0 on every channel, but write data at the earliest one cycle after their address; initiation interval 1.
 * Full: with `writes` bursts of data to pass no more write address is granted.
 */
export const AxiShare = module("AxiShare",
  (p: AxiShareParameters) => {
    const address = AxiAddress(p), data = AxiWrite(p.beatBytes), answer = AxiResponse(p), read = AxiRead(p);
    return {
      data_ar: sink(address), data_r: source(read), data_aw: sink(address), data_w: sink(data), data_b: source(answer),
      table_ar: sink(address), table_r: source(read), table_aw: sink(address), table_w: sink(data), table_b: source(answer),
      ar: source(address), r: sink(read), aw: source(address), w: source(data), b: sink(answer),
    };
  },
  (io, p) => {
    connect(arbiter([io.table_ar, io.data_ar], { policy: "priority", name: "read_grant" }), io.ar);

    const owners = instance(Fifo({ shape: uint(1), depth: p.writes, style: "distributed" }));
    const [address, owner] = fork(arbiter([io.table_aw, io.data_aw], { policy: "priority", name: "write_grant" }), 2, "lazy", { name: "granted" }) as [typeof io.data_aw, typeof io.data_aw];
    connect(address, io.aw);
    connect(map(owner, bit, v => v.id.any(), { name: "owner_next" }), owners.push);
    const ofTable = node(owners.pop.payload, { name: "of_table" });
    const open = owners.pop.valid;
    const dataBeats = gate(io.data_w, open.and(ofTable.not()), { name: "data_open" });
    const tableBeats = gate(io.table_w, open.and(ofTable), { name: "table_open" });
    const beats = arbiter([tableBeats, dataBeats], { policy: "priority", name: "write_beats" });
    connect(beats, io.w);
    owners.pop.ready.set(io.w.valid.and(io.w.ready).and(io.w.payload.last));

    for (const [from, toData, toTable, name] of [[io.r, io.data_r, io.table_r, "read"], [io.b, io.data_b, io.table_b, "written"]] as const) {
      const [first, second] = demux(from as typeof io.r, from.payload.id.any(), 2, { name }) as [typeof io.r, typeof io.r];
      connect(first, toData as typeof io.data_r);
      connect(second, toTable as typeof io.table_r);
    }
  });
