import { expect, test } from "vitest";
import { BoardNode } from "../../../../designs/clio/board/index.ts";
import { makeSettings, parametersOf } from "../../../../designs/clio/config/index.ts";
import { clientEndpoint, FrameClient } from "../../../../designs/clio/workload/index.ts";
import { socPortMap } from "../../../../designs/clio/registers/index.ts";
import { entryAddress, locate, packEntry } from "../../../../designs/shared/virtual-memory/table/index.ts";
import { dissect, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { axiPorts, AxiRam, AxisSink, type Bench, bernoulli, type Dut, poke, runBench } from "../../../../sim/index.ts";
import { nodeRegisters, registersThrough } from "../../../support/node-ports.ts";
import { findsFault, plant } from "../../../support/plant.ts";

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
/** The letters CLSP, C lowest. */
const CLSP = 0x5053_4c43;
const dut = () => BoardNode(parametersOf(config));
type Ports = ReturnType<typeof dut>["ports"];
/** Three clocks of periods that have nothing to do with one another. */
const clocks = { node: { periodNs: 4 }, mac: { periodNs: 6.4, phaseNs: 1.3 }, memory: { periodNs: 3.3, phaseNs: 0.7 } };

/** A page that is mapped and has its frame; the node's hash key is that of its reset. */
const mapped = { pid: 1, vpn: 9n };
function mapPage(ram: AxiRam): void {
  const { index, tag } = locate(config.table, mapped.pid, mapped.vpn, 1n),
    bytes = new Uint8Array(8);
  const entry = { valid: true, allocated: true, read: true, write: true, tag, ppn: config.firstPpn };
  new DataView(bytes.buffer).setBigUint64(0, packEntry(config.table, entry), true);
  ram.write(entryAddress(config.table, index, 0), bytes);
}

/**
 * Requests that need no slow path, answered through all crossings: PINGPONG, reads of unmapped pages, for which the
 * page table is read in DRAM, and a write and a read of a page that is mapped.
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
  mapPage(ram);
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
    n = 16;
  const send = async (frame: Uint8Array, i?: number): Promise<void> => {
    for (let at = 0; at < frame.length; at += bytes) {
      const lanes = frame.subarray(at, at + bytes),
        data = lanes.reduceRight((v, x) => (v << 8n) | BigInt(x), 0n);
      poke(io.macRx, {
        valid: 1,
        data,
        keep: (1 << lanes.length) - 1,
        last: at + bytes >= frame.length ? 1 : 0,
        user: i !== undefined && i === damaged ? 1 : 0,
      });
      await mac.risingEdge();
    }
    io.macRx.valid.value = 0;
    await mac.cycles(b.random.between(1, 60));
  };
  for (let i = 0; i < n; i++)
    await send(
      i % 2 === 0
        ? client.request(opcode.PINGPONG, 1, b.random.bytes(b.random.between(1, 300)))
        : client.read(1, BigInt(i) << 20n, 64),
      i,
    );
  await mac.until(() => sink.frames.length === n);
  const said = sink.frames.map(f => dissect(f.bytes).clio);
  expect(said.filter(c => c?.status === status.OK).length).toBe(n / 2);
  expect(said.filter(c => c?.status === status.INVALID).length).toBe(n / 2);
  expect(new Set(said.map(c => c?.tag)).size, "each request is answered once").toBe(n);
  expect(ram.counts.readBursts).toBeGreaterThan(0);
  // What is written goes through the crossings to DRAM, and comes from there.
  const data = b.random.bytes(200),
    va = mapped.vpn * BigInt(config.pageSize) + 5n;
  await send(client.write(mapped.pid, va, data));
  await mac.until(() => sink.frames.length === n + 1);
  expect(ram.read(config.firstPpn * config.pageSize + 5, data.length), "in DRAM").toEqual(data);
  await send(client.read(mapped.pid, va, data.length));
  await mac.until(() => sink.frames.length === n + 2);
  const { body } = dissect(sink.frames.at(-1)?.bytes ?? new Uint8Array());
  expect(body?.slice(-data.length), "read again").toEqual(data);
  // What the memory refuses: a write FAILs, and the reply to a read, which has begun by then, is marked bad.
  const from = config.firstPpn * config.pageSize;
  ram.failAt({ from, to: from + config.pageSize });
  await send(client.write(mapped.pid, va, data));
  await mac.until(() => sink.frames.length === n + 3);
  expect(dissect(sink.frames.at(-1)?.bytes ?? new Uint8Array()).clio?.status, "a write refused").toBe(status.FAIL);
  expect(sink.frames.map(f => Number(f.user)).filter(bad => bad !== 0)).toEqual([]);
  await send(client.read(mapped.pid, va, data.length));
  await mac.until(() => sink.frames.length === n + 4);
  expect(Number(sink.frames.at(-1)?.user), "a read refused").toBe(1);
  expect(gaps, "a frame to the MAC never runs dry").toEqual([]);
}
/** The processor's two ports: the node's registers and the slow path's. */
async function registers(b: Bench<Ports>): Promise<void> {
  const { io, random } = b,
    node = b.clock("node"),
    of = () => ({ pause: bernoulli(0.6, random.word()), domain: "node" });
  const address = (name: string): number => socPortMap.registers.find(r => r.name === name)?.address ?? -1;
  await node.cycles(20);
  const control = { sAw: io.controlAw, sW: io.controlW, sB: io.controlB, sAr: io.controlAr, sR: io.controlR },
    port = { sAw: io.portAw, sW: io.portW, sB: io.portB, sAr: io.portAr, sR: io.portR };
  await Promise.all([
    registersThrough(b, c => node.until(c), { ports: control, ...nodeRegisters }, of),
    registersThrough(
      b,
      c => node.until(c),
      {
        ports: port,
        always: [[address("portIdentification"), CLSP]],
        kept: [
          [address("newEntryLow"), 32],
          [address("newEntryHigh"), 32],
          [address("shootdownPid"), 16],
        ],
      },
      of,
    ),
  ]);
}
const run = (damaged?: number, of: Dut<Ports> = dut()) =>
  runBench("board-node", of, { clocks, hangCycles: 20_000, wave: false }, b => requests(b, damaged));

test("requests through the MAC's, the node's and the memory's clock", () => run());
test("a fault: one frame comes damaged", async () => {
  await findsFault(run(6));
});
test("a fault: writes go where the node reads", async () => {
  const of = plant(
    dut(),
    /\.push_payload_addr \(exchange_m_aw_payload_addr\)/,
    ".push_payload_addr (exchange_m_ar_payload_addr)",
  );
  await findsFault(run(undefined, of), /in DRAM/);
});

const processor = (of: Dut<Ports> = dut()) =>
  runBench("board-registers", of, { clocks, seed: 2, hangCycles: 5000, wave: false }, registers);
test("the registers of both of the processor's ports, whoever pauses", () => processor());
test.each<[string, RegExp, string]>([
  ["no write's data reach the node", /\.s_w_valid \(control_w_valid\)/, ".s_w_valid (1'b0)"],
  ["no read's address reaches the slow path's port", /\.s_ar_valid \(port_ar_valid\)/, ".s_ar_valid (1'b0)"],
])("a fault: %s", (_, from, to) => findsFault(processor(plant(dut(), from, to))));
test("a fault: the memory's refusals are lost", () =>
  findsFault(
    run(undefined, plant(dut(), /\.push_payload_resp \(mem_b_payload_resp\)/, ".push_payload_resp (mem_b_payload_id)")),
    /a write refused/,
  ));
