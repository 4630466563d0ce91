/** A sNIC in front of memory nodes: no operation lost, none done twice, whatever the lines of the clients do. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  arpFrame,
  broadcastMac,
  decode,
  encodeInto,
  type Endpoint,
  ethernetHeader,
  icmpEchoFrame,
  parseIpv4,
  parseMac,
} from "../../../../designs/shared/wire/index.ts";
import { clioHeader, frameOffsets } from "../../../../designs/clio/wire/index.ts";
import { snicEtherType, takeApart } from "../../../../designs/supernic/wire/index.ts";
import { type InterfaceFrame, readCapture, writePcap } from "../../../../sim/index.ts";
import { mnemo, type Outcome } from "../../../support/command-line.ts";
import { measurePaths, pathReport } from "../../../../designs/rack/evaluation/index.ts";
import { example, ran, type Ran } from "./rack.ts";
import { hangMs } from "../../../support/hang-ms.ts";

type Host = Omit<Endpoint, "port">;

/** What `--stats` writes, as far as it is looked at. */
interface Statistics {
  readonly problems: readonly string[];
  readonly workloads: readonly {
    readonly kind: string;
    readonly operations: number;
    readonly done: number;
    readonly failed: Readonly<Record<string, number>>;
    readonly judgedOperations: number;
    readonly judgedBytes: number;
  }[];
  readonly links: Readonly<
    Record<string, readonly { readonly sent: number; readonly delivered: number; readonly lost: number }[]>
  >;
  readonly devices: Readonly<
    Record<
      string,
      { readonly middle: Readonly<Record<string, number>>; readonly ports: readonly Readonly<Record<string, number>>[] }
    >
  >;
  readonly nodes: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

describe("one sNIC, two nodes, 10 % of each fault on the clients' lines: mnemo run rack", () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-rack-")),
    at = (name: string): string => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let run: Outcome, stats: Statistics;
  beforeAll(async () => {
    const args = ["--setup", "examples/rack.json", "--links", at("links"), "--stats", at("stats.json")];
    run = await mnemo(["run", "rack", ...args]);
    stats = JSON.parse(readFileSync(at("stats.json"), "utf8")) as Statistics;
  });
  const capture = (name: string): readonly InterfaceFrame[] => readCapture(readFileSync(at(`links/${name}`)), name);

  it("ends well: every result has a legal order, nothing is lost or left inside", () => {
    expect([run.code, run.err, stats.problems]).toEqual([0, "", []]);
    expect(run.out).toMatch(/nothing lost, nothing done twice, nothing left inside\n$/);
  });
  it("all operations have ended, most of them done, and were judged", () => {
    expect(stats.workloads.map(w => w.kind).sort()).toEqual(["clib", "kv"]);
    for (const w of stats.workloads) {
      const failed = Object.values(w.failed).reduce((a, b) => a + b, 0);
      expect([w.kind, w.operations, w.done + failed]).toEqual([w.kind, 100, 100]);
      expect(w.done, w.kind).toBeGreaterThan(80);
      expect(w.judgedOperations, w.kind).toBeGreaterThan(30);
    }
  });
  it("the lines were bad, and the nodes have answered repetitions", () => {
    const lost = Object.values(stats.links).flatMap(l => l.map(way => way.lost));
    expect(lost.reduce((a, b) => a + b, 0)).toBeGreaterThan(20);
    expect(stats.nodes["mem1"]?.["retriesAnswered"]).toBeGreaterThan(0);
  });
  it("requests of one host and replies of one node were processed, the others switched", () => {
    const { middle, ports } = stats.devices["snic0"] ?? { middle: {}, ports: [] };
    expect(middle["arrived"]).toBeGreaterThan(100);
    expect(middle["laneLeft"]).toBeGreaterThan(100);
    expect(ports[0]?.["inFcs"]).toBeGreaterThan(0);
  });
  it("tells what became of each endpoint's operations", () => {
    for (const name of ["host0 +clib at mem1", "host1 +kv at mem0"])
      expect(run.out).toMatch(new RegExp(`^${name} `, "m"));
  });
  it("writes a capture of every link: shims between host and sNIC, none behind it", () => {
    const files = readdirSync(at("links")).sort();
    expect(files).toEqual([
      "0-host0.0-snic0.0.pcapng",
      "1-host1.0-snic0.1.pcapng",
      "2-snic0.2-mem0.0.pcapng",
      "3-snic0.3-mem1.0.pcapng",
    ]);
    const sent = (name: string): readonly InterfaceFrame[] => capture(name).filter(f => f.interface === 0),
      [ofHost, toNode] = [sent(files[0] ?? ""), sent(files[3] ?? "")];
    expect(Math.min(ofHost.length, toNode.length)).toBeGreaterThan(100);
    expect(ofHost.every(f => takeApart(f.bytes).snic !== undefined)).toBe(true);
    expect(toNode.every(f => takeApart(f.bytes).snic === undefined)).toBe(true);
  });
  it("the captures agree with the statistics", () => {
    const [there] = stats.links["host0 - snic0:0"] ?? [],
      frames = capture("0-host0.0-snic0.0.pcapng");
    expect(frames.filter(f => f.interface === 0)).toHaveLength(there?.sent ?? -1);
    expect(frames.filter(f => f.interface === 1)).toHaveLength(there?.delivered ?? -1);
  });
  it("nothing is written for a setup that is not there", async () => {
    const { code, err } = await mnemo(["run", "rack", "--setup", at("no.json"), "--links", at("none")]);
    expect([code, existsSync(at("none"))]).toEqual([2, false]);
    expect(err).toMatch(/^mnemo: cannot open .*no\.json: there is no such file or folder\n$/);
  });
});

