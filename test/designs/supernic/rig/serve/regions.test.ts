/**
 * `mnemo serve supernic` as a process whose regions come and go: clients of two users whose chains take turns, frames
 * that lie in rings meanwhile, chains that are scaled, CTRL, hostile programs, and the end in the middle of it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../../../scripts/setup/paths.mjs";
import {
  decode,
  dissectStack,
  encode,
  headerOffsets,
  parseIpv4,
  udpFrame,
} from "../../../../../designs/shared/wire/index.ts";
import {
  addDagBody,
  ctrlMessage,
  ctrlOpcode,
  ctrlPort,
  ctrlStatus,
  dagBranchBody,
  dagNameBody,
  deployBody,
  endsOf,
  openCtrl,
  putShims,
  queryDagBody,
  queryReplyBody,
} from "../../../../../designs/supernic/wire/index.ts";
import { shim } from "../../../../../designs/supernic/workload/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { mnemoProcess, type Running } from "../../../../support/mnemo-process.ts";
import { FrameProgram } from "./frame-program.ts";

onlyHangsEnd();

const address = (n: number): string => `127.${100 + n}.${(process.pid >> 8) & 255}.${1 + ((process.pid & 255) % 254)}`,
  example = // The example in the repository has these.
    JSON.parse(readFileSync(join(root, "examples/supernic-regions.json"), "utf8")) as {
      readonly regions: readonly unknown[];
      readonly bitstreams: readonly unknown[];
    },
  page = readFileSync(join(root, "docs/supernic/serve.md"), "utf8"),
  /** As the page has them. */
  settings = [
    ...["ports=2", "regions=3", "slots=1", "branches=1", "contexts=64", "cells=128", "users=4"],
    ...["memory=512MB", "spillRing=1MB", "reprogramTime=20us", "monitorPeriod=40us"],
  ];
const snic = { mac: 0x025c00000001n, ip: parseIpv4("10.20.0.1") },
  users = {
    alice: {
      ...{ number: 1, own: { mac: 0x025c00000011n, ip: parseIpv4("10.20.0.11") } },
      key: Buffer.from("616c696365277320736563726574", "hex"),
    },
    bob: {
      ...{ number: 2, own: { mac: 0x025c00000012n, ip: parseIpv4("10.20.0.12") } },
      key: Buffer.from("626f6227732073656372657420", "hex"),
    },
  },
  host = { mac: 0x025c00000013n, ip: parseIpv4("10.20.0.13") };
type UserName = keyof typeof users;
/** UDP ports whose frames take a DAG of the setup. */
const dags = {
  guarded: { to: 4001, user: "alice" },
  summed: { to: 4002, user: "alice" },
  slowed: { to: 4003, user: "bob" },
  plain: { to: 4004, user: "bob" },
} as const;
type DagName = keyof typeof dags;
const names = Object.keys(dags) as DagName[];

