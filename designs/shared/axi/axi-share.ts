import {
  arbiter,
  assignView,
  axi4Address,
  type Axi4Parameters,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  type Bit,
  connect,
  constant,
  type Def,
  demux,
  Fifo,
  fork,
  instance,
  map,
  module,
  mux,
  named,
  node,
  onehotMux,
  orTree,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  struct,
  type UInt,
} from "../../../hdl-dsl/index.ts";

/** One of those that share the bus. */
export interface AxiMaster<N extends string = string> {
  /** Its ports are `<name>Ar`, `<name>R`, `<name>Aw`, `<name>W` and `<name>B`. */
  readonly name: N;
  /** Its ID, or the first of them. */
  readonly id: number;
  /** It has all IDs from `id` to the next master's; without this it has `id` alone. */
  readonly many?: boolean;
}
export interface AxiShareParameters<N extends string = string> extends Axi4Parameters {
  /** The masters, two or more, in order of priority. One of them has ID 0. An ID that none has is never given. */
  readonly masters: readonly AxiMaster<N>[];
  /** Write bursts whose data is still to be passed, at most. */
  readonly writes: number;
  /** Who is granted an address: the first of `masters` that asks, unless all take turns. */
  readonly turns?: "roundRobin";
}

type MasterPorts<N extends string> = {
  readonly [K in `${N}Ar` | `${N}Aw`]: ReturnType<typeof sink<ReturnType<typeof axi4Address>>>;
} & { readonly [K in `${N}W`]: ReturnType<typeof sink<ReturnType<typeof axi4Write>>> } & {
  readonly [K in `${N}R`]: ReturnType<typeof source<ReturnType<typeof axi4Read>>>;
} & { readonly [K in `${N}B`]: ReturnType<typeof source<ReturnType<typeof axi4Response>>> };
const busPorts = (p: Axi4Parameters) => ({
  ar: source(axi4Address(p)),
  r: sink(axi4Read(p)),
  aw: source(axi4Address(p)),
  w: source(axi4Write(p.beatBytes)),
  b: sink(axi4Response(p)),
});
const masterPorts = (name: string, p: Axi4Parameters) => ({
  [`${name}Ar`]: sink(axi4Address(p)),
  [`${name}R`]: source(axi4Read(p)),
  [`${name}Aw`]: sink(axi4Address(p)),
  [`${name}W`]: sink(axi4Write(p.beatBytes)),
  [`${name}B`]: source(axi4Response(p)),
});
/** Type of the ports of masters whose names are known to the caller alone. */
type SharePorts<N extends string> = ReturnType<typeof busPorts> & MasterPorts<N>;

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const byId = (p: AxiShareParameters): readonly AxiMaster[] => [...p.masters].sort((a, b) => a.id - b.id);
/** Whether an ID, known to be no lower master's, is this one's or beyond; and the reverse. */
const reaches = (m: AxiMaster, id: UInt): Bit => (!m.many ? id.eq(m.id) : m.id === 1 ? id.any() : id.ge(m.id));
const isBelow = (m: AxiMaster, id: UInt): Bit => (!m.many ? id.ne(m.id) : id.lt(m.id));

const share = module(
  "AxiShare",
  (p: AxiShareParameters) =>
    Object.assign({}, ...byId(p).map(m => masterPorts(m.name, p)), busPorts(p)) as SharePorts<string>,
  (io, p) => {
    const sorted = byId(p),
      upper = sorted.slice(1),
      lowest = sorted[0] as AxiMaster;
    const ar = (m: AxiMaster) => io[`${m.name}Ar`] as StreamIn<ReturnType<typeof axi4Address>>,
      aw = (m: AxiMaster) => io[`${m.name}Aw`] as StreamIn<ReturnType<typeof axi4Address>>,
      beats = (m: AxiMaster) => io[`${m.name}W`] as StreamIn<ReturnType<typeof axi4Write>>;
    const policy = p.turns ?? "priority";
    connect(arbiter(p.masters.map(ar), { policy, name: "read_grant" }), io.ar);

    // Whose data is next: a bit for each master but the lowest, whose turn it is when it is no other's.
    // Shares in turns may stand behind one another: then the queues of their owners have names apart.
    const Owner = struct(Object.fromEntries([...upper].reverse().map(m => [m.name, bit]))),
      shape = p.turns === undefined ? Owner : named(`Owner_${upper.map(m => m.name).join("_")}`, Owner);
    const owners = instance(Fifo({ shape, depth: p.writes, style: "distributed" }));
    const granted = arbiter(p.masters.map(aw), { policy, name: "write_grant" });
    // Whose data is next is known before the slave has taken the address: it may wait for the data (AXI4, A3.3.1).
    const [address, owner] = fork(granted, 2, "eager", { name: "granted" });
    connect(address, io.aw);
    const owns = (id: UInt): [string, Bit][] =>
      upper
        .map((m, i): [string, Bit] => [
          m.name,
          upper.slice(i + 1).reduce((own, above) => own.and(isBelow(above, id)), reaches(m, id)),
        ])
        .reverse();
    connect(
      map(owner, shape, v => Object.fromEntries(owns(v.id)), { name: "owner_next" }),
      owners.push,
    );
    const turns = new Map(
      upper.map(m => [m, node(owners.pop.payload[m.name] as Bit, { name: `of${capital(m.name)}` })]),
    );
    turns.set(lowest, node(orTree([...turns.values()]).not(), { name: `of${capital(lowest.name)}` }));
    const sides = p.masters.map(m => ({ beats: beats(m), turn: owners.pop.valid.and(turns.get(m) as Bit) }));
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

    const wayBits = Math.ceil(Math.log2(sorted.length));
    const wayOf = (id: UInt): UInt =>
      upper
        .slice(1)
        .reduce(
          (below: UInt, m, i) => mux(reaches(m, id), constant(i + 2, wayBits), below),
          reaches(upper[0] as AxiMaster, id).zext(wayBits),
        );
    demux(io.r, wayOf(io.r.payload.id), sorted.length, { name: "read" }).forEach((to, i) =>
      connect(to, io[`${(sorted[i] as AxiMaster).name}R`] as StreamOut<ReturnType<typeof axi4Read>>),
    );
    demux(io.b, wayOf(io.b.payload.id), sorted.length, { name: "written" }).forEach((to, i) =>
      connect(to, io[`${(sorted[i] as AxiMaster).name}B`] as StreamOut<ReturnType<typeof axi4Response>>),
    );
  },
  {
    nameOf: p =>
      `AxiShare_b${p.beatBytes}_a${p.addressBits}_i${p.idBits}_${p.masters.map(m => `${m.name}${m.id}${m.many ? "up" : ""}`).join("_")}_w${p.writes}${p.turns === undefined ? "" : "_turns"}`,
  },
);

/**
 * Several masters on one AXI4 bus. Addresses are granted in the order of `masters`, the first before all others, or in
 * turns. Write data follow in the order of the write addresses granted, and wait for no slave to take their address
 * (A3.3.1). Answers go by ID to the master that has it. Latency 0 on every channel, but write data at the earliest one
 * cycle after their address was offered; initiation interval 1. Full: with `writes` bursts of data to pass, a further
 * write address is offered but its master waits.
 */
export const AxiShare = <const N extends string>(p: AxiShareParameters<N>): Def<SharePorts<N>> => share(p);
