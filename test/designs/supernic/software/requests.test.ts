/** CTRL of a device whose regions can be reprogrammed: what users ask, and what is another's. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../hdl-dsl/index.ts";
import { changingRequests, type Sent } from "../../../../designs/supernic/software/index.ts";
import {
  addDagBody,
  bindBody,
  type CtrlMessage,
  ctrlMessage,
  ctrlOpcode,
  ctrlPort,
  ctrlStatus,
  type CtrlStatusName,
  dagBranchBody,
  dagNameBody,
  deployBody,
  endsOf,
  openCtrl,
  queryDagBody,
  queryReplyBody,
  uidEntries,
  weightBody,
} from "../../../../designs/supernic/wire/index.ts";
import { concat, decode, dissectStack, encode, headerOffsets } from "../../../../designs/shared/wire/index.ts";
import { udp } from "../../../../designs/supernic/workload/index.ts";
import { fieldsOf } from "./regions/support/modelled-regions.ts";
import { catalogue, setup, type World, world } from "./regions/support/world.ts";

const device = { mac: 0x025e_0000_00ffn, ip: 0x0a02_00fe },
  hosts = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
const keyOf = (user: number): Uint8Array | undefined => setup.users.find(u => u.number === user)?.key;
const names = Object.keys(ctrlStatus) as CtrlStatusName[];

/** Users' requests over frames. */
class Asker {
  readonly w: World;
  #id = 0;
  constructor(w: World) {
    this.w = w;
  }
  async frame(user: number, opcode: number, body: Uint8Array, requestId = ++this.#id): Promise<readonly Sent[]> {
    const from = hosts[user - 1],
      key = keyOf(user);
    if (from === undefined || key === undefined) throw new RangeError(`there is no user ${user}`);
    const ends = endsOf({ ip: from.ip, port: 7000 }, { ip: device.ip, port: ctrlPort }),
      message = ctrlMessage(key, ends, { user, opcode, requestId }, body);
    return this.w.software.receive(udp(from, device, { from: 7000, to: ctrlPort }, message), user - 1);
  }
  async ask(user: number, name: keyof typeof ctrlOpcode, body: Uint8Array, requestId?: number): Promise<CtrlMessage> {
    const [sent] = await this.frame(user, ctrlOpcode[name], body, requestId),
      { ipv4, udp: header } = dissectStack(sent?.frame ?? new Uint8Array());
    const ends = endsOf({ ip: device.ip, port: ctrlPort }, { ip: ipv4?.dst ?? 0, port: 7000 }),
      bytes = sent?.frame.slice(headerOffsets.payload, headerOffsets.transport + (header?.length ?? 0));
    const reply = bytes && openCtrl(bytes, ends, keyOf);
    if (reply === undefined) throw new Error("no answer");
    return reply;
  }
  async status(user: number, name: keyof typeof ctrlOpcode, body: Uint8Array, requestId?: number): Promise<string> {
    const { header } = await this.ask(user, name, body, requestId);
    return names.find(n => ctrlStatus[n] === header.status) ?? "none";
  }
  /** @returns the UID */
  async add(
    user: number,
    tasks: readonly string[],
    o: { readonly ahead?: boolean; readonly arg?: number } = {},
  ): Promise<number> {
    const reply = await this.ask(user, "ADD_DAG", addDag([tasks], o));
    if (reply.header.status !== ctrlStatus.OK) throw new Error(names[reply.header.status]);
    return decode(dagNameBody, reply.body).uid;
  }
  async where(user: number): Promise<ReadonlyMap<number, number>> {
    const { body } = await this.ask(user, "QUERY", new Uint8Array()),
      { dags } = decode(queryReplyBody, body);
    return new Map(
      Array.from({ length: dags }, (_, i) => {
        const d = decode(queryDagBody, body.slice(queryReplyBody.bytes + i * queryDagBody.bytes));
        return [d.uid, d.here];
      }),
    );
  }
}
const code = (task: string): number => catalogue.indexOf(task) + 1,
  named = (uid: number): Uint8Array => encode(dagNameBody, { uid });
const deploy = (task: string, shared = 0): Uint8Array => encode(deployBody, { task: code(task), shared });
/** A stage for each row of tasks. */
const addDag = (
  rows: readonly (readonly string[])[],
  o: { readonly ahead?: boolean; readonly arg?: number } = {},
): Uint8Array =>
  concat(
    encode(addDagBody, { way: 0, ahead: o.ahead === true ? 1 : 0 }),
    ...rows.map((tasks, stage) => {
      const codes = Object.fromEntries(tasks.map((t, i) => [`task${i}`, code(t)]));
      return encode(dagBranchBody, { stage, arg: o.arg ?? 0, tasks: tasks.length, ...codes });
    }),
  );
const asker = (o?: Parameters<typeof world>[0]): Asker => new Asker(world(o));
/** All that software has begun is done. */
const settled = async (a: Asker): Promise<void> => {
  await a.w.manager.kill(-1);
};

