import {
  bit,
  Cam,
  cat,
  input,
  instance,
  lowestSet,
  module,
  onehotMux,
  output,
  ram,
  reg,
  struct,
  toBits,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { asidBits, derived, type Parameters } from "../../config/index.ts";
import { NodeWrite, Peer, regionBits, RegionWrite, Route } from "../records/miss-records.ts";

/**
 * The vRegion array (LegoOS §3.4.4): which node owns a region of 1 GB of a process, and where nodes are. Software
 * writes both. Latency 2 cycles from `asid` and `region` to `route`, initiation interval 1; a write of the first of
 * them is seen. `peer` answers `node` in the same cycle. A region that is not there is told, not guessed. Two entries
 * of one region are software's fault: the lower one counts. Reset: no region is known.
 */
export const VRegionRouter = module(
  "VRegionRouter",
  (p: Parameters) => ({
    asid: input(uint(asidBits)),
    region: input(uint(regionBits)),
    route: output(Route(p)),
    node: input(uint(derived(p).nodeBits)),
    peer: output(Peer),
    regionWrite: input(struct({ valid: bit, entry: RegionWrite(p) })),
    nodeWrite: input(struct({ valid: bit, entry: NodeWrite(p) })),
  }),
  (io, p) => {
    const nodeBits = derived(p).nodeBits,
      Owner = struct({ node: uint(nodeBits), replicated: bit, secondary: uint(nodeBits) });
    const cam = instance("cam", Cam({ entries: p.regions, keyBits: asidBits + regionBits }));
    const { entry } = io.regionWrite;
    cam.key.set(cat(io.asid, io.region));
    cam.write.set({
      valid: io.regionWrite.valid,
      keep: entry.keep,
      index: entry.index,
      key: cat(entry.asid, entry.region),
    });
    const owners = reg(vec(Owner, p.regions));
    for (let i = 0; i < p.regions; i++)
      when(io.regionWrite.valid.and(entry.index.eq(i)), () =>
        owners.at(i).set({ node: entry.node, replicated: entry.replicated, secondary: entry.secondary }),
      );
    const owner = onehotMux(toBits(lowestSet(cam.found.matches)), owners.toArray()),
      route = reg(Route(p), { name: "found_route" });
    route.set({ known: cam.found.hit, ...owner });
    io.route.set(route);

    const peers = ram(Peer, { depth: p.nodes, collision: "undefined", style: "distributed", name: "peers" });
    peers.write(io.nodeWrite.valid, io.nodeWrite.entry.index, io.nodeWrite.entry.peer);
    io.peer.set(peers.readAsync(io.node));
  },
  { nameOf: p => `VRegionRouter_r${p.regions}_n${p.nodes}` },
);
