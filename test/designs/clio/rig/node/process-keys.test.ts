/** A build in which nobody acts for a process without its key: the clients' library against the whole node. */
import { describe, expect, it } from "vitest";
import { type Client, OperationError } from "../../../../../designs/clio/client/index.ts";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { firstOffloadPid, makeSettings } from "../../../../../designs/clio/config/index.ts";
import { Scoreboard } from "../../../../../designs/clio/model/index.ts";
import { clientEndpoint } from "../../../../../designs/clio/workload/index.ts";
import {
  accessBody,
  clioMessage,
  createProcReplyBody,
  dissect,
  keyTrailer,
  opcode,
  status,
} from "../../../../../designs/clio/wire/index.ts";
import { type NodeOptions, withNode } from "../../../../../designs/clio/rig/node/index.ts";
import { concat, decode, encode, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { Random, type SentFrame } from "../../../../../sim/index.ts";
import { plant } from "../../../../support/plant.ts";
import { onHardware } from "./on-hardware.ts";

const page = 1n << 22n;
const keyed = { processKeys: 256 };
const reasonOf = (e: unknown): string => {
  if (e instanceof OperationError) return e.reason;
  throw e;
};

describe("a node with keys", () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["the default build", {}],
    // The same as that of the clients' bindings, so that it is compiled once.
    ["offloads", { offloads: "all" }],
  ])("%s: the owner does everything as ever; another client, who knows the process's number, nothing", (_what, build) =>
    onHardware("keys", { seed: 1, clients: 2, build: { ...build, ...keyed } }, async ({ clients, address, node }) => {
      const [owner, thief] = clients as [Client, Client];
      const process = await owner.createProcess(address),
        thread = process.thread(),
        va = await thread.ralloc(2n * page);
      expect(process.key).toBeDefined();
      const data = Uint8Array.from({ length: 5000 }, (_, i) => i * 7);
      await thread.rwrite(va + page - 2500n, data);
      expect(await thread.rread(va + page - 2500n, data.length)).toEqual(data);
      expect(await thread.fetchAndAdd(va, 5n)).toBe(0n);
      // The process on another compute node, which was told the key.
      const shared = thief.process(process.pid, address, process.key).thread();
      expect(await shared.fetchAndAdd(va, 1n)).toBe(5n);
      // And without it, or with another one.
      for (const key of [undefined, (process.key as bigint) ^ 1n, 0n]) {
        const stolen = thief.process(process.pid, address, key),
          t = stolen.thread();
        expect(await t.rread(va, 8).catch(reasonOf)).toBe("INVALID");
        expect(await t.rwrite(va, data).catch(reasonOf)).toBe("INVALID");
        expect(await t.fetchAndAdd(va, 1n).catch(reasonOf)).toBe("INVALID");
        expect(await t.ralloc(page).catch(reasonOf)).toBe("INVALID");
        expect(await t.rfree(va, 2n * page).catch(reasonOf)).toBe("INVALID");
        expect(await thief.freeProcess(stolen).catch(reasonOf)).toBe("INVALID");
        if (node.config.offloads !== "none") {
          expect(await t.kv.read(1n).catch(reasonOf)).toBe("INVALID");
          expect(await t.kv.create(1n, data.slice(0, 8)).catch(reasonOf)).toBe("INVALID");
        }
      }
      expect(await thread.fetchAndAdd(va, 0n)).toBe(6n);
      if (node.config.offloads !== "none") {
        expect(await thread.kv.create(1n, data.slice(0, 100))).toBe(true);
        expect(await thread.kv.read(1n)).toEqual(data.slice(0, 100));
      }
      // Its number comes to others with another key; the old one is worth nothing.
      await owner.freeProcess(process);
      const old = thief.process(process.pid, address, process.key).thread();
      expect(await old.rread(va, 8).catch(reasonOf)).toBe("INVALID");
      const next = await thief.createProcess(address);
      expect(next.key).not.toBe(process.key);
      await thief.freeProcess(next);
      // All is back but the offloads' own.
      const { memory } = node.slowPath,
        left = Array.from({ length: firstOffloadPid }, (_, pid) => pid).filter(pid => memory.hasProcess(pid));
      expect(left).toEqual([]);
      expect(memory.processCount).toBe(node.config.offloads === "none" ? 0 : 1);
    }),
  );
});