describe("DAGs of users", () => {
  it("a DAG of tasks that are there runs at once; its UID has a generation, and its entry leads to it", async () => {
    const a = asker(),
      uid = await a.add(1, ["dummy"]);
    expect(Math.floor(uid / uidEntries)).toBe(1);
    const written = a.w.regions.writes.filter(x => x.table === "uid" && x.index === uid % uidEntries).at(-1);
    expect(fieldsOf(written!)).toMatchObject({ valid: 1, generation: 1, user: 1, allowed: 1, here: 1 });
    // At the user's ports only.
    expect(written?.ports).toBe(1);
    expect((await a.where(1)).get(uid)).toBe(1);
    expect((await a.where(2)).has(uid)).toBe(false);
  });
  it("LAUNCH loads what is missing, QUERY tells when it is there, and STOP makes a victim of it", async () => {
    const a = asker();
    await a.status(1, "DEPLOY_NT", deploy("firewall"));
    const uid = await a.add(1, ["firewall"]);
    expect((await a.where(1)).get(uid)).toBe(3);
    expect(await a.status(1, "LAUNCH", named(uid))).toBe("OK");
    await settled(a);
    expect((await a.where(1)).get(uid)).toBe(1);
    expect(await a.status(1, "STOP", named(uid))).toBe("OK");
    await settled(a);
    expect([(await a.where(1)).get(uid), a.w.manager.places[2]?.use]).toEqual([3, "victim"]);
  });
  it("a chain that another DAG still wants is not stopped", async () => {
    const a = asker(),
      uid = await a.add(1, ["checksum"]);
    await a.status(1, "LAUNCH", named(uid));
    await a.status(1, "STOP", named(uid));
    await settled(a);
    expect(a.w.manager.places[1]?.use).toBe("active");
  });
  it("launched ahead where a region is free", async () => {
    const a = asker();
    await a.status(1, "DEPLOY_NT", deploy("firewall"));
    const uid = await a.add(1, ["firewall"], { ahead: true });
    await settled(a);
    expect((await a.where(1)).get(uid)).toBe(1);
  });
  it("a removed UID comes back with the next generation, and not before it has rested", async () => {
    const a = asker({ rest: 1000 }),
      uids = new Set<number>();
    let last = 0;
    // As many as there are UIDs: then the first one is there again.
    for (let n = 0; n < uidEntries; n++) {
      last = await a.add(1, ["dummy"]);
      expect(uids.has(last)).toBe(false);
      uids.add(last);
      expect(await a.status(1, "REMOVE_DAG", named(last))).toBe("OK");
      expect(await a.status(1, "LAUNCH", named(last))).toBe("DENIED");
    }
    expect([...uids].some(u => Math.floor(u / uidEntries) === 2)).toBe(true);
    const removed = a.w.regions.writes.filter(x => x.table === "uid" && x.index === last % uidEntries).at(-1);
    expect(removed?.value).toBe(0n);
  });
  it("a number that rests is not given away: FULL until it has rested", async () => {
    const a = asker({ rest: 1e9 });
    for (let n = 0; n < 254; n++) await a.status(1, "REMOVE_DAG", named(await a.add(1, ["dummy"])));
    expect(await a.status(1, "ADD_DAG", addDag([["dummy"]]))).toBe("FULL");
  });
  it("BIND: frames of a rule take the DAG, at ports where nobody else has one", async () => {
    const a = asker(),
      uid = await a.add(1, ["dummy"]),
      body = (u: number): Uint8Array =>
        encode(bindBody, { uid: u, to: 0x0a020002, toBits: 32, toPort: 80, hasPort: 1 });
    expect(await a.status(1, "BIND", body(uid))).toBe("OK");
    const action = a.w.regions.writes.filter(x => x.table === "ruleAction").at(-1);
    expect(fieldsOf(action!)).toMatchObject({ uid, action: expect.any(Number) as number });
    expect(await a.status(2, "BIND", body(uid))).toBe("DENIED");
    expect(await a.status(1, "BIND", body(0x402))).toBe("DENIED");
    for (let n = 1; n < setup.sizes.rules; n++) expect(await a.status(1, "BIND", body(uid))).toBe("OK");
    expect(await a.status(1, "BIND", body(uid))).toBe("FULL");
    await a.status(1, "REMOVE_DAG", named(uid));
    const next = await a.add(1, ["dummy"]);
    expect(await a.status(1, "BIND", body(next))).toBe("OK");
  });
  it("WEIGHT up to what was granted", async () => {
    const a = asker(),
      body = (weight: number): Uint8Array => encode(weightBody, { weight });
    expect(await a.status(1, "WEIGHT", body(4))).toBe("OK");
    expect(a.w.requests.weights.get(1)).toBe(4);
    expect(await a.status(1, "WEIGHT", body(16))).toBe("DENIED");
    expect(await a.status(2, "WEIGHT", body(15))).toBe("OK");
    expect(await a.status(1, "WEIGHT", body(0))).toBe("INVALID");
    expect(a.w.requests.weights.get(1)).toBe(4);
  });
});