describe("captures at endpoints: mnemo run rack", () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-rack-captures-")),
    at = (name: string): string => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  it("frames go out at their times, and what comes is written", async () => {
    const rack = JSON.parse(readFileSync("examples/rack.json", "utf8")) as Record<string, Record<string, unknown>[]>,
      [host0, host1] = rack["endpoints"] ?? [],
      [mem0, mem1] = rack["nodes"] ?? [];
    const address = (of: Record<string, unknown> | undefined) => ({
      mac: parseMac(String(of?.["mac"])),
      ip: parseIpv4(String(of?.["ip"])),
    });
    const [host, node, other] = [host0, mem0, mem1].map(address) as [Host, Host, Host],
      who = { operation: 1, senderMac: host.mac, senderIp: host.ip, targetMac: 0n, targetIp: other.ip };
    const frames = [0, 1, 2].map(n => icmpEchoFrame(host, node, 7, n, new Uint8Array(40)));
    writeFileSync(
      at("in.pcap"),
      writePcap([...frames, arpFrame(broadcastMac, who)].map((bytes, i) => ({ timeNs: BigInt(5000 * i), bytes }))),
    );
    const capture = (e: Record<string, unknown> | undefined, program: object) => ({
      ...{ name: e?.["name"], mac: e?.["mac"], ip: e?.["ip"] },
      program: { kind: "capture", ...program },
    });
    const endpoints = [
        capture(host0, { in: at("in.pcap"), out: at("host0.pcap") }),
        capture(host1, { out: at("host1.pcap") }),
      ],
      links = (rack["links"] ?? []).map(({ between }) => ({ between }));
    writeFileSync(at("rack.json"), JSON.stringify({ ...rack, endpoints, links }));

    const { code, out, err } = await mnemo(["run", "rack", "--setup", at("rack.json")]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^host0 +capture +4 +4\b/m);
    const came = readCapture(readFileSync(at("host0.pcap")), "host0.pcap"),
      macs = came.map(f => decode(ethernetHeader, f.bytes));
    expect(macs.map(m => m.src)).toEqual([node.mac, node.mac, node.mac, other.mac]);
    expect(came.map(f => Math.floor(Number(f.timeNs) / 5000))).toEqual([0, 1, 2, 3]);
    const heard = readCapture(readFileSync(at("host1.pcap")), "host1.pcap");
    expect(heard.map(f => decode(ethernetHeader, f.bytes).dst)).toEqual([broadcastMac]);
  });
});

