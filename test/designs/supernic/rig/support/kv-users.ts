/** A device in which users deploy a KV cache and replication by CTRL, in a region that comes and goes. */
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import {
  leftAtRest,
  type ManagedRegions,
  type SimulatedSuperNic,
  type TaskMemory,
  unaccounted,
  withDevice,
} from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import {
  addDagBody,
  bindBody,
  ctrlHeader,
  ctrlMessage,
  ctrlOpcode,
  ctrlPort,
  ctrlStatus,
  type CtrlStatusName,
  dagBranchBody,
  dagNameBody,
  deployBody,
  endsOf,
  kvTick,
} from "../../../../../designs/supernic/wire/index.ts";
import { concat, decode, encode, internetChecksum } from "../../../../../designs/shared/wire/index.ts";
import { udp } from "../../../../../designs/supernic/workload/index.ts";
import {
  clientOf,
  node,
  nodePort,
  nodeReply,
  parsed,
  requestFrame,
} from "../../rtl/tasks/kv-cache/support/kv-frames.ts";
import { isPause } from "./pauses.ts";

export const parameters = makeParameters({
  ...{ ports: 3, contexts: 32, cells: 64, regions: 3, slots: 1, branches: 2, credits: 4, users: 4 },
  ...{ pageSize: "16KB", memory: "512MB", reprogramTime: 10_000 },
});
export const cache = "kv_lru(64)",
  /** Pages of the cache, and nanoseconds until software waits no longer for a region. */
  cachePages = 4,
  drain = 60_000;
