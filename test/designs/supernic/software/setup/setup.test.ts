import { describe, expect, it } from "vitest";
import { deviceConfig, tableWrites } from "../../../../../designs/supernic/software/index.ts";
import type { tables } from "../../../../../designs/supernic/wire/index.ts";
import { mostSlots } from "../../../../../designs/supernic/wire/index.ts";
import { demoSetup } from "../../../../../designs/supernic/workload/index.ts";
import { demo, setupOf } from "../../support/demo.ts";

type Json = Record<string, unknown>;
type File = Record<string, Json[]>;
/** The example with a change. */
function changed(change: (file: File) => void): unknown {
  const file = structuredClone(demoSetup) as unknown as File;
  change(file);
  return file;
}
const stagesOf = (file: Record<string, Json[]>, dag: number): Json[][] => file["dags"]![dag]!["stages"] as Json[][];

describe("a setup that cannot be is refused in one sentence:", () => {
  const cases: readonly (readonly [string, Parameters<typeof changed>[0], string])[] = [
    ["an unknown field", f => (f["portz"] = []), 'there is no field "portz"; the fields are mac, ip, number, ports,'],
    [
      "an unknown field inside",
      f => (f["users"]![0]!["keys"] = 1),
      'users[0]: there is no field "keys"; the fields are',
    ],
    ["a MAC that is none", f => (f["mac"] = "02:5c" as never), 'mac = "02:5c": a MAC address is six hexadecimal bytes'],
    ["a port that there is not", f => (f["stations"]![0]!["port"] = 7), "stations[0].port = 7: the ports are 0 to 3"],
    ["too few ports", f => f["ports"]!.pop(), "ports: there are 3, and the device has 4; name each, or set ports=3"],
    [
      "a MAC twice",
      f => (f["stations"]![1]!["mac"] = demoSetup.stations[0].mac),
      "stations[1].mac: the same as stations[0].mac",
    ],
    ["a peer at a port of none", f => (f["peers"]![0]!["port"] = 1), "peers[0].port = 1: ports[1].peer is false"],
    [
      "quotas over what there is",
      f => (f["users"]![0]!["contexts"] = 200),
      "users: their contexts are 296, and there are 256",
    ],
    [
      "a quota that lets no longest frame in",
      f => (f["users"]![0]!["cells"] = 11),
      "users[0].cells = 11: the longest frame and one of a second pass take 12; give it that many",
    ],
    [
      "a quota that lets no packet in",
      f => (f["users"]![0]!["contexts"] = 1),
      "users[0].contexts = 1: the longest frame and one of a second pass take 2; give it that many",
    ],
    [
      "an unknown task",
      f => (f["regions"]![3] = ["aes"] as never),
      'regions[3].tasks[0] = "aes": there is no such task',
    ],
    [
      "two NATs",
      f => (f["regions"]![3] = ["nat"] as never),
      'regions[3].tasks[0] = "nat": it keeps what all its packets share',
    ],
    [
      "more tasks than slots",
      f => (f["regions"]![3] = Array(5).fill("dummy") as never),
      "regions[3]: it has 5 tasks; a region must have 1 to 4",
    ],
    ["a NAT without an address", f => delete f["nat"], "nat: it is left out, and regions[0] has a nat"],
    [
      "a chain in no region",
      f => (stagesOf(f, 0)[0]![0]!["chain"] = "core"),
      'dags[0].stages[0][0].chain = "core": there is no such chain in a region',
    ],
    [
      "a task that its chain lacks",
      f => (stagesOf(f, 1)[0]![0]!["run"] = ["dummy"]),
      'dags[1].stages[0][0].run[0] = "dummy": edge has it 0 times',
    ],
    [
      "another user's row",
      f => (f["dags"]![5]!["user"] = "bob"),
      "dags[5].stages[0][0].arg = 5: tunnel has no such row of user bob",
    ],
    [
      "a switch that a task lacks",
      f => (stagesOf(f, 0)[0]![0]!["arg"] = 9),
      "dags[0].stages[0][0].arg = 9: firewall takes 0 to 3",
    ],
    [
      "two writers side by side",
      f => stagesOf(f, 3)[0]!.push({ chain: "spread", run: ["balancer"], arg: "web" }),
      "it writes byte 0, which dags[3].stages[0][1] beside it writes",
    ],
    [
      "a reader beside a writer",
      f => stagesOf(f, 3)[0]!.push({ chain: "edge", run: ["nat"] }),
      "beside it writes; put them into stages of their own",
    ],
    [
      "a tunnel that is not last",
      f => stagesOf(f, 5).push([{ chain: "check" }]),
      "tunnel changes where the frame begins, and must be the last of a pass",
    ],
    [
      "one entry of UIDs twice at a port",
      f => (f["dags"]![1]!["uid"] = "0x0801"),
      "dags[1].uid = 2049: dags[0] has this entry at a port of it",
    ],
    [
      "neither stages nor a peer",
      f => delete f["dags"]![0]!["stages"],
      "dags[0]: it has neither of stages, to run here, and peer, to run there; give it one",
    ],
    [
      "a rule to an unknown DAG",
      f => (f["rules"]![2]!["action"] = { dag: "x" }),
      'rules[2].action.dag = "x": there is no such DAG',
    ],
    [
      "33 rules",
      f => (f["rules"] = Array(33).fill({ action: "drop" }) as never),
      "rules: there are 33, and the device has room for 32 rules; leave out 1",
    ],
    [
      "an odd group of backends",
      f => (f["balancers"]![0]!["backends"] = ["web1", "web2", "web1"]),
      "balancers[0].backends: there are 3",
    ],
    [
      "a user that there is not",
      f => (f["firewall"]![0]!["user"] = "eve"),
      'firewall[0].user = "eve": there is no such user; there are alice, bob',
    ],
  ];
  it.each(cases)("%s", (_what, change, sentence) => {
    let message = "";
    try {
      setupOf(changed(change));
    } catch (e) {
      expect((e as Error).name).toBe("ConfigError");
      ({ message } = e as Error);
    }
    expect(message).toMatch(/^setup\.json: /);
    expect(message).toContain(sentence);
  });
});

