import {
  arbiter,
  assignView,
  bit,
  connect,
  constant,
  demux,
  Fifo,
  fork,
  instance,
  map,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  sink,
  source,
  struct,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
} from "../../../hdl-dsl/index.ts";

export interface AxiShareParameters {
  readonly beatBytes: number;
  readonly addressBits: number;
  readonly idBits: number;
  /** The ID of the sync unit's accesses. 0 is data; all others are the table's. */
  readonly syncId: number;
  /** Write bursts whose data is still to be passed, at most. */
  readonly writes: number;
}

/**
 * Data, table and sync-unit accesses on one AXI4 master. Addresses: the table first (a miss has a request waiting, and
 * tables ask rarely), then the sync unit (it has few accesses at a time), then data. Write data follow in the order of
 * the write addresses granted, never before their address. Answers go by ID: 0 is data, `syncId` the sync unit, all
 * others the table.
 * Latency 0 on every channel, but write data at the earliest one cycle after their address; initiation interval 1.
 * Full: with `writes` bursts of data to pass no more write address is granted.
 */
export const AxiShare = module(
  "AxiShare",
  (p: AxiShareParameters) => {
    const address = axi4Address(p),
      data = axi4Write(p.beatBytes),
      answer = axi4Response(p),
      read = axi4Read(p);
    return {
      dataAr: sink(address),
      dataR: source(read),
      dataAw: sink(address),
      dataW: sink(data),
      dataB: source(answer),
      tableAr: sink(address),
      tableR: source(read),
      tableAw: sink(address),
      tableW: sink(data),
      tableB: source(answer),
      syncAr: sink(address),
      syncR: source(read),
      syncAw: sink(address),
      syncW: sink(data),
      syncB: source(answer),
      ar: source(address),
      r: sink(read),
      aw: source(address),
      w: source(data),
      b: sink(answer),
    };
  },
  (io, p) => {
    connect(arbiter([io.tableAr, io.syncAr, io.dataAr], { policy: "priority", name: "read_grant" }), io.ar);

    const Owner = struct({ sync: bit, table: bit });
    const owners = instance(Fifo({ shape: Owner, depth: p.writes, style: "distributed" }));
    const granted = arbiter([io.tableAw, io.syncAw, io.dataAw], { policy: "priority", name: "write_grant" });
    const [address, owner] = fork(granted, 2, "lazy", { name: "granted" });
    connect(address, io.aw);
    connect(
      map(owner, Owner, v => ({ sync: v.id.eq(p.syncId), table: v.id.any().and(v.id.ne(p.syncId)) }), {
        name: "owner_next",
      }),
      owners.push,
    );
    const ofTable = node(owners.pop.payload.table, { name: "of_table" });
    const ofSync = node(owners.pop.payload.sync, { name: "of_sync" });
    const sides = [
      { beats: io.tableW, turn: ofTable },
      { beats: io.syncW, turn: ofSync },
      { beats: io.dataW, turn: node(ofTable.or(ofSync).not(), { name: "of_data" }) },
    ].map(s => ({ ...s, turn: owners.pop.valid.and(s.turn) }));
    io.w.valid.set(orTree(sides.map(s => s.turn.and(s.beats.valid))));
    assignView(
      io.w.payload,
      onehotMux(
        sides.map(s => s.turn),
        sides.map(s => s.beats.payload),
      ),
      "w",
    );
    for (const s of sides) s.beats.ready.set(s.turn.and(io.w.ready));
    owners.pop.ready.set(io.w.valid.and(io.w.ready).and(io.w.payload.last));

    for (const [from, toData, toTable, toSync, name] of [
      [io.r, io.dataR, io.tableR, io.syncR, "read"],
      [io.b, io.dataB, io.tableB, io.syncB, "written"],
    ] as const) {
      const way = mux(from.payload.id.eq(p.syncId), constant(2, 2), from.payload.id.any().zext(2));
      const [first, second, third] = demux(from as typeof io.r, way, 3, { name });
      connect(first, toData as typeof io.dataR);
      connect(second, toTable as typeof io.tableR);
      connect(third, toSync as typeof io.syncR);
    }
  },
);