const folder = mkdtempSync(join(tmpdir(), "mnemo-regions-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
/** A served device, and the programs at its ports. */
class World {
  readonly served: Running;
  readonly #n: number;
  readonly #programs = new Map<string, FrameProgram>();
  /** Numbers of each DAG's frames that were sent, and that came to the host. */
  readonly sent = new Map<number, number>();
  #request = 0;

  constructor(n: number, setup: unknown, set: readonly string[]) {
    const file = join(folder, `setup${n}.json`);
    writeFileSync(file, JSON.stringify(setup));
    this.#n = n;
    this.served = mnemoProcess(
      ...["serve", "supernic", "--setup", file, "--set", ...set, "--udp", `${address(n)}:7000`],
    );
  }
  async start(): Promise<void> {
    expect(await this.served.firstLine).toMatch(/^serving the sNIC 10\.20\.0\.1: /);
    for (const name of ["alice", "bob"] as const) await this.#open(name, users[name].own, 0);
    await this.#open("host", host, 1);
    for (const program of this.#programs.values()) {
      await program.askWhoHas(snic.ip);
      await program.next(f => dissectStack(f).arp !== undefined);
    }
  }
  async #open(name: string, own: typeof host, port: number): Promise<void> {
    this.#programs.set(name, await FrameProgram.open(own, { ip: address(this.#n), port: 7000 + port }));
  }
  program(name: UserName | "host"): FrameProgram {
    const found = this.#programs.get(name);
    if (found === undefined) throw new RangeError(`${name} is not open`);
    return found;
  }
  /** The next frame to the host's UDP port `to`: its number is what it carries. @param uid of a shim */
  async send(from: UserName, to: number, o: { readonly bytes?: number; readonly uid?: number } = {}): Promise<void> {
    const number = this.sent.get(to) ?? 0,
      data = Buffer.alloc(o.bytes ?? 40 + ((number * 53) % 300));
    data.writeUInt32BE(number);
    this.sent.set(to, number + 1);
    const frame = udpFrame({ ...users[from].own, port: 4000 }, { ...host, port: to }, data);
    await this.program(from).send(o.uid === undefined ? frame : putShims(frame, { snic: shim(o.uid) }));
  }
  async sendBy(dag: DagName, frames = 1, bytes?: number): Promise<void> {
    const { user, to } = dags[dag];
    for (let i = 0; i < frames; i++) await this.send(user, to, bytes === undefined ? {} : { bytes });
  }
  /** All frames that were sent have come, each once, those of a DAG in their order. @param seen by UDP port */
  async allCame(seen: Map<number, number> = new Map<number, number>()): Promise<void> {
    const missing = (): boolean => [...this.sent].some(([to, n]) => (seen.get(to) ?? 0) < n);
    while (missing()) {
      const frame = await this.program("host").next(f => dissectStack(f).udp !== undefined),
        to = dissectStack(frame).udp?.dstPort ?? 0,
        number = Buffer.from(frame).readUInt32BE(headerOffsets.payload);
      expect([to, number]).toEqual([to, seen.get(to) ?? 0]);
      seen.set(to, number + 1);
    }
    this.sent.clear();
  }
  /** CTRL. @returns status and body of the answer */
  async ask(name: UserName, opcode: keyof typeof ctrlOpcode, body: Uint8Array = new Uint8Array()) {
    const { number, own, key } = users[name],
      from = { ip: own.ip, port: 4000 },
      to = { ip: snic.ip, port: ctrlPort },
      requestId = ++this.#request;
    await this.program(name).sendDatagram(
      snic,
      ctrlPort,
      ctrlMessage(key, endsOf(from, to), { opcode: ctrlOpcode[opcode], user: number, requestId }, body),
    );
    const frame = await this.program(name).next(f => dissectStack(f).udp?.dstPort === 4000),
      data = frame.slice(headerOffsets.payload, headerOffsets.transport + (dissectStack(frame).udp?.length ?? 0)),
      reply = openCtrl(data, endsOf(to, from), () => key);
    expect(reply?.header.requestId).toBe(requestId);
    return { status: reply?.header.status, body: reply?.body ?? new Uint8Array() };
  }
  /** How QUERY says that a DAG is: 1 runs, 2 is being loaded, 3 is not. */
  async hereOf(name: UserName, uid: number): Promise<number | undefined> {
    const { body } = await this.ask(name, "QUERY"),
      { dags: count } = decode(queryReplyBody, body);
    return Array.from({ length: count }, (_, i) =>
      decode(queryDagBody, body.slice(queryReplyBody.bytes + i * queryDagBody.bytes)),
    ).find(d => d.uid === uid)?.here;
  }
  /** SIGINT. @returns how the process has ended */
  async end() {
    const from = performance.now();
    this.served.signal("SIGINT");
    const ended = await this.served.ended;
    console.log(`ended ${(performance.now() - from).toFixed(0)} ms after SIGINT\n${ended.stdout}`);
    return ended;
  }
  async close(): Promise<void> {
    this.served.signal("SIGKILL");
    await this.served.ended;
    for (const program of this.#programs.values()) await program.close();
  }
}
/** A counter of what is printed at the end. */
const counted = (stdout: string, name: string): number =>
  Number(new RegExp(`\\b${name} ([\\d,]+)`).exec(stdout)?.[1]?.replaceAll(",", "") ?? 0);

/** One region, and the longest reprogramming that there is: a quick machine has not simulated it when it is asked. */
const [first, second] = example.regions,
  ofOne = { ...example, regions: [first], bitstreams: [...example.bitstreams, second], fair: false },
  slowSettings = settings.map(s =>
    s.startsWith("reprogramTime") ? "reprogramTime=100ms" : s.startsWith("regions") ? "regions=1" : s,
  );
// Their models are built side by side.
const w = new World(0, example, settings),
  slowly = new World(1, ofOne, slowSettings);

describe("chains of two users at too few regions", () => {
  beforeAll(() => w.start());
  afterAll(() => w.close());

  it("the page has this setup and these settings", () => {
    expect(page).toContain(`--setup examples/supernic-regions.json --set ${settings.join(" ")}`);
  });
  it("a burst of bob's is more than an instance does: it is scaled out into the free region, and back in", async () => {
    for (let i = 0; i < 4; i++) {
      await w.sendBy("slowed", 300, 40);
      await w.allCame();
    }
    // Alice's frames one by one keep the clock going, while nobody needs the second instance.
    for (let i = 0; i < 40; i++) {
      await w.sendBy("guarded");
      await w.allCame();
    }
  });
  it("four chains at three regions: every frame comes, once, and those that waited come first", async () => {
    for (let i = 0; i < 48; i++) {
      await w.sendBy(names[(i * 7 + (i >> 3)) % 4] ?? "plain", 1 + (i % 3));
      await pause(10);
    }
    await w.allCame();
  });
  it("CTRL stops and launches, deploys and adds while it goes on; nobody does it for another", async () => {
    const own = (uid: number): Uint8Array => encode(dagNameBody, { uid });
    expect((await w.ask("bob", "STOP", own(0x401))).status).toBe(ctrlStatus.DENIED);
    expect((await w.ask("alice", "STOP", own(0x401))).status).toBe(ctrlStatus.OK);
    while ((await w.hereOf("alice", 0x401)) === 1) await pause(20);
    // Its frames are launched for.
    await w.sendBy("guarded", 4);
    await w.allCame();
    expect(await w.hereOf("alice", 0x401)).toBe(1);
    expect((await w.ask("bob", "STOP", own(0x404))).status).toBe(ctrlStatus.OK);
    expect((await w.ask("bob", "LAUNCH", own(0x404))).status).toBe(ctrlStatus.OK);
    while ((await w.hereOf("bob", 0x404)) !== 1) await pause(20);
    // Bob's own DAG of the third task: its frames name it in a shim.
    expect((await w.ask("bob", "DEPLOY_NT", encode(deployBody, { task: 3, shared: 0 }))).status).toBe(ctrlStatus.OK);
    const branch = encode(dagBranchBody, { stage: 0, tasks: 1, task0: 3 }),
      added = await w.ask("bob", "ADD_DAG", Buffer.concat([encode(addDagBody, { way: 0 }), branch]));
    expect(added.status).toBe(ctrlStatus.OK);
    const { uid } = decode(dagNameBody, added.body);
    for (let i = 0; i < 5; i++) await w.send("bob", 4005, { uid });
    await w.allCame();
    expect((await w.ask("alice", "REMOVE_DAG", own(uid))).status).toBe(ctrlStatus.DENIED);
    expect((await w.ask("bob", "REMOVE_DAG", own(uid))).status).toBe(ctrlStatus.OK);
  });
  it("hostile programs at the other port take nothing from them", async () => {
    const enemy = await FrameProgram.open(host, { ip: address(0), port: 7001 }),
      nowhere = Buffer.alloc(64);
    nowhere.write("025c000000aa025c000000bb0800", "hex");
    const state = { isOver: false };
    const flood = (async () => {
      for (let n = 0; !state.isOver; n++) {
        for (let i = 0; i < 8; i++) await enemy.send(n % 2 ? nowhere : Buffer.alloc((n * 37 + i) % 1600, n));
        await pause(5);
      }
    })();
    for (let i = 0; i < 16; i++) {
      await w.sendBy(names[(i * 3) % 4] ?? "plain", 2);
      // A UID of nobody, and a task that is not there.
      if (i % 5 === 0) expect((await w.ask("bob", "LAUNCH", encode(dagNameBody, { uid: 0x7ff }))).status).not.toBe(0);
      await pause(10);
    }
    await w.allCame();
    state.isOver = true;
    await flood;
    await enemy.close();
  });
  it("ends in order: rings, scaling and swaps are told, and all frames are accounted for", async () => {
    const { code, stdout, stderr } = await w.end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "building the model ...\n" });
    expect(stdout).not.toContain("not in order");
    const spilled = counted(stdout, "ringSpilled");
    expect(spilled).toBeGreaterThan(0);
    expect(counted(stdout, "ringRestored")).toBe(spilled);
    // Programs are not in step with the simulation: one burst may be two to it.
    expect(counted(stdout, "scaledOut")).toBeGreaterThan(0);
    expect(counted(stdout, "scaledIn")).toBe(counted(stdout, "scaledOut"));
    expect(counted(stdout, "reprogrammed")).toBeGreaterThan(3);
    expect([counted(stdout, "ringLost"), counted(stdout, "ringDiscarded")]).toEqual([0, 0]);
    expect(stdout).toMatch(/served: \d+ frames in, \d+ out, /);
  });
});

it("SIGINT in the middle of a reconfiguration: counters, the ledger with what waits, and no error", async () => {
  const w = slowly;
  try {
    await w.start();
    await w.sendBy("guarded", 3);
    await w.allCame();
    await w.sendBy("summed", 5);
    await w.sendBy("plain", 4);
    // The region is loaded for a minute: whatever the machine does, all frames are there by now.
    await pause(5_000);
    const { code, stdout, stderr } = await w.end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "building the model ...\n" });
    expect(stdout).toMatch(/^served: 15 frames in, /m);
    expect(stdout).toMatch(/^regions: sums \(loading\); stopped 1$/m);
    // Those of the chain that is being loaded wait in front of its region, the others in their ring.
    expect(stdout).toMatch(/still under way 1 s after the end was asked for, and were left: contexts in use: 5, /);
    expect(stdout).toMatch(/, frames in rings: 4$/m);
    expect(stdout).not.toContain("not in order");
  } finally {
    await w.close();
  }
});
