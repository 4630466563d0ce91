import { expect, test } from "vitest";
import { BoardNode } from "../../../../designs/clio/board/index.ts";
import { makeSettings, parametersOf } from "../../../../designs/clio/config/index.ts";
import { clientEndpoint, FrameClient } from "../../../../designs/clio/workload/index.ts";
import { dissect, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { axiPorts, AxiRam, AxisSink, type Bench, bernoulli, poke, runBench } from "../../../../sim/index.ts";
import { findsFault } from "../../../support/plant.ts";

const { config, runtime } = makeSettings({
  dataWidth: 64,
  pageSize: 4096,
  physicalMemory: 2 ** 20,
  freePageBuffer: 4,
  requestSlots: 8,
  outstandingMisses: 2,
  tlbEntries: 16,
  slowPathRing: 4,
});
const dut = () => BoardNode(parametersOf(config));
type Ports = ReturnType<typeof dut>["ports"];
/** Three clocks of periods that have nothing to do with one another. */
const clocks = { node: { periodNs: 4 }, mac: { periodNs: 6.4, phaseNs: 1.3 }, memory: { periodNs: 3.3, phaseNs: 0.7 } };

/**
 * Requests that need no slow path, answered through all crossings: PINGPONG, and reads of unmapped pages, for which the
 * page table is read in DRAM.
 */
async function requests(b: Bench<Ports>, damaged?: number): Promise<void> {
  const { io, sim } = b,
    client = new FrameClient(clientEndpoint(0), runtime),
    mac = b.clock("mac");
  const ram = new AxiRam(sim, axiPorts(io, "mem"), { latency: 20, jitter: 5, domain: "memory" });
  const sink = new AxisSink(
    sim,
    { valid: io.macTx.valid, ready: io.macTx.ready, payload: io.macTx.payload },
    { domain: "mac", pause: bernoulli(0.3, 3) },
  );
  const gaps: number[] = [];
  let within = false;
  b.onEdge(
    {
      sample: () => {
        if (within && io.macTx.valid.value === 0) gaps.push(mac.cycle);
        if (io.macTx.valid.value === 1 && io.macTx.ready.value === 1) within = io.macTx.payload.last.value === 0;
      },
    },
    "mac",
  );
  await mac.cycles(20);
  const bytes = config.beatBytes,
    n = 40;
  for (let i = 0; i < n; i++) {
    const frame =
      i % 2 === 0
        ? client.request(opcode.PINGPONG, 1, b.random.bytes(b.random.between(1, 300)))
        : client.read(1, BigInt(i) << 20n, 64);
    for (let at = 0; at < frame.length; at += bytes) {
      const lanes = frame.subarray(at, at + bytes),
        data = lanes.reduceRight((v, x) => (v << 8n) | BigInt(x), 0n);
      poke(io.macRx, {
        valid: 1,
        data,
        keep: (1 << lanes.length) - 1,
        last: at + bytes >= frame.length ? 1 : 0,
        user: i === damaged ? 1 : 0,
      });
      await mac.risingEdge();
    }
    io.macRx.valid.value = 0;
    await mac.cycles(b.random.between(1, 60));
  }
  await mac.until(() => sink.frames.length === n);
  const said = sink.frames.map(f => dissect(f.bytes).clio);
  expect(said.filter(c => c?.status === status.OK).length).toBe(n / 2);
  expect(said.filter(c => c?.status === status.INVALID).length).toBe(n / 2);
  expect(new Set(said.map(c => c?.tag)).size, "each request is answered once").toBe(n);
  expect(ram.counts.readBursts).toBeGreaterThan(0);
  expect(gaps, "a frame to the MAC never runs dry").toEqual([]);
}
const run = (damaged?: number) =>
  runBench("board-node", dut(), { clocks, hangCycles: 20_000, wave: false }, b => requests(b, damaged));

test("requests through the MAC's, the node's and the memory's clock", () => run());
test("a fault: one frame comes damaged", async () => {
  await findsFault(run(6));
});
