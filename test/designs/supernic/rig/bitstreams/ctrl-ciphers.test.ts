/**
 * Requests beside ciphers: users launch, stop, configure, query and remove while their frames go through regions that
 * come and go. No frame is lost, no nonce comes twice, and a stranger's request does nothing.
 */
import { describe, expect, it } from "vitest";
import { isOwn } from "../../../../../designs/supernic/rig/device/index.ts";
import {
  ctrlMessage,
  type ctrlOpcode,
  ctrlPort,
  ctrlStatus,
  dagNameBody,
  endsOf,
  ntConfig,
  ctrlOpcode as opcodes,
  openCtrl,
  tunnelRowBody,
} from "../../../../../designs/supernic/wire/index.ts";
import { dissectStack, encode, headerOffsets } from "../../../../../designs/shared/wire/index.ts";
import { udp } from "../../../../../designs/supernic/workload/index.ts";
import { type Ciphers, type DagName, file, left, withCiphers } from "../support/ciphers.ts";

const snic = { mac: 0x025a_0000_00ffn, ip: 0x0a04_00fe },
  /** Of the setup, and one that nobody has. */
  keys = { alice: "616c69636527732e", bob: "626f62277320732e", nobody: "6e6f626f64792773" },
  users = { alice: 1, bob: 2 } as const,
  uids: Readonly<Record<DagName, number>> = { sealed: 0x401, crypted: 0x402, plain: 0x403 },
  clientPort = 7000;
type UserName = keyof typeof users;
const bytesOf = (name: keyof typeof keys): Uint8Array => Buffer.from(keys[name], "hex");

/** A row of a tunnel that takes packets out: its user may change the network. */
const inwards = { name: "inwards", user: "alice", number: 3, opens: 5 },
  row = (vni: number): Uint8Array => ntConfig("tunnel", 3, encode(tunnelRowBody, { vni })),
  named = (dag: DagName): Uint8Array => encode(dagNameBody, { uid: uids[dag] });
const asked = {
  users: file.users.map(u => ({ ...u, key: keys[u.name as UserName] })),
  tunnels: [...file.tunnels, inwards],
};
/** The same DAGs of tasks that change no byte, for the run that takes seconds. */
const withoutCiphers = {
  ...asked,
  keys: [],
  bitstreams: [
    { chain: "sealed", tasks: ["delay(4,1)"] },
    { chain: "crypted", tasks: ["delay(2,2)"] },
  ],
  dags: file.dags.map(d => ({
    ...d,
    stages: d.stages.map(s => s.map(({ chain }) => ({ chain }))),
  })),
};

/** Clients of the users at the left port, and what left at the right one. */
class Clients {
  readonly t: Ciphers;
  readonly sealed: boolean;
  readonly answers = new Map<number, number>();
  readonly #due: string[] = [];
  #request = 0;
  constructor(t: Ciphers, sealed: boolean) {
    this.t = t;
    this.sealed = sealed;
  }
  /** @param signer whose key it is made with @returns its number */
  ask(
    user: UserName,
    name: keyof typeof ctrlOpcode,
    body: Uint8Array = new Uint8Array(),
    signer: keyof typeof keys = user,
  ): number {
    if (left === undefined) throw new RangeError("there is a station");
    const requestId = ++this.#request,
      ends = endsOf({ ip: left.ip, port: clientPort + users[user] }, { ip: snic.ip, port: ctrlPort }),
      message = ctrlMessage(bytesOf(signer), ends, { user: users[user], opcode: opcodes[name], requestId }, body);
    this.t.device.send(0, udp(left, snic, { from: clientPort + users[user], to: ctrlPort }, message));
    return requestId;
  }
  send(dag: DagName, lengths?: readonly number[]): void {
    for (const plain of this.t.send(dag, lengths)) this.#due.push(plain.toString("hex"));
  }
  /** Until all is still: each frame that was sent has left once, and answers are kept. */
  async rest(): Promise<void> {
    // What a port says to its partner by itself is no user's.
    for (const frame of (await this.t.out()).filter(f => !isOwn(f))) {
      const { ipv4, udp: header } = dissectStack(frame);
      if (header?.srcPort === ctrlPort) this.#answered(frame, ipv4?.dst ?? 0, header.dstPort, header.length);
      else this.#left(frame);
    }
    expect(this.#due).toEqual([]);
  }
  #answered(frame: Uint8Array, ip: number, port: number, length: number): void {
    const reply = openCtrl(
      frame.slice(headerOffsets.payload, headerOffsets.transport + length),
      endsOf({ ip: snic.ip, port: ctrlPort }, { ip, port }),
      user => (user === users.alice ? bytesOf("alice") : bytesOf("bob")),
    );
    if (reply === undefined) throw new Error("an answer that its user cannot open");
    this.answers.set(reply.header.requestId, reply.header.status);
  }
  #left(frame: Uint8Array): void {
    const hex = Buffer.from(frame).toString("hex"),
      isPlain = !this.sealed || this.#due.includes(hex.slice(28)),
      dag: DagName = isPlain ? "plain" : hex.includes("cafe") ? "sealed" : "crypted",
      at = this.#due.indexOf(this.t.opened(dag, frame).toString("hex"));
    if (at < 0) throw new Error(`a frame of ${dag} that nobody sent, or that has left: ${hex.slice(0, 120)}`);
    this.#due.splice(at, 1);
  }
  statusOf(request: number): string | undefined {
    const status = this.answers.get(request);
    return Object.entries(ctrlStatus).find(([, code]) => code === status)?.[0];
  }
}

