/** A setup file: who is there, what is deployed, who may use it. The page docs/supernic/run.md is made from this. */
import * as z from "zod";
import { egressWays, gbnNodes, replicaGroups, replicaMostLife, replicaNodes } from "../../wire/index.ts";
import { cipherKey, flag, hexBytes, ipv4, key, list, mac, name, one, ownMac, prefix, task, whole } from "./fields.ts";

const portNumber = whole(0, 8, "the number of a port"),
  user = name.describe("whose it is"),
  port16 = whole(0, 65_535, "a port number");
/** The number of a peer has four bits. */
const mostPeers = 16;
/** Links to a peer: a redirect that came without a shim has a ttl of 15. */
const mostHops = 15;
/** Where a copy of a table counts. */
const somePorts = list(z.union([portNumber, z.literal("loop")], { error: 'must be the number of a port, or "loop"' }))
  .optional()
  .describe('ports at which it counts, "loop" the loop port; all, where it is left out');

export const portSchema = z.strictObject({
  reliable: flag.default(false).describe("every frame has a link shim, and is sent again until it has come"),
  peer: flag.default(false).describe("it leads to another sNIC: redirects come here, frames that are switched do not"),
  control: flag.default(true).describe("frames to the own MAC are for software"),
  class: whole(0, 7, "a class").default(4).describe("priority class of frames that do not tell theirs"),
});
export const stationSchema = z.strictObject({
  name: name.describe("as other fields and the tables of a run name it"),
  mac: ownMac.describe("its MAC"),
  ip: ipv4.optional().describe("its IPv4 address"),
  port: portNumber.describe("where it is"),
  behind: name.optional().describe("the peer that it is behind: it has the way of that one"),
});
export const peerSchema = z.strictObject({
  name: name.describe("as rules and DAGs name it"),
  mac: ownMac.describe("its MAC"),
  port: portNumber.describe("the way to it; the port must be one of peers"),
  hops: whole(1, mostHops, "a number of links")
    .default(1)
    .describe("links to it; more than 1: other sNICs pass frames on"),
  around: z
    .strictObject({
      port: portNumber.describe("another port of peers"),
      hops: whole(1, mostHops, "a number of links").describe("links on that way"),
    })
    .optional()
    .describe("another way to it, for when nothing is heard by the first; the same at both"),
});
export const userSchema = z.strictObject({
  name: name.describe("as other fields and the tables of a run name it"),
  number: whole(1, 63, "a user's number").optional().describe("default: its place in the list, from 1; 0 is nobody"),
  class: whole(0, 3, "a class of users").default(0).describe("class queue of its frames at every port"),
  bytesPerEpoch: z
    .union([whole(64, 2 ** 24 - 1, "a number of bytes"), z.literal("unlimited")], {
      error: 'must be a number of bytes from 64 to 16777215, or "unlimited"',
    })
    .default("unlimited")
    .describe('bytes that it may bring in an epoch, or "unlimited"'),
  contexts: whole(1, 256, "a number of packets").optional().describe("packets inside; default: an equal share"),
  cells: whole(1, 1024, "a number of cells").optional().describe("cells of 256 bytes; default: an equal share"),
  memory: whole(0, 2 ** 34, "a number of bytes")
    .optional()
    .describe("bytes of the board's memory that its tasks may have; default: as much as there is"),
  key: key.optional().describe("key of its CTRL messages, hexadecimal; without one it sends none"),
});
export const regionSchema = z.strictObject({
  chain: name.describe("name of the chain; regions with the same name are instances of one"),
  tasks: list(task).describe('its tasks in a row, such as ["firewall", "nat"] or ["delay(6,1)"]'),
});
export const firewallRuleSchema = z.strictObject({
  user: user.optional().describe("whose packets; without it, everybody's"),
  from: prefix.optional().describe("IPv4 source"),
  to: prefix.optional().describe("IPv4 destination"),
  protocol: whole(0, 255, "a protocol number").optional().describe("IPv4 protocol"),
  fromPort: port16.optional().describe("TCP or UDP source port"),
  toPort: port16.optional().describe("TCP or UDP destination port"),
  action: one(["pass", "drop"]).describe("what becomes of the packet: pass or drop"),
});
export const natSchema = z.strictObject({
  address: ipv4.describe("address outside"),
  ports: whole(0, 15, "the highest 4 bits of a port").default(15).describe("highest 4 bits of the ports outside"),
  life: whole(0, 14, "a number of epochs").default(14).describe("epochs that an unused binding lives"),
  epoch: whole(16_384, 2 ** 31, "a number of cycles")
    .optional()
    .describe("cycles of such an epoch; without it bindings live for ever"),
});
const vxlan = z.strictObject({
  dst: mac.describe("destination MAC outside"),
  src: ownMac.optional().describe("source MAC outside; default: the own"),
  from: ipv4.describe("IPv4 source outside"),
  to: ipv4.describe("IPv4 destination outside"),
  port: port16.default(49_152).describe("UDP source port"),
  vni: whole(0, 2 ** 24 - 1, "a VXLAN network").describe("the network"),
});
export const tunnelSchema = z.strictObject({
  name: name.describe("as DAGs name it"),
  number: whole(1, 255, "a row").optional().describe("its row; default: its place in the list, from 1"),
  user,
  vxlan: vxlan.optional().describe("it puts this in front of the packet"),
  bytes: hexBytes.optional().describe("or these bytes, 14 to 64"),
  opens: whole(0, 2 ** 24 - 1, "a VXLAN network")
    .optional()
    .describe("or takes packets of this network out of VXLAN"),
});
export const balancerSchema = z.strictObject({
  name: name.describe("as DAGs name it"),
  first: whole(0, 248, "the first bucket").describe("its first bucket, a multiple of 8"),
  user,
  backends: list(name).describe("stations by bucket: 2, 4, 8 or another power of two up to 256"),
});
export const kvNodeSchema = z.strictObject({
  station: name.describe("the station that it is; it needs an ip"),
  user: user.describe("whose keys are kept"),
  life: whole(1, 16_384, "a number of 256 cycles")
    .default(4096)
    .describe("time after which no request is under way any more, in units of 256 cycles"),
});
export const gbnNodeSchema = z.strictObject({
  station: name.describe("the station that it is; it needs an ip"),
  user: user.describe("whose packets it takes"),
});
/** Tasks that have keys; those that make nonces of their own come first. */
export const cipherTasks = ["seal", "encrypt", "open", "decrypt"] as const;
export const cipherKeySchema = z.strictObject({
  name: name.describe("as DAGs name it"),
  task: one(cipherTasks).describe("whose it is: seal and open are AES-GCM, encrypt and decrypt counter mode"),
  user: user.describe("whose packets it takes"),
  number: whole(0, 2 ** 32 - 1, "a number").describe("its number, which frames carry to the other end"),
  key: cipherKey.describe("16 bytes for AES-128 or 32 for AES-256, hexadecimal"),
  tunnel: name.optional().describe("of seal and encrypt: the tunnel that goes in front, with 50 bytes"),
  to: name.optional().describe("of open and decrypt: the station whose MAC receives what comes out"),
  from: name.optional().describe("and the one whose MAC sends it"),
});
export const replicasSchema = z.strictObject({
  name: name.describe("as DAGs name it"),
  number: whole(0, replicaGroups - 1, "a group's number")
    .optional()
    .describe("default: its place in the list, from 0"),
  user: user.describe("whose writes are copied"),
  nodes: list(name)
    .min(replicaNodes.least, "must name 1 to 4 stations")
    .max(replicaNodes.most, "must name 1 to 4 stations")
    .describe("stations that each write goes to, 1 to 4; the first one is that which clients know, and reads go to"),
});
export const branchSchema = z.strictObject({
  chain: z
    .string({ error: "must be the name of a chain" })
    .max(600, "must be the name of a chain, or its tasks with plus between them")
    .describe("the chain: its name, or its tasks with plus between them"),
  run: list(z.union([task, whole(0, 7, "a slot")], { error: "must be a task's name, or the number of a slot" }))
    .optional()
    .describe("tasks of it that the packet takes, by name or slot; default: all of them"),
  arg: z
    .union([whole(0, 255, "a number"), name], {
      error: "must be a number from 0 to 255, or the name of a tunnel, balancer, group of replicas or key",
    })
    .default(0)
    .describe("what its tasks are told: a number, or the name of a tunnel, balancer, group of replicas or key"),
});
export const dagSchema = z.strictObject({
  name: name.describe("as rules and the tables of a run name it"),
  user,
  uid: whole(0, 0xffff, "a UID").describe("its UID: generation in the high 6 bits"),
  ports: somePorts,
  stages: list(list(branchSchema))
    .optional()
    .describe("stages one after the other, each of branches side by side; without them it runs at its peer"),
  peer: name.optional().describe("where it runs, when it does not here"),
  egress: z
    .union([one(egressWays), z.strictObject({ port: portNumber })], {
      error: `must be one of ${egressWays.filter(w => w !== "port").join(", ")}, or { "port": 2 }`,
    })
    .default("mac")
    .describe('where its packets leave: "mac", "back", "loop", or { "port": 2 }'),
  keepShim: flag.default(false).describe("packets leave with a sNIC shim"),
  unordered: flag.default(false).describe("its packets may overtake each other"),
  slow: flag.optional().describe("its packets have the queues of slow DAGs; default: if a task takes some cycles each"),
});
export const ruleSchema = z.strictObject({
  name: z.string({ error: "must be text" }).optional().describe("for the reader"),
  dst: mac.optional().describe("destination MAC"),
  etherType: whole(0, 0xffff, "an EtherType").optional().describe("EtherType without shims and tag"),
  to: prefix.optional().describe("IPv4 destination"),
  protocol: whole(0, 255, "a protocol number").optional().describe("IPv4 protocol"),
  toPort: port16.optional().describe("TCP or UDP destination port"),
  ports: somePorts,
  action: z
    .union(
      [
        one(["software", "drop"]),
        z.strictObject({ port: portNumber }),
        z.strictObject({ dag: name }),
        z.strictObject({ uid: whole(0, 0xffff, "a UID") }),
        z.strictObject({ peer: name }),
      ],
      {
        error: 'must be "software", "drop", { "port": 2 }, { "dag": "name" }, { "uid": "0x400" } or { "peer": "name" }',
      },
    )
    .describe('"software", "drop", { "port": 2 }, { "dag": "name" }, { "uid": "0x400" } or { "peer": "name" }'),
});
const regionOrTasks = z.union([regionSchema, list(task).transform(tasks => ({ chain: tasks.join("+"), tasks }))], {
  error: 'must be a list of tasks, or { "chain": "name", "tasks": [...] }',
});