describe("rights", () => {
  it("a task is its users', until one shares it", async () => {
    const a = asker(),
      dag = addDag([["firewall"]]);
    expect(await a.status(1, "ADD_DAG", dag)).toBe("DENIED");
    await a.status(1, "DEPLOY_NT", deploy("firewall"));
    expect(await a.status(1, "ADD_DAG", dag)).toBe("OK");
    expect(await a.status(2, "ADD_DAG", dag)).toBe("DENIED");
    await a.status(1, "DEPLOY_NT", deploy("firewall", 1));
    expect(await a.status(2, "ADD_DAG", dag)).toBe("OK");
  });
  it.each(["REMOVE_DAG", "LAUNCH", "STOP"] as const)("%s of another's DAG, or of none, is DENIED", async name => {
    const a = asker();
    await settled(a);
    const before = a.w.regions.writes.length;
    for (const uid of [0x402, 0x7777]) expect(await a.status(1, name, named(uid))).toBe("DENIED");
    await settled(a);
    expect(a.w.regions.writes.length).toBe(before);
  });
  it.each([
    ["a chain that no bitstream has", addDag([["checksum", "checksum"]]), "FULL"],
    ["a task that is not in the catalogue", encode(addDagBody, {}), "INVALID"],
    ["no branch", encode(addDagBody, { way: 0 }), "INVALID"],
    [
      "stages out of order",
      concat(encode(addDagBody, {}), encode(dagBranchBody, { stage: 1, tasks: 1, task0: 1 })),
      "INVALID",
    ],
    [
      "more tasks than it counts",
      concat(encode(addDagBody, {}), encode(dagBranchBody, { tasks: 1, task0: 1, task1: 1 })),
      "INVALID",
    ],
    [
      "a port that there is not",
      concat(encode(addDagBody, { way: 1, port: 9 }), encode(dagBranchBody, { tasks: 1, task0: 1 })),
      "INVALID",
    ],
    [
      "a way that there is not",
      concat(encode(addDagBody, { way: 7 }), encode(dagBranchBody, { tasks: 1, task0: 1 })),
      "INVALID",
    ],
    ["another's row", addDag([["dummy"]], { arg: 0 }).slice(0, -1), "INVALID"],
    ["what the planner refuses", addDag([["checksum"]], { arg: 200 }), "INVALID"],
  ] as const)("ADD_DAG of %s is refused, and writes nothing", async (_what, body, status) => {
    const a = asker(),
      before = a.w.regions.writes.length;
    expect(await a.status(1, "ADD_DAG", body)).toBe(status);
    expect(a.w.regions.writes.length).toBe(before);
  });
});

describe("at most once", () => {
  it.each(changingRequests)("%s that comes twice is done once, and answered twice the same", async name => {
    const a = asker();
    await a.status(1, "DEPLOY_NT", deploy("firewall"), 900);
    const uid = await a.add(1, ["firewall"]);
    const bodies: Readonly<Record<(typeof changingRequests)[number], Uint8Array>> = {
      DEPLOY_NT: deploy("balancer"),
      ADD_DAG: addDag([["dummy"]]),
      REMOVE_DAG: named(uid),
      BIND: encode(bindBody, { uid, to: 1, toBits: 32 }),
      LAUNCH: named(uid),
      STOP: named(uid),
      WEIGHT: encode(weightBody, { weight: 2 }),
    };
    const first = await a.frame(1, ctrlOpcode[name], bodies[name], 1000);
    await settled(a);
    const writes = a.w.regions.writes.length,
      dags = a.w.requests.dags.length;
    const second = await a.frame(1, ctrlOpcode[name], bodies[name], 1000);
    await settled(a);
    expect(second).toEqual(first);
    expect([a.w.regions.writes.length, a.w.requests.dags.length]).toEqual([writes, dags]);
    expect(a.w.software.statistics.repeated).toBe(1);
  });
});

describe("mutated requests", () => {
  it("every answer is right, and none changes what is another's", async () => {
    const a = asker(),
      random = new Random(9);
    await a.status(1, "DEPLOY_NT", deploy("firewall", 1));
    const theirs = (): string => JSON.stringify(a.w.requests.dags.filter(d => d.user.number === 2).map(d => d.uid));
    const before = theirs();
    for (let n = 0; n < 1500; n++) {
      const bodies = [
          deploy("dummy"),
          addDag([["dummy"]]),
          addDag([["firewall"], ["dummy"]]),
          named(0x401),
          named(0x402),
        ],
        body = random.pick(bodies).slice(),
        at = random.below(body.length);
      body[at] = random.below(256);
      const cut = random.chance(0.2) ? body.slice(0, random.below(body.length + 1)) : body;
      expect(names).toContain(await a.status(1, random.pick(changingRequests), cut));
    }
    await settled(a);
    expect(theirs()).toBe(before);
    expect(await a.status(2, "QUERY", new Uint8Array())).toBe("OK");
  });
});
