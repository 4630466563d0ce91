/** Hostile frames: what must never be answered, and processes that nobody outside may name. */
import { describe, expect, it } from "vitest";
import * as p from "../../../support/packets.ts";
import { counterNames, firstOffloadPid, makeSettings } from "../../../../designs/clio/config/index.ts";
import { Circulation } from "../../../../designs/clio/model/index.ts";
import { defaultMatTable } from "../../../../designs/clio/registers/index.ts";
import { GlobalController, Monitor, SlowPath } from "../../../../designs/clio/software/index.ts";
import { demoCapture, malformedFrames } from "../../../../designs/clio/workload/index.ts";
import { SimulatedTime } from "../../../../sim/index.ts";
import { FakeHardware } from "../software/fake-hardware.ts";
import { modelNode } from "../software/model-node.ts";

const settings = makeSettings(),
  { config, runtime } = settings;
const client: p.Endpoint = { mac: 0x020000000001n, ip: 0x0a0a0064, port: 5000 },
  node: p.Endpoint = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
type Header = Partial<p.Decoded<typeof p.clioHeader>>;
const frame = (header: Header, from: p.Endpoint = client, body = new Uint8Array(12)): Uint8Array =>
  p.udpFrame(from, node, p.clioMessage({ pid: 1, opcode: p.opcode.PINGPONG, ...header }, body));

describe("a reply is never answered", () => {
  const onlyReplies = [0x21, 0x23, 0x25, 0x27, 0x29, 0x41, 0x51, 0x61, 0x63, 0x65, 0x67];
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ["PINGPONG that a node has answered", frame({}, { ...client, port: runtime.nativePort })],
    ["PINGPONG from a client port", frame({}, { ...client, port: runtime.clientPort + config.clientPorts - 1 })],
    ["FENCE that a node has answered", frame({ opcode: p.opcode.FENCE }, { ...client, port: runtime.clientPort })],
    ...Object.entries(p.status).flatMap(([name, status]) =>
      status === 0 ? [] : [[`READ with the status ${name}`, frame({ opcode: p.opcode.READ, status })] as const],
    ),
    ...onlyReplies.map(code => [`opcode 0x${code.toString(16)}`, frame({ opcode: code })] as const),
  ];
  it.each(cases)("%s", async (_what, f) => {
    const n = await modelNode();
    expect(n.node.receive(f)).toEqual({ kind: "drop", reason: "dropReply" });
    expect(n.node.receive(f, true), "with a wrong FCS").toEqual({ kind: "drop", reason: "dropFcs" });
    await n.close();
  });
  it("one for the slow path goes there, and its software says nothing", async () => {
    const n = await modelNode(),
      slow = new SlowPath(new FakeHardware(config), config, runtime);
    for (const header of [{ opcode: 0x81 }, { opcode: 0x97 }, { opcode: p.opcode.ALLOC, status: p.status.MALFORMED }]) {
      expect(n.node.receive(frame(header))).toMatchObject({ kind: "forward", to: "slow", reply: true });
      expect(await slow.answer(frame(header))).toBeUndefined();
    }
    await n.close();
  });
  it("every opcode that the node answers with is one by itself, or shared with its request", () => {
    for (const [code, e] of defaultMatTable.entries()) {
      if (p.operationOf(code)?.reply === undefined) continue;
      const shared = e.replyOpcode === code,
        migrates = code === p.opcode.READ_MIGRATION;
      expect(shared || migrates || p.operationOf(e.replyOpcode) === undefined, `0x${code.toString(16)}`).toBe(true);
    }
  });
});