const client = clientOf(1),
  other = { mac: node.mac + 1n, ip: node.ip + 1 },
  device = { mac: 0x025e_0000_00ffn, ip: 0x0a09_00fe },
  life = 8,
  keys = ["61".repeat(16), "62".repeat(16)],
  // As a caller gives them: software has those without memory first.
  bitstreams = [["dummy"], [cache], ["replicate"], ["checksum"]],
  catalogue = ["dummy", "checksum", cache, "replicate"];
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
const setup = readSetup(
  JSON.stringify({
    ...{ mac: mac(device.mac), ip: ip(device.ip), ports: [{}, {}, {}] },
    stations: [
      { name: "client", mac: mac(client.mac), ip: ip(client.ip), port: 0 },
      { name: "node", mac: mac(node.mac), ip: ip(node.ip), port: nodePort },
      { name: "other", mac: mac(other.mac), ip: ip(other.ip), port: 2 },
    ],
    users: [
      { name: "store", memory: 65_536, key: keys[0] },
      { name: "poor", memory: 16_384, key: keys[1] },
    ],
    kvNode: { station: "node", user: "store", life },
    replicas: [{ name: "both", user: "store", nodes: ["other", "node"] }],
    regions: [{ chain: "plain", tasks: ["dummy"] }],
    dags: [{ name: "plain", user: "store", uid: 0x401, stages: [[{ chain: "plain" }]] }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
const code = (task: string): number => catalogue.indexOf(task) + 1;
const statusOf = (n: number): CtrlStatusName =>
  (Object.keys(ctrlStatus) as CtrlStatusName[]).find(s => ctrlStatus[s] === n) ?? "UNKNOWN";

export class KvUsers {
  readonly device: SimulatedSuperNic;
  readonly managed: ManagedRegions;
  readonly memory: TaskMemory;
  /** Frames that came out by port, but pauses and replies of CTRL. */
  readonly came = [0, 0, 0];
  /** What the node has: it is asked, and another way may have changed it. */
  value = new Uint8Array(500).map((_, i) => i * 5);
  readonly #replies = new Map<number, Uint8Array>();
  readonly #answers = new Map<number, { readonly status: CtrlStatusName; readonly body: Uint8Array }>();
  #asked = 0;
  #request = 0;
  #looks = true;

  constructor(of: SimulatedSuperNic) {
    const { managed, memory } = of;
    if (managed === undefined || memory === undefined) throw new RangeError("the device is managed, and has memory");
    this.device = of;
    this.managed = managed;
    this.memory = memory;
    of.bench.onEdge({ sample: () => this.#sample() });
    of.bench.spawn(async () => {
      while (this.#looks) {
        await managed.look();
        await of.bench.cycles(400);
      }
    });
  }
  #sample(): void {
    for (let left = this.device.take(); left; left = this.device.take()) {
      const { bytes } = left.frame,
        from = ((bytes[34] ?? 0) << 8) | (bytes[35] ?? 0);
      if (isPause(bytes)) continue;
      if (from === ctrlPort) {
        const { requestId, status, size } = decode(ctrlHeader, bytes.slice(42));
        this.#answers.set(requestId, {
          status: statusOf(status),
          body: bytes.slice(42 + ctrlHeader.bytes, 42 + size),
        });
        continue;
      }
      this.came[left.port] = (this.came[left.port] ?? 0) + 1;
      if (left.port === 0) this.#replies.set(parsed(bytes).clio.requestId, bytes);
      else if (left.port === nodePort && parsed(bytes).clio.opcode === 0x60)
        this.device.send(nodePort, nodeReply(bytes, 0, this.value));
    }
  }
  /** A CTRL message of a user, as a frame at the client's port. */
  async ask(name: keyof typeof ctrlOpcode, body: Uint8Array, user = 1) {
    const requestId = ++this.#asked,
      ends = endsOf({ ip: client.ip, port: 7000 }, { ip: device.ip, port: ctrlPort }),
      key = setup.users.find(u => u.number === user)?.key;
    if (key === undefined) throw new RangeError(`user ${user} has no key`);
    const message = ctrlMessage(key, ends, { user, opcode: ctrlOpcode[name], requestId }, body);
    this.device.send(0, udp(client, device, { from: 7000, to: ctrlPort }, message));
    await this.device.bench.until(() => this.#answers.has(requestId));
    const answer = this.#answers.get(requestId);
    if (answer === undefined) throw new RangeError("there is an answer");
    return answer;
  }
  async deploy(task: string, user = 1): Promise<CtrlStatusName> {
    return (await this.ask("DEPLOY_NT", encode(deployBody, { task: code(task), shared: 0 }), user)).status;
  }
  /** @returns its UID, or why there is none */
  async add(task: string): Promise<number | CtrlStatusName> {
    const branch = encode(dagBranchBody, { stage: 0, arg: 0, tasks: 1, task0: code(task) }),
      { status, body } = await this.ask("ADD_DAG", concat(encode(addDagBody, { way: 0, ahead: 0 }), branch));
    return status === "OK" ? decode(dagNameBody, body).uid : status;
  }
  /** UDP frames take the DAG; with `copies` only those for the other node. */
  async bind(uid: number, copies: boolean): Promise<void> {
    const rule = { uid, hasProtocol: 1, protocol: 17, ...(copies && { to: other.ip, toBits: 32 }) };
    const { status } = await this.ask("BIND", encode(bindBody, rule));
    if (status !== "OK") throw new Error(`BIND is ${status}`);
  }
  async launch(uid: number): Promise<void> {
    await this.ask("LAUNCH", encode(dagNameBody, { uid }));
  }
  /** A read of a key by the client. @returns the number of the request */
  read(key = 7n): number {
    const requestId = ++this.#request;
    this.device.send(0, requestFrame(client, { op: "read", key, requestId }));
    return requestId;
  }
  /** Its value, when it has come. */
  valueOf(requestId: number): Uint8Array | undefined {
    const reply = this.#replies.get(requestId);
    return reply && parsed(reply).body.slice(4);
  }
  /** A read, and whether the node was asked. @throws when the value is not the node's */
  async reads(key = 7n): Promise<"hit" | "miss"> {
    const before = this.came[nodePort] ?? 0,
      id = this.read(key);
    await this.device.bench.until(() => this.#replies.has(id));
    if (!Buffer.from(this.valueOf(id) ?? []).equals(Buffer.from(this.value)))
      throw new Error(`read ${id} has another value than the node`);
    await this.device.bench.cycles(600);
    return (this.came[nodePort] ?? 0) > before ? "miss" : "hit";
  }
  /** A write that wants copies. */
  write(): void {
    const frame = requestFrame(client, { op: "update", key: 7n, requestId: ++this.#request, value: this.value });
    frame[46] = (frame[46] ?? 0) | 0x20;
    frame.set([other.ip >>> 24, (other.ip >>> 16) & 255, (other.ip >>> 8) & 255, other.ip & 255], 30);
    frame.set([0, 0], 24);
    const sum = internetChecksum(frame, 14, 34);
    frame.set([sum >> 8, sum & 255], 24);
    this.device.send(0, frame);
  }
  /** A cache that was reset keeps nothing for its life. */
  async aged(): Promise<void> {
    await this.device.bench.cycles((life + 4) * kvTick + 1_100);
  }
  /** Pages of the board that tasks have, and those that nobody has. */
  async pages(): Promise<{ readonly used: number; readonly rest: number }> {
    const { manager, driver } = this.memory,
      free = await driver.freePages();
    let used = 0;
    for (const s of manager.spaces)
      for (let i = s.base; i < s.base + s.limit; i++) if ((await driver.page(i)).present) used++;
    return { used, rest: manager.unused + free };
  }
  async end(): Promise<readonly string[]> {
    await this.device.bench.until(() => !this.device.busy);
    await this.device.bench.cycles(600);
    this.#looks = false;
    this.memory.stop();
    await this.device.bench.cycles(2_000);
    return [
      ...unaccounted(await this.device.counters(), await this.device.inside()),
      ...leftAtRest(this.device.bench.sim, parameters),
      ...(await this.memory.leftAtRest()),
    ];
  }
}

/** `answers`: whether the board's memory answers now. */
export const withKvUsers = (name: string, answers: () => boolean, body: (t: KvUsers) => Promise<void>): Promise<void> =>
  withDevice(
    name,
    setup,
    parameters,
    {
      ...{ bitstreams, limitCycles: 300_000, wave: false, signals: true, backToBack: true, hold: 0 },
      times: { drain, reprogram: 1_000_000 },
      ram: { pause: { r: () => !answers(), b: () => !answers() } },
    },
    device => body(new KvUsers(device)),
  );
