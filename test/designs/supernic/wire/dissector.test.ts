import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  balancerRowBody,
  ctrlMessage,
  ctrlOpcode,
  ctrlPort,
  dissectorLua,
  encloseFrame,
  endsOf,
  firewallRowBody,
  formatsReference,
  linkAnswer,
  linkKind,
  ntConfig,
  peerEntryBody,
  peerHelloBody,
  peerLoadBody,
  peerStateBody,
  pfcFrame,
  putShims,
  queryDagBody,
  queryReplyBody,
  snicKind,
  tunnelRowBody,
} from "../../../../designs/supernic/wire/index.ts";
import { concat, encode, udpFrame } from "../../../../designs/shared/wire/index.ts";
import { writePcap } from "../../../../sim/index.ts";
import * as v from "./vectors.ts";

const hasTshark = spawnSync("tshark", ["--version"]).status === 0;
const macs = { dst: v.dst, src: v.src },
  link = { kind: linkKind.data, class: 5, flags: 0x80, sequence: 0x1234, ack: 0xfffe },
  vlan = { priority: 6, dropEligible: 0, id: 0x123 },
  snic = {
    version: 1,
    kind: snicKind.data,
    ttl: 9,
    stage: 2,
    uid: 0x1701,
    origin: 7,
    ingress: 3,
    unused: 0,
    unprocessed: 1,
  };
const ends = [
  { mac: v.src, ip: 0x0a000001, port: 4660 },
  { mac: v.dst, ip: 0x0a000002, port: ctrlPort },
] as const;
const ctrl = ctrlMessage(
  v.ctrlKey,
  endsOf(...ends),
  { opcode: ctrlOpcode.PEER_READY, user: 0x203, requestId: 7 },
  new Uint8Array([9, 8]),
);
const asked = (opcode: number, body: Uint8Array, reply = 0): Uint8Array =>
  udpFrame(ends[0], ends[1], ctrlMessage(v.ctrlKey, endsOf(...ends), { opcode, user: 2, requestId: 8, reply }, body));
const firewallRow = encode(firewallRowBody, {
  ...{ src: 0x0a000001, srcBits: 32, dst: 0x0a010000, dstBits: 16 },
  ...{ protocol: 17, hasProtocol: 1, drops: 1, dstPort: 53, hasDstPort: 1 },
});
const state = encode(queryReplyBody, {
    class: 1,
    contexts: 85,
    cells: 341,
    dags: 2,
    limited: 1,
    bytesPerEpoch: 9000,
    done: 3,
  }),
  dagsOf = [0x0403, 0x1004].map((uid, i) => encode(queryDagBody, { uid, stages: 2 - i, here: 1 - i }));

/** What the codec writes. */
const frames = {
  all: putShims(v.plain, { link, vlan, snic }),
  nack: linkAnswer(macs, "nack", { class: 2, ack: 0x102 }),
  redirect: putShims(encloseFrame(macs, { ...snic, kind: snicKind.redirect }, putShims(v.plain, { snic })), { link }),
  pfc: pfcFrame(v.src, { 1: 0x1111, 6: 0xffff }),
  ctrl: udpFrame(ends[0], ends[1], ctrl),
  firewall: asked(ctrlOpcode.NT_CONFIG, ntConfig("firewall", 7, firewallRow)),
  tunnel: asked(ctrlOpcode.NT_CONFIG, ntConfig("tunnel", 3, encode(tunnelRowBody, { vni: 78 }))),
  balancer: asked(ctrlOpcode.NT_CONFIG, ntConfig("balancer", 9, encode(balancerRowBody, { mac: 0x025c_0000_0021n }))),
  configured: asked(ctrlOpcode.NT_CONFIG, new Uint8Array(), 1),
  state: asked(ctrlOpcode.QUERY, concat(state, ...dagsOf), 1),
  hello: asked(
    ctrlOpcode.PEER_HELLO,
    encode(peerHelloBody, {
      boot: 7,
      yourBoot: 8,
      sequence: 9,
      number: 2,
      regions: 4,
      ports: 3,
      period: 1000,
      mac: 5n,
    }),
  ),
  load: asked(
    ctrlOpcode.PEER_LOAD,
    concat(
      encode(peerLoadBody, { boot: 7, yourBoot: 8, sequence: 10, free: 1, busiest: 50, pages: 600, entries: 2 }),
      encode(peerEntryBody, { kind: 1, state: 2, uid: 30, value: 0xabcdef }),
      encode(peerEntryBody, { kind: 2, state: 3, uid: 0x401, value: 6 }),
    ),
  ),
  piece: asked(
    ctrlOpcode.PEER_STATE,
    concat(
      encode(peerStateBody, { uid: 0x401, launch: 6, put: 1, done: 1, offset: 3, total: 5 }),
      new Uint8Array([1, 2]),
    ),
    1,
  ),
  cutRow: asked(ctrlOpcode.NT_CONFIG, ntConfig("balancer", 9, new Uint8Array(5))),
  longRow: asked(ctrlOpcode.NT_CONFIG, ntConfig("tunnel", 3, new Uint8Array([78, 0, 0, 0, 0xab]))),
  noTask: asked(ctrlOpcode.NT_CONFIG, ntConfig("tunnel", 3, new Uint8Array([1])).fill(9, 0, 1)),
  cutLink: concat(v.linkData.slice(0, 19)),
  wrongSize: udpFrame(ends[0], ends[1], ctrl.slice(0, 33)),
};