/** @param stranger whose key the stranger has */
async function life(c: Clients, rounds: number, stranger: keyof typeof keys): Promise<void> {
  const wanted: [number, string | undefined][] = [],
    wants = (request: number, status: string | undefined): void => void wanted.push([request, status]),
    { device } = c.t;
  for (let round = 0; round < rounds; round++) {
    for (const dag of ["sealed", "crypted", "plain"] as const) {
      const owner = dag === "sealed" ? "alice" : "bob";
      c.send(dag);
      wants(c.ask(owner, round % 2 === 0 ? "LAUNCH" : "STOP", named(dag)), "OK");
      wants(c.ask(owner, "QUERY"), "OK");
      c.send(dag, [1_300, 64]);
      wants(c.ask("alice", "NT_CONFIG", row(6 + round)), "OK");
      wants(c.ask("bob", "NT_CONFIG", row(7)), "DENIED");
      // Another user's, and who signs with another key in the owner's name.
      wants(c.ask(owner === "alice" ? "bob" : "alice", "REMOVE_DAG", named(dag)), "DENIED");
      wants(c.ask(owner, "REMOVE_DAG", named(dag), stranger), undefined);
      wants(c.ask(owner, "STOP", named(dag), stranger), undefined);
      await device.bench.cycles(200);
    }
    await c.rest();
  }
  // What is removed is gone, and nothing else: its frames are refused and counted.
  wants(c.ask("bob", "REMOVE_DAG", named("crypted")), "OK");
  await c.rest();
  const before = device.software.statistics;
  c.t.send("crypted");
  c.send("sealed");
  c.send("plain");
  await c.rest();
  expect((await device.counters()).ports[0]?.["inUid"]).toBe(3);
  wants(c.ask("bob", "LAUNCH", named("crypted")), "DENIED");
  await c.rest();
  expect(wanted.map(([request]) => c.statusOf(request))).toEqual(wanted.map(([, status]) => status));
  expect(before).toMatchObject({ strangers: 6 * rounds });
}
const run = (name: string, launch: number, rounds: number, sealed: boolean, stranger: keyof typeof keys = "nobody") =>
  withCiphers(name, launch, t => life(new Clients(t, sealed), rounds, stranger), sealed ? asked : withoutCiphers);

/** Frames of the DAG that a stranger has removed do not leave. */
const foundAs = /expected \[ …\(\d+\) \] to deeply equal \[\]/;
describe("requests beside frames in regions that come and go", () => {
  it("tasks that change no byte: nothing is lost, and a stranger does nothing", () => run("requests", 77, 2, false));
  it("a planted fault is found: a stranger has the users' keys", () =>
    expect(run("requests of a stranger", 77, 1, false, "bob")).rejects.toThrow(foundAs));
});

// A device with two ciphers is built for it: MNEMO_LONG=1 runs it.
const isLong = process.env["MNEMO_LONG"] === "1";
if (!isLong) console.log("requests beside ciphers are skipped: MNEMO_LONG=1 runs them");
describe.skipIf(!isLong)("requests beside ciphers in regions that come and go", () => {
  it("nothing is lost, no nonce comes twice, and a stranger does nothing", async () => {
    const nonces = await run("requests beside ciphers", 77, 3, true);
    // Five frames of each cipher a round, and three of the one that stays.
    expect(nonces).toHaveLength(3 * 2 * 5 + 3);
  });
  it("a planted fault is found: a stranger has the users' keys", () =>
    expect(run("ciphers and a stranger", 77, 1, true, "bob")).rejects.toThrow(foundAs));
});
