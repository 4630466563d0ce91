/** A sNIC in front of memory nodes: no operation lost, none done twice, whatever the lines of the clients do. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decode, encodeInto, ethernetHeader } from "../../../../designs/shared/wire/index.ts";
import { clioHeader, frameOffsets } from "../../../../designs/clio/wire/index.ts";
import { snicEtherType, takeApart } from "../../../../designs/supernic/wire/index.ts";
import { type InterfaceFrame, readCapture } from "../../../../sim/index.ts";
import { mnemo, type Outcome } from "../../../support/command-line.ts";
import { example, operations, ran, type Ran } from "./rack.ts";

const patience = 600_000 + 20 * operations;
const failures = ({ workloads }: Ran): number =>
  workloads.flatMap(w => [...w.result.failed.values()]).reduce((a, b) => a + b, 0);

describe("one sNIC, two nodes, 10 % of each fault on the clients' lines", () => {
  let run: Ran;
  beforeAll(async () => {
    run = await ran(example("rack"));
  }, patience);

  it("every result has a legal order, and nothing is left inside", () => expect(run.problems).toEqual([]));
  it("all operations have ended, most of them done", () => {
    const done = run.workloads.reduce((n, w) => n + w.result.done, 0);
    expect(run.workloads.map(w => w.kind).sort()).toEqual(["clib", "kv"]);
    expect(done + failures(run)).toBeGreaterThanOrEqual(2 * operations);
    expect(done).toBeGreaterThan(1.6 * operations);
  });
  it("the lines were bad, and the node has answered repetitions", () => {
    expect(run.lost).toBeGreaterThan(operations / 20);
    expect(run.repetitions).toBeGreaterThan(0);
  });
  it("requests of one host and replies of one node were processed, the others switched", () => {
    const { middle, ports } = run.finished.devices.get("snic0") ?? { middle: {}, ports: [] };
    expect(middle["arrived"]).toBeGreaterThan(operations);
    expect(middle["laneLeft"]).toBeGreaterThan(operations);
    expect(ports[0]?.["inFcs"]).toBeGreaterThan(0);
  });
});

describe("planted faults: each is found", () => {
  const few = example("rack", 250);
  /** Of the problems, one that tells the fault. */
  const finds = async (planted: Promise<Ran>, why: RegExp): Promise<void> =>
    expect((await planted).problems.filter(p => why.test(p))).not.toEqual([]);

  it(
    "a retry names no first request: it is done twice",
    () =>
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
      ),
    patience,
  );
  it(
    "a line gives a frame to the other node, too",
    () =>
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
      ),
    patience,
  );
  it(
    "a sNIC loses a reply behind its port and counts it as served",
    () =>
      finds(
        ran(few, {}, ({ devices: [device] }) => {
          const jack = device?.jacks[1],
            send = jack?.send.bind(jack);
          let n = 0;
          if (jack === undefined || send === undefined) return;
          jack.send = frame => {
            if (++n % 20 !== 0) send(frame);
          };
        }),
        /snic0:1: frames that left: \d+ came, and \d+ are accounted for/,
      ),
    patience,
  );
  it(
    "a write's byte is turned on the way, in a frame that counts as whole",
    () =>
      finds(
        ran(few, {}, ({ nodes }) => {
          const jack = nodes[1]?.jack,
            receive = jack?.receive;
          let n = 0;
          if (jack === undefined || receive === undefined) return;
          jack.receive = (frame, damaged) => {
            const out = frame.slice(),
              last = out.length - 1;
            if (out.length > 200 && ++n % 8 === 0) out[last] = (out[last] ?? 0) ^ 1;
            receive(out, damaged);
          };
        }),
        /it can be|not linearizable/,
      ),
    patience,
  );
});

describe("mnemo run rack", () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-rack-")),
    at = (name: string): string => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let run: Outcome;
  beforeAll(async () => {
    const args = ["--setup", "examples/rack.json", "--links", at("links"), "--stats", at("stats.json")];
    run = await mnemo(["run", "rack", ...args]);
  }, patience);
  const capture = (name: string): readonly InterfaceFrame[] => readCapture(readFileSync(at(name)), name);

  it("ends well, and tells what became of each endpoint's operations", () => {
    expect([run.code, run.err]).toEqual([0, ""]);
    for (const name of ["host0 +clib at mem1", "host1 +kv at mem0"])
      expect(run.out).toMatch(new RegExp(`^${name} `, "m"));
    expect(run.out).toMatch(/nothing lost, nothing done twice, nothing left inside\n$/);
  });
  it("writes a capture of every link: shims between host and sNIC, none behind it", () => {
    const files = readdirSync(at("links")).sort();
    expect(files).toEqual([
      "0-host0.0-snic0.0.pcapng",
      "1-host1.0-snic0.1.pcapng",
      "2-snic0.2-mem0.0.pcapng",
      "3-snic0.3-mem1.0.pcapng",
    ]);
    const sent = (name: string, point: number): readonly InterfaceFrame[] =>
      capture(`links/${name}`).filter(f => f.interface === point);
    const ofHost = sent(files[0] ?? "", 0),
      toNode = sent(files[3] ?? "", 0);
    expect(ofHost.length).toBeGreaterThan(100);
    expect(ofHost.every(f => takeApart(f.bytes).snic !== undefined)).toBe(true);
    expect(toNode.length).toBeGreaterThan(100);
    expect(toNode.every(f => takeApart(f.bytes).snic === undefined)).toBe(true);
  });
  it("writes the statistics, which agree with the captures", () => {
    const stats = JSON.parse(readFileSync(at("stats.json"), "utf8")) as {
      readonly problems: readonly string[];
      readonly links: Readonly<Record<string, readonly { readonly sent: number; readonly delivered: number }[]>>;
    };
    expect(stats.problems).toEqual([]);
    const [there] = stats.links["host0 - snic0:0"] ?? [],
      frames = capture("links/0-host0.0-snic0.0.pcapng");
    expect(frames.filter(f => f.interface === 0)).toHaveLength(there?.sent ?? -1);
    expect(frames.filter(f => f.interface === 1)).toHaveLength(there?.delivered ?? -1);
  });
  it.each(["rack-ring", "rack-switch"])(
    "%s: several sNICs",
    async name => {
      const { code, out, err } = await mnemo(["run", "rack", "--setup", `examples/${name}.json`]);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toMatch(/nothing lost, nothing done twice, nothing left inside\n$/);
    },
    patience,
  );
  it("nothing is written for a setup that cannot be", async () => {
    const { code, err } = await mnemo(["run", "rack", "--setup", at("no.json"), "--links", at("none")]);
    expect([code, existsSync(at("none"))]).toEqual([2, false]);
    expect(err).toMatch(/^mnemo: cannot open .*no\.json: there is no such file or folder\n$/);
  });
});