describe.skipIf(!hasTshark)(`the Wireshark dissector${hasTshark ? "" : " (skipped: tshark is not installed)"}`, () => {
  let folder: string, rows: Record<keyof typeof frames, readonly string[]>;
  const columns = [
    ..."kind class flags sequence ack next".split(" ").map(n => `supernic.link.${n}`),
    "vlan.priority",
    "vlan.id",
    ..."version kind ttl stage uid origin ingress unprocessed next".split(" ").map(n => `supernic.snic.${n}`),
    "udp.dstport",
    "frame.protocols",
    ..."opcode user size requestId body tail".split(" ").map(n => `supernic.ctrl.${n}`),
    ..."task row".split(" ").map(n => `supernic.ntConfig.${n}`),
    ..."src dst srcBits dstBits protocol drops hasProtocol hasSrcPort hasDstPort srcPort dstPort"
      .split(" ")
      .map(n => `supernic.firewallRow.${n}`),
    "supernic.tunnelRow.vni",
    "supernic.balancerRow.mac",
    ..."class limited contexts cells dags bytesPerEpoch done repeated refused"
      .split(" ")
      .map(n => `supernic.queryReply.${n}`),
    ..."uid stages here".split(" ").map(n => `supernic.queryDag.${n}`),
    ..."boot yourBoot sequence number regions ports period mac".split(" ").map(n => `supernic.peerHello.${n}`),
    ..."sequence free busiest pages entries".split(" ").map(n => `supernic.peerLoad.${n}`),
    ..."kind state uid value".split(" ").map(n => `supernic.peerEntry.${n}`),
    ..."uid launch put done offset total".split(" ").map(n => `supernic.peerState.${n}`),
    "macc.cbfc.enbv",
    ...[0, 1, 2, 3, 4, 5, 6, 7].map(i => `macc.cbfc.pause_time.c${i}`),
    "_ws.expert.message",
  ];
  /** The values of the columns that begin like this, of a frame. */
  const of = (name: keyof typeof frames, ...begins: readonly string[]): string[] =>
    columns.flatMap((c, i) => (begins.some(b => c.startsWith(b)) ? [rows[name][i] ?? ""] : []));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-lua-"));
    writeFileSync(join(folder, "supernic.lua"), dissectorLua());
    writeFileSync(
      join(folder, "frames.pcap"),
      writePcap(Object.values(frames).map((bytes, i) => ({ timeNs: BigInt(i), bytes }))),
    );
    const said = execFileSync(
      "tshark",
      [
        ...["-X", `lua_script:${join(folder, "supernic.lua")}`, "-r", join(folder, "frames.pcap")],
        ...["-T", "fields", "-E", "separator=|", ...columns.flatMap(c => ["-e", c])],
      ],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
    const lines = said.replace(/\n$/, "").split("\n");
    rows = Object.fromEntries(
      Object.keys(frames).map((name, i) => [name, (lines[i] ?? "").split("|")]),
    ) as unknown as typeof rows;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("link shim, tag, sNIC shim, and UDP behind them", () => {
    expect(of("all", "supernic.link")).toEqual(["1", "5", "0x80", "4660", "65534", "0x8100"]);
    expect(of("all", "vlan")).toEqual(["6", "291"]);
    expect(of("all", "supernic.snic")).toEqual(["1", "1", "9", "2", "0x1701", "7", "3", "1", "0x0800"]);
    expect(of("all", "udp")).toEqual(["22136"]);
  });
  it("a NACK, with nothing behind it", () => {
    expect(of("nack", "supernic.link")).toEqual(["3", "2", "0x00", "0", "258", "0x0000"]);
    expect(of("nack", "frame.protocols")).toEqual(["eth:ethertype:supernic_link"]);
  });
  it("a redirect: both shims, and the frame inside down to UDP", () => {
    expect(of("redirect", "supernic.snic.kind", "supernic.snic.next")).toEqual(["2,1", "0x6558,0x0800"]);
    expect(of("redirect", "udp")).toEqual(["22136"]);
  });
  it("PFC is what Wireshark itself takes for PFC", () => {
    expect(of("pfc", "macc")).toEqual(["0x0042", "0", "4369", "0", "0", "0", "0", "65535", "0"]);
  });
  it("CTRL with body and tail", () => {
    expect(of("ctrl", "supernic.ctrl")).toEqual([
      "0x24",
      "515",
      "18",
      "0x00000007",
      "0908",
      Buffer.from(ctrl.slice(18)).toString("hex"),
    ]);
  });
  it("CTRL: each row of NT_CONFIG by its fields", () => {
    expect(of("firewall", "supernic.ntConfig", "supernic.firewallRow")).toEqual(
      ["1", "7"].concat(["10.0.0.1", "10.1.0.0", "32", "16", "17", "1", "1", "0", "1", "0", "53"]),
    );
    expect(of("tunnel", "supernic.ntConfig", "supernic.tunnelRow")).toEqual(["2", "3", "78"]);
    expect(of("balancer", "supernic.ntConfig", "supernic.balancerRow")).toEqual(["3", "9", "0x0000025c00000021"]);
    for (const name of ["firewall", "tunnel", "balancer"] as const)
      expect(of(name, "supernic.ctrl.body", "_ws")).toEqual(["", ""]);
    expect(of("configured", "supernic.ntConfig", "_ws")).toEqual(["", "", ""]);
  });
  it("CTRL: the reply to QUERY with each of its DAGs", () => {
    expect(of("state", "supernic.queryReply")).toEqual(["1", "1", "85", "341", "2", "9000", "3", "0", "0"]);
    expect(of("state", "supernic.queryDag")).toEqual(["0x0403,0x1004", "2,1", "1,0"]);
    expect(of("state", "supernic.ctrl.body", "_ws")).toEqual(["", ""]);
  });
  it("CTRL: the words of peers, each entry of a LOAD, and a piece of state with its bytes", () => {
    expect(of("hello", "supernic.peerHello")).toEqual(["7", "8", "9", "2", "4", "3", "1000", "0x0000000000000005"]);
    expect(of("load", "supernic.peerLoad")).toEqual(["10", "1", "50", "600", "2"]);
    expect(of("load", "supernic.peerEntry")).toEqual(["1,2", "2,3", "0x001e,0x0401", "0x00abcdef,0x00000006"]);
    expect(of("piece", "supernic.peerState", "supernic.ctrl.body")).toEqual([
      "0102",
      "0x0401",
      "6",
      "1",
      "1",
      "3",
      "5",
    ]);
    for (const name of ["hello", "load", "piece"] as const) expect(of(name, "_ws")).toEqual([""]);
  });
  it("CTRL: a body that is cut short is marked, and what nobody knows is shown as bytes", () => {
    expect(of("cutRow", "_ws")[0]).toContain("cut short");
    expect(of("longRow", "supernic.tunnelRow", "supernic.ctrl.body")).toEqual(["ab", "78"]);
    expect(of("noTask", "supernic.ntConfig", "supernic.ctrl.body")).toEqual(["01", "9", "3"]);
  });
  it("what is cut short or of a wrong size is marked", () => {
    expect(of("cutLink", "_ws")[0]).toContain("cut short");
    expect(of("wrongSize", "_ws")[0]).toContain("size is 18 of a message of 33 bytes");
  });
});

describe("the page", () => {
  it("is what the schema gives", () => {
    const path = new URL("../../../../docs/supernic/formats.md", import.meta.url);
    expect(readFileSync(path, "utf8")).toBe(formatsReference());
  });
  it("has a row for every opcode and status", () => {
    for (const [name, code] of Object.entries(ctrlOpcode))
      expect(formatsReference()).toContain(`| ${code.toString(16).toUpperCase().padStart(2, "0")} | ${name} |`);
  });
});
