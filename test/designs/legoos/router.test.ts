import { describe, expect, test } from "vitest";
import { VRegionRouter } from "../../../designs/legoos/rtl/index.ts";
import { type Bench, type Dut, poke, type Random, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

const sets = [small(), small({ nodes: 2, regions: 4 })] as const,
  [p] = sets,
  dut = VRegionRouter(p);
type Ports = typeof dut.ports;

interface Owner {
  readonly asid: number;
  readonly region: number;
  readonly node: number;
  readonly replicated: number;
  readonly secondary: number;
}
/** Keys that differ in one bit each, at both ends of both fields. */
const asids = [1, 2, 3, 0x8001],
  regions = [0, 1, 2, 0x2_0001];
const keyOf = (r: Random): { readonly asid: number; readonly region: number } => ({
  asid: r.pick(asids),
  region: r.pick(regions),
});

/**
 * A look-up in each cycle, beside writes of entries and of nodes, and resets: against tables of both. What is asked is
 * answered two cycles later. A write of its own cycle is seen, a later one is not. Of two entries of one region the
 * lower one counts.
 */
async function everyCycle(b: Bench<Ports>, p = sets[0]): Promise<void> {
  const { io, random: r } = b,
    peers = Array.from({ length: p.nodes }, () => ({ mac: 0, ip: 0, port: 0 }));
  let entries: (Owner | undefined)[] = Array.from({ length: p.regions }, () => undefined),
    hits = 0,
    /** Answers that are under way, the next one first. */
    coming: readonly (Owner | "unknown" | undefined)[] = [undefined, undefined];
  // Nodes are known before anybody asks for one.
  for (const [index, peer] of peers.entries()) {
    Object.assign(peer, { mac: Number(r.bits(48)), ip: r.word(), port: r.below(0x1_0000) });
    io.nodeWrite.valid.value = 1;
    poke(io.nodeWrite.entry, { index, peer });
    await b.risingEdge();
  }
  for (let i = 0; i < 3000; i++) {
    if (r.chance(0.005)) {
      io.regionWrite.valid.value = io.nodeWrite.valid.value = 0;
      b.sim.reset(1);
      entries = entries.map(() => undefined);
      coming = [undefined, undefined];
    }
    const key = keyOf(r),
      node = r.below(p.nodes),
      index = r.below(p.regions),
      writes = r.chance(0.1),
      keep = r.chance(0.7),
      entry = { ...keyOf(r), node: r.below(p.nodes), replicated: r.below(2), secondary: r.below(p.nodes) },
      writesNode = r.chance(0.1),
      written = { index: r.below(p.nodes), peer: { mac: Number(r.bits(48)), ip: r.word(), port: r.below(0x1_0000) } };
    io.asid.value = key.asid;
    io.region.value = key.region;
    io.node.value = node;
    io.regionWrite.valid.value = writes ? 1 : 0;
    poke(io.regionWrite.entry, { index, keep: keep ? 1 : 0, ...entry });
    io.nodeWrite.valid.value = writesNode ? 1 : 0;
    poke(io.nodeWrite.entry, written);
    await b.risingEdge();
    // What stands before the edge.
    const { mac, ip, port } = io.peer;
    expect({ mac: mac.value, ip: ip.value, port: port.value }, `node ${node} at ${i}`).toEqual(peers[node]);
    const [expected, next] = coming;
    if (expected !== undefined) {
      const { known, node: owner, replicated, secondary } = io.route;
      expect(known.value, `known at ${i}`).toBe(expected === "unknown" ? 0 : 1);
      if (expected !== "unknown") {
        hits++;
        expect([owner.value, replicated.value, secondary.value], `route at ${i}`).toEqual([
          expected.node,
          expected.replicated,
          expected.secondary,
        ]);
      }
    }
    if (writes) entries[index] = keep ? entry : undefined;
    coming = [next, entries.find(e => e?.asid === key.asid && e.region === key.region) ?? "unknown"];
    if (writesNode) peers[written.index] = written.peer;
  }
  expect(hits).toBeGreaterThan(300);
}
const run = (design: Dut<Ports> = dut, of = p): Promise<void> =>
  runBench("router", design, { seed: 1, wave: false }, b => everyCycle(b, of));

test.each(sets)(
  "an owner for each cycle's region, and a node's address at once, beside writes and resets: $nodes nodes",
  of => run(VRegionRouter(of), of),
);
describe("planted faults", () => {
  test.each<readonly [string, string | RegExp, string]>([
    ["address spaces are not told apart", "cam_key = {asid, region}", "cam_key = {16'd0, region}"],
    [
      "an entry's copy is its owner",
      /owners_0_secondary <= region_write_entry_secondary/,
      "owners_0_secondary <= region_write_entry_node",
    ],
    ["every entry has a copy", /owners_3_replicated <= region_write_entry_replicated/, "owners_3_replicated <= 1'b1"],
    ["a node is written always", /if \(node_write_valid\)/, "if (1'b1)"],
  ])("%s", (_, from, to) => findsFault(run(plant(dut, from, to))));
  test("an owner of one bit is whether there is a copy", () =>
    findsFault(
      run(
        plant(
          VRegionRouter(sets[1]),
          /owners_2_node <= region_write_entry_node/,
          "owners_2_node <= region_write_entry_replicated",
        ),
        sets[1],
      ),
    ));
});