describe("several sNICs: mnemo run rack", () => {
  it.each(["rack-ring", "rack-switch"])("%s", async name => {
    const { code, out, err } = await mnemo(["run", "rack", "--setup", `examples/${name}.json`]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/nothing lost, nothing done twice, nothing left inside\n$/);
  });
});

describe("mnemo bench rack", () => {
  it("a sNIC on the way adds its cycles, and more where it processes", async () => {
    const figures = await measurePaths(1, [0, 1]),
      ns = (snics: number, way: string): number =>
        figures.find(f => f.snics === snics && f.way === way)?.ns ?? Number.NaN;
    // There and back: a link of 100 ns, the sNIC, and the frames on the line once more.
    expect(ns(1, "switched") - ns(0, "switched")).toBeGreaterThan(2 * (100 + 25 * 4));
    expect(ns(1, "processed")).toBeGreaterThan(ns(1, "switched") + 20 * 4);
    expect(ns(1, "processed")).toBeLessThan(ns(0, "switched") + 2000);
    expect(pathReport(figures).split("\n")).toHaveLength(6);
  });
  it("is told by the verb", async () => {
    const { code, out } = await mnemo(["bench", "--help"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/\brack\b/)]);
  });
});

const many = Number(process.env["MNEMO_OPERATIONS"] ?? 0);
it.runIf(many > 0)(
  `${many} operations of each kind`,
  async () => {
    const run = await ran(example("rack", { clib: many, kv: many }));
    expect(run.problems).toEqual([]);
    const done = run.workloads.reduce((n, w) => n + w.result.done, 0);
    expect(done).toBeGreaterThan(1.6 * many);
  },
  hangMs + 100 * many,
);

describe("planted faults: each is found", () => {
  const few = example("rack", { clib: 60, kv: 4 });
  /** Of the problems, one that tells the fault. */
  const finds = async (planted: Promise<Ran>, why: RegExp): Promise<void> =>
    expect((await planted).problems.filter(p => why.test(p))).not.toEqual([]);

  it("a retry names no first request: it is done twice", () =>
    finds(
      ran(few, {}, ({ endpoints }) => {
        const { jack } = endpoints[0] ?? {},
          send = jack?.send.bind(jack);
        if (jack === undefined || send === undefined) return;
        jack.send = frame => {
          const shim = decode(ethernetHeader, frame).etherType === snicEtherType.snicShim ? 8 : 0,
            out = frame.slice();
          encodeInto(clioHeader, { flagRetry: 0, retryOf: 0 }, out, frameOffsets.clio + shim);
          send(out);
        };
      }),
      /not linearizable/,
    ));
  it("a line gives a frame to the other node, too", () =>
    finds(
      ran(few, {}, ({ nodes: [first, second] }) => {
        const receive = first?.jack.receive;
        if (first === undefined || receive === undefined) return;
        first.jack.receive = (frame, damaged) => {
          receive(frame, damaged);
          second?.jack.arrive(frame, damaged);
        };
      }),
      /mem1: \d+ frames came that are none of its \(dropMac\)/,
    ));
  it("a sNIC loses a reply behind its port and counts it as served", () =>
    finds(
      ran(few, {}, ({ devices: [device] }) => {
        const jack = device?.jacks[0],
          send = jack?.send.bind(jack);
        let n = 0;
        if (jack === undefined || send === undefined) return;
        jack.send = frame => {
          if (++n % 20 !== 0) send(frame);
        };
      }),
      /snic0:0: frames that left: \d+ came, and \d+ are accounted for/,
    ));
  it("a write's byte is turned on the way, in a frame that counts as whole", () =>
    finds(
      ran(few, {}, ({ nodes }) => {
        const jack = nodes[1]?.jack,
          receive = jack?.receive;
        let n = 0;
        if (jack === undefined || receive === undefined) return;
        jack.receive = (frame, damaged) => {
          const out = frame.slice(),
            last = out.length - 1;
          if (out.length > 200 && ++n % 2 === 0) out[last] = (out[last] ?? 0) ^ 1;
          receive(out, damaged);
        };
      }),
      /it can be|not linearizable/,
    ));
});