interface Judged {
  readonly problems: readonly string[];
  readonly ok: number;
  readonly invalid: number;
}
/** Processes that clients create by frames; then accesses with right, wrong and missing keys, judged by the model. */
function judged(build: Readonly<Record<string, unknown>>, seed: number, o: NodeOptions = {}): Promise<Judged> {
  const settings = makeSettings({ ...build, ...keyed }),
    { runtime } = settings,
    scoreboard = new Scoreboard(settings.config, runtime),
    random = new Random(seed);
  const slowPath = { observer: scoreboard };
  return withNode("judged keys", settings, { seed, wave: false, slowPath, frames: "plain", ...o }, async node => {
    const { bench } = node,
      entering: SentFrame[] = [],
      counts = new Map<number, number>();
    let replied: Uint8Array | undefined;
    bench.onEdge({
      sample: () => {
        for (let e = entering[0]; e?.end !== undefined; e = entering[0]) {
          entering.shift();
          scoreboard.issue(e.bytes, e.end);
        }
        for (let f = node.take(); f !== undefined; f = node.take()) {
          scoreboard.reply(f.bytes, f.end);
          replied = f.bytes;
          const code = dissect(f.bytes).clio?.status ?? -1;
          counts.set(code, (counts.get(code) ?? 0) + 1);
        }
      },
    });
    const send = (message: Uint8Array, port = runtime.nativePort): void => {
      entering.push(node.send(udpFrame(clientEndpoint(0), { mac: runtime.mac, ip: runtime.ip, port }, message)));
    };
    const create = async (port?: number): Promise<{ readonly pid: number; readonly key: bigint | undefined }> => {
      replied = undefined;
      send(clioMessage({ opcode: opcode.CREATE_PROC }, new Uint8Array(64)), port);
      await bench.until(() => replied !== undefined);
      const { body } = dissect(replied!),
        behind = createProcReplyBody.bytes;
      return {
        pid: decode(createProcReplyBody, body!).newPid,
        key: body!.length > behind ? decode(keyTrailer, body!, behind).key : undefined,
      };
    };
    const processes = [await create(), await create(), await create(runtime.clientPort)];
    // The published client knows of no keys.
    expect(processes.map(p => p.key === undefined)).toEqual([false, false, true]);
    const { pageSize } = node.config;
    for (const { pid } of processes)
      await node.slowPath.memory.allocate({
        pid,
        address: BigInt(pageSize),
        length: BigInt(pageSize),
        vregion: 0n,
        write: true,
      });
    for (let i = 0; i < 600; i++) {
      const { pid, key = 0n } = random.pick(processes),
        code = random.pick([opcode.READ, opcode.WRITE, opcode.PINGPONG, opcode.ATOMIC_FAA]),
        // Words of their own: a WRITE at the same time is not ordered against an atomic (rules.md, section 6).
        words = code === opcode.ATOMIC_FAA ? 4096 : 0,
        va = BigInt(pageSize) + BigInt(words + 8 * random.below(64)),
        length = random.pick([1, 8, 40, 64, 500]),
        data = random.bytes(code === opcode.WRITE ? length : code === opcode.ATOMIC_FAA ? 8 : 0);
      const message = clioMessage(
        { pid, opcode: code, seqId: i & 255, tag: i >> 8, requestId: i },
        encode(accessBody, { va, length: code === opcode.ATOMIC_FAA ? 8 : length }),
        data,
      );
      const trailer = encode(keyTrailer, {
        key: random.chance(0.7) ? key : random.chance() ? key ^ (1n << BigInt(random.below(64))) : random.bits(64),
      });
      send(
        random.chance(0.85) ? concat(message, trailer) : message,
        random.chance(0.7) ? runtime.nativePort : runtime.clientPort,
      );
      if (i % 40 === 39) await bench.until(() => entering.length === 0 && scoreboard.outstanding === 0);
    }
    await bench.until(() => entering.length === 0 && scoreboard.outstanding === 0);
    await node.settled();
    scoreboard.quiesce(bench.cycle);
    return {
      problems: scoreboard.finish(),
      ok: counts.get(status.OK) ?? 0,
      invalid: counts.get(status.INVALID) ?? 0,
    };
  });
}

describe("frames with right, wrong and missing keys, all judged by the model", () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["the default build", {}],
    ["beats of 64 bits, Go-Back-N", { dataWidth: 64, transport: "gbn", gbnSessions: 16 }],
  ])("%s", async (_what, build) => {
    const r = await judged(build, 5);
    expect(r.problems).toEqual([]);
    expect(Math.min(r.ok, r.invalid)).toBeGreaterThan(100);
  });
  it.each([
    ["keys of no process are looked at", "| wrong_key;", ";"],
    ["the key's upper half is not written", /key_order_key = [^;]*;/, "key_order_key = {32'd0, process_key_low_kept};"],
  ])("planted fault: %s", async (_what, from, to) => {
    const design = plant(clioNode(makeSettings(keyed).config), from, to);
    const r = await judged({}, 5, { design });
    expect(r.problems.length).toBeGreaterThan(0);
  });
});