describe("senders that are no other station", () => {
  const senders: readonly (readonly [string, Partial<p.Endpoint>])[] = [
    ["the node's own MAC address", { mac: runtime.mac }],
    ["a group's MAC address", { mac: 0x01005e000001n }],
    ["the broadcast MAC address", { mac: p.broadcastMac }],
    ["an offload's MAC address", { mac: 0x03434c494f00n }],
    ["the node's own IPv4 address", { ip: runtime.ip }],
    ["no IPv4 address", { ip: 0 }],
    ["a multicast IPv4 address", { ip: 0xe0000001 }],
    ["the last multicast IPv4 address", { ip: 0xefffffff }],
    ["the broadcast IPv4 address", { ip: 0xffffffff }],
  ];
  it.each(senders)("%s: dropped and counted, by the software too", async (what, from) => {
    const n = await modelNode(),
      f = frame({ opcode: p.opcode.QUERY_STAT }, { ...client, ...from });
    expect(n.node.receive(f)).toEqual({ kind: "drop", reason: "dropSource" });
    expect(n.node.counters.dropSource).toBe(1);
    // The hardware lets no frame from outside pass for an offload's: to the software it is one.
    if (!what.startsWith("an offload"))
      expect(await new SlowPath(new FakeHardware(config), config, runtime).answer(f)).toBeUndefined();
    const monitor = new Monitor(node, []);
    if (!what.startsWith("an offload")) expect(monitor.receive(f)).toEqual([]);
    await n.close();
  });
  it.each([1, 0xdfffffff, 0xf0000000, 0xfffffffe])("the IPv4 address %i is a station's", async ip => {
    const n = await modelNode();
    expect(n.node.receive(frame({}, { ...client, ip })).kind).toBe("reply");
    await n.close();
  });
});

describe("the monitor and the global controller", () => {
  const errors = [frame({ opcode: 0x5f, status: p.status.MALFORMED }), frame({ opcode: p.opcode.READ, status: 1 })];
  it("do not answer errors, nor replies to what they did not ask", async () => {
    const sent: Uint8Array[] = [],
      own = { ...node, port: 10000 };
    const controller = new GlobalController({ own, clock: new SimulatedTime(), send: f => void sent.push(f) });
    for (const f of [...errors, frame({ opcode: 0x97 }), frame({ opcode: p.opcode.FREE_PROC, status: 4 })])
      for (const port of [10000, 1200]) {
        p.encodeInto(p.udpHeader, { dstPort: port }, f, p.frameOffsets.transport);
        controller.receive(f);
      }
    await new Promise(resolve => void setImmediate(resolve));
    expect(sent).toEqual([]);
  });
});

describe("processes of the node's own", () => {
  it.each([firstOffloadPid, 0xffff])("%i is INVALID from outside, whatever the opcode", async pid => {
    const n = await modelNode();
    for (const o of p.operations) {
      const outcome = n.node.receive(frame({ opcode: o.code, pid }));
      if (o.reply === undefined) expect(outcome).toMatchObject({ kind: "silent", why: "INVALID" });
      else expect(outcome, o.name).toMatchObject({ kind: "reply", why: "INVALID" });
    }
    const slow = new SlowPath(new FakeHardware(config), config, runtime),
      answer = await slow.answer(frame({ opcode: p.opcode.FREE_PROC, pid }));
    expect(p.dissect(answer ?? new Uint8Array()).clio).toMatchObject({ status: p.status.INVALID, opcode: 0x86 });
    await n.close();
  });
  it("and the last one below is anybody's", async () => {
    const n = await modelNode();
    expect(n.node.receive(frame({ pid: firstOffloadPid - 1 }))).toMatchObject({ kind: "reply", why: "OK" });
    await n.close();
  });
});

describe("nothing circulates", () => {
  it("no answer to the shipped capture, to 4,000 malformed frames and to every opcode is answered by a node", async () => {
    const n = await modelNode(),
      circulation = new Circulation(config, runtime),
      malformed = malformedFrames(settings, 5);
    const frames = [
      ...demoCapture(settings).map(f => ({ frame: f.frame, fcsBad: false })),
      ...Array.from({ length: 4000 }, () => malformed.next().value),
      ...Array.from({ length: 256 }, (_, code) => ({ frame: frame({ opcode: code }), fcsBad: false })),
    ];
    let answers = 0;
    for (const { frame: f, fcsBad } of frames) {
      const outcome = n.node.receive(f, fcsBad);
      if (outcome.kind !== "reply" && (outcome.kind !== "forward" || outcome.reply === true)) continue;
      const reply = outcome.kind === "reply" ? outcome.frame : await n.slow.answer(f);
      expect(reply).toBeDefined();
      answers++;
      expect(circulation.answered(reply!)).toBeUndefined();
    }
    expect(answers).toBeGreaterThan(1000);
    expect(counterNames).toContain("dropReply");
    await n.close();
  });
  it("a request is seen to be answered", () => {
    expect(new Circulation(config, runtime).answered(frame({}))).toMatch(/is answered by another/);
  });
});
