/** Racks that cannot be: one sentence with field, value and remedy. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { UsageError } from "../../../../designs/shared/errors/index.ts";

type Json = Record<string, unknown>;
type Parts = Readonly<Record<"devices" | "nodes" | "switches" | "endpoints" | "links", Json[]>>;
const fresh = (name = "rack"): Parts => JSON.parse(readFileSync(`examples/${name}.json`, "utf8")) as Parts;
const of = (all: Json[], i: number): Json => {
  const found = all[i];
  if (found === undefined) throw new RangeError(`there is no ${i}`);
  return found;
};
const setupOf = (r: Parts): Json => of(r.devices, 0)["setup"] as Json,
  program = (r: Parts, i = 0): Json => of(r.endpoints, i)["program"] as Json;

/** What is changed in the example, and the sentence. */
const wrong: readonly (readonly [string, (r: Parts) => void, string])[] = [
  ["no endpoint", r => r.endpoints.splice(0), "rack.json: endpoints: must have an endpoint or more"],
  [
    "a kind of program that there is not",
    r => (program(r)["kind"] = "http"),
    'rack.json: endpoints[0].program.kind = "http": must be an object whose "kind" is "capture", "clib" or "kv"; of mnemo serve: "sockets", "frames" or "tap"',
  ],
  [
    "a field that there is not",
    r => (of(r.links, 0)["speed"] = 10),
    'rack.json: links[0]: there is no field "speed"; the fields are between, latencyNs, gbps, queueBytes, loss, duplicate, reorder, reorderNs, corrupt',
  ],
  [
    "a probability of 2",
    r => (of(r.links, 0)["loss"] = 2),
    "rack.json: links[0].loss = 2: must be a probability from 0 to 1",
  ],
  [
    "a link without a place",
    r => (of(r.links, 0)["between"] = ["host9", "snic0:0"]),
    'rack.json: links[0].between[0] = "host9": there is no such place; there are snic0, mem0, mem1, host0, host1',
  ],
  [
    "a port that there is not",
    r => (of(r.links, 0)["between"] = ["host0", "snic0:4"]),
    'rack.json: links[0].between[1] = "snic0:4": snic0 has ports 0 to 3; name one of these',
  ],
  [
    "no port, where there are several",
    r => (of(r.links, 0)["between"] = ["host0", "snic0"]),
    'rack.json: links[0].between[1] = "snic0": snic0 has ports 0 to 3; name one, as snic0:0',
  ],
  [
    "a port that is taken",
    r => (of(r.links, 1)["between"] = ["host1", "snic0:0"]),
    'rack.json: links[1].between[1] = "snic0:0": links[0].between[1] is plugged in there; use another port',
  ],
  [
    "both ends at one place",
    r => r.links.splice(2, 2, { between: ["snic0:2", "snic0:3"] }),
    "rack.json: links[2].between: both ends are at snic0; give one of them another place",
  ],
  ["a node without a link", r => r.links.pop(), 'rack.json: nodes[1] = "mem1": no link leads there; add one'],
  [
    "a MAC twice",
    r => (of(r.endpoints, 0)["mac"] = of(r.nodes, 0)["mac"]),
    "rack.json: endpoints[0].mac = 02:c1:10:00:00:01: nodes[0].mac is the same; give one of them another",
  ],
  [
    "a name twice",
    r => (of(r.endpoints, 1)["name"] = "host0"),
    "rack.json: endpoints[1].name = host0: endpoints[0].name is the same; give one of them another",
  ],
  [
    "the MAC of a group",
    r => (of(r.nodes, 0)["mac"] = "03:c1:10:00:00:01"),
    'rack.json: nodes[0].mac = "03:c1:10:00:00:01": must be the MAC of one station: the lowest bit of its first byte 0, and not all bytes 0',
  ],
  [
    "a node that there is not",
    r => (program(r)["node"] = "mem7"),
    'rack.json: endpoints[0].program.node = "mem7": there is no such node; there are mem0, mem1',
  ],
  [
    "a DAG that there is not",
    r => (of(r.endpoints, 0)["dag"] = "request"),
    'rack.json: endpoints[0].dag = "request": no sNIC has such a DAG; there are requests, replies',
  ],
  [
    "stations in a sNIC's setup",
    r => (setupOf(r)["stations"] = []),
    "rack.json: devices[0].setup.stations: the links say who is behind a port; leave the field out",
  ],
  [
    "a fault within a sNIC's setup",
    r => (setupOf(r)["epoch"] = 3),
    "rack.json: devices[0].setup: epoch = 3: must be a number of cycles from 250 to 16777216",
  ],
  [
    "a parameter of a sNIC that there is not",
    r => (of(r.devices, 0)["set"] = { port: 4 }),
    'rack.json: devices[0].set: there is no setting "port"; did you mean ports?',
  ],
  [
    "a setting of a node that cannot be",
    r => (of(r.nodes, 0)["set"] = { requestSlots: 3 }),
    "rack.json: nodes[0].set: requestSlots",
  ],
  [
    "the MAC in a node's settings",
    r => (of(r.nodes, 0)["set"] = { mac: "02:c1:10:00:00:09" }),
    "rack.json: nodes[0].set.mac: the node's mac stands beside its name; leave it out here",
  ],
  [
    "Go-Back-N at a node",
    r => (of(r.nodes, 0)["set"] = { transport: "gbn" }),
    'rack.json: nodes[0].set.transport = "gbn": clients of a rack speak none; leave it out',
  ],
];