describe("what software writes", () => {
  const setup = demo(),
    writes = tableWrites(setup);
  const at = (table: keyof typeof tables, index: number) => writes.filter(w => w.table === table && w.index === index);

  it("is never 0, and each entry once, but for tasks' words and the ports of a UID", () => {
    expect(writes.every(w => w.value !== 0n)).toBe(true);
    const single = writes.filter(w => w.table !== "task").map(w => `${w.table} ${w.index} ${w.ports ?? ""}`);
    expect(new Set(single).size).toBe(single.length);
  });
  it("says of a UID at which ports it is allowed: no port twice, none left out", () => {
    const tagged = at("uid", 0x0a);
    expect(tagged.map(w => w.ports)).toEqual([0b00001, 0b11110]);
    expect(tagged.map(w => (w.value >> 21n) & 1n)).toEqual([1n, 0n]);
  });
  it("gives every slot its credits, and a slow task a busy mark that keeps it fed", () => {
    const limits = [0, 1, 2].flatMap(r => [0, 1].map(s => at("slot", r * mostSlots + s)[0]!.value & 63n));
    expect(limits).toEqual(Array(6).fill(24n));
  });
  it("enables rules where they count, and names rings, uplink and peers", () => {
    const config = deviceConfig(setup);
    expect(config).toMatchObject({ uplink: 3, rings: 0b0100, origin: 1, epoch: 5000, urgent: undefined });
    expect(config.ports.map(p => p.rules)).toEqual([0b11100011, 0b11100011, 0b11100011, 0b11101111, 0b11110011]);
    expect(config.ports.map(p => p.control)).toEqual([true, true, true, false, false]);
    expect(config.peers).toEqual([{ mac: setup.peers[0]!.mac, port: 2, hops: 1 }]);
  });
});