export const setupSchema = z.strictObject({
  mac: ownMac.describe("the device's own MAC"),
  ip: ipv4.describe("its IPv4 address: ARP, ping and CTRL"),
  number: whole(0, 255, "a number").default(0).describe("its number among sNICs, which shims tell"),
  ports: list(portSchema).describe("ports, from 0"),
  uplink: portNumber.optional().describe("port of frames whose MAC is not known"),
  epoch: whole(250, 2 ** 24, "a number of cycles")
    .default(5000)
    .describe("cycles of an epoch of the meter"),
  urgentClass: whole(0, 3, "a class of users")
    .optional()
    .describe("class whose packets leave a port before those of others; of 64 that pass, one waits"),
  stations: list(stationSchema).default([]).describe("who is there: MACs that are known"),
  peers: list(peerSchema).max(mostPeers, `must be ${mostPeers} or fewer`).default([]).describe("other sNICs"),
  users: list(userSchema).default([]).describe("who pays"),
  regions: list(regionOrTasks).default([]).describe("what each region holds: a list of tasks, or a chain with a name"),
  bitstreams: list(regionOrTasks)
    .max(63, "must be 63 or fewer")
    .default([])
    .describe(
      "chains that regions can be given while it runs, as those of regions then are; without any all chains stay",
    ),
  spill: z
    .boolean()
    .default(false)
    .describe("whether frames of DAGs that wait go to rings in memory, so that nobody waits behind them"),
  fair: flag
    .default(false)
    .describe("users with bytesPerEpoch have fair shares, and chains get and give instances by what users intend"),
  firewall: list(firewallRuleSchema).default([]).describe("rules of every firewall; the first that matches decides"),
  nat: natSchema.optional().describe("of the NAT, if a region has one"),
  tunnels: list(tunnelSchema).default([]).describe("rows of every tunnel"),
  balancers: list(balancerSchema).default([]).describe("buckets of every balancer"),
  kvNode: kvNodeSchema.optional().describe("the key-value node behind every KV cache"),
  gbnNodes: list(gbnNodeSchema)
    .max(gbnNodes, `must name at most ${gbnNodes} nodes`)
    .default([])
    .describe("memory nodes behind every go_back_n, which need no transport of their own"),
  keys: list(cipherKeySchema).default([]).describe("keys of seal, open, encrypt and decrypt, one for each of these"),
  launch: whole(1, 2 ** 23 - 1, "a number")
    .optional()
    .describe("where numbers of nonces begin: higher in each run than in all before it with the same keys"),
  replicas: list(replicasSchema).default([]).describe("groups of nodes, of every replicate"),
  replicaLife: whole(1, replicaMostLife, "a number of 256 cycles")
    .default(4096)
    .describe("time after which a write that was not answered by all is given up, in units of 256 cycles"),
  dags: list(dagSchema).default([]).describe("what users' packets go through"),
  rules: list(ruleSchema).default([]).describe("match and action: the first that matches decides"),
});
export type SetupFile = z.output<typeof setupSchema>;
export type DagFile = SetupFile["dags"][number];
export type BranchFile = z.output<typeof branchSchema>;