describe("racks that cannot be", () => {
  it.each(wrong)("%s", (_, change, sentence) => {
    const rack = fresh();
    change(rack);
    const read = (): unknown => readRack(JSON.stringify(rack), "rack.json");
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
  });
  it("no way from a client to its node", () => {
    const rack = fresh();
    of(rack.links, 3)["between"] = ["mem1", "tor:0"];
    expect(() => readRack(JSON.stringify({ ...rack, switches: [{ name: "tor", ports: 2 }] }), "rack.json")).toThrow(
      'rack.json: endpoints[0].program.node = "mem1": no links lead there from host0; add one',
    );
  });
  it("text that is no JSON", () => expect(() => readRack("{", "rack.json")).toThrow(/^rack\.json is not JSON: /));
  it("a DAG that two sNICs have", () => {
    const rack = fresh("rack-ring");
    of(rack.endpoints, 0)["dag"] = "requests";
    expect(() => readRack(JSON.stringify(rack), "rack.json")).toThrow(
      'rack.json: endpoints[0].dag = "requests": snic0 and snic1 and snic2 have such a DAG; say whose, as snic0/requests',
    );
  });
});

describe("the ways that links give", () => {
  const ring = readRack(JSON.stringify(fresh("rack-ring")), "rack.json"),
    port = (device: number, station: string): number | undefined =>
      ring.devices[device]?.setup.stations.find(s => s.name === station)?.port;

  it("round a ring: the shortest, from every sNIC to every station", () => {
    expect([0, 1, 2].map(d => port(d, "mem0"))).toEqual([1, 2, 3]);
    expect([0, 1, 2].map(d => port(d, "mem1"))).toEqual([2, 3, 1]);
    expect([0, 1, 2].map(d => port(d, "snic1"))).toEqual([3, undefined, 2]);
  });
  it("one link of the ring is closed to broadcasts, at both ends", () => {
    const closed = ring.devices.map(d => d.setup.rules.filter(r => r.name === "ring").map(r => r.ports));
    expect(ring.hasRing).toBe(true);
    expect(closed.flat()).toHaveLength(2);
    expect(readRack(JSON.stringify(fresh()), "rack.json").hasRing).toBe(false);
  });
  it("a switch knows the port of every station", () => {
    const rack = readRack(JSON.stringify(fresh("rack-switch")), "rack.json"),
      [tor] = rack.switches;
    expect([...(tor?.table.values() ?? [])].sort()).toEqual([0, 0, 1, 1, 2, 3]);
  });
});
