/**
 * Every sequence of so many frames into a reduced node, end to end: bounded, by running all of them. No frame makes the
 * node answer twice, do an operation twice, write outside its process's page, or lose a slot.
 *
 * The letters stand for the kinds of frames that meet different rules. Those of a sequence come back to back, so that
 * they are in the node together. MNEMO_DEPTH asks for longer sequences than the 2 frames of the default.
 */
import { describe, expect, it } from "vitest";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clientEndpoint } from "../../../../../designs/clio/workload/index.ts";
import { type SimulatedNode, withNode } from "../../../../../designs/clio/rig/index.ts";
import { axiPorts } from "../../../../../sim/index.ts";
import * as p from "../../../../support/packets.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

onlyHangsEnd();

const depth = Number(process.env["MNEMO_DEPTH"] ?? 2);
const settings = makeSettings({
    dataWidth: 64,
    pageSize: 4096,
    physicalMemory: "4MB",
    freePageBuffer: 4,
    requestSlots: 8,
    outstandingMisses: 2,
    tlbEntries: 16,
    syncLanes: 1,
    fences: 1,
    retryClients: 4,
  }),
  { config, runtime } = settings,
  { opcode } = p,
  page = BigInt(config.pageSize);
const [own, other, nobody] = [1, 2, 3],
  at = 16n * page,
  elsewhere = 20n * page,
  word = at + 64n,
  pointer = at + 128n;

interface Sent {
  readonly bytes: Uint8Array;
  readonly damaged?: true;
  /** Replies that it must have; fewer only where it says so. */
  readonly replies: number;
  readonly atLeast?: number;
}

/** Builds the frames of one client, and knows what has been asked for. */
class Sender {
  #id = 0;
  /** The last addition, and the number of its first request. */
  #addition: Uint8Array | undefined;
  #first = 0;

  #frame(
    code: number,
    pid: number,
    flags: Partial<p.Values<(typeof p.clioHeader)["fields"]>>,
    ...body: readonly Uint8Array[]
  ): Uint8Array {
    const to = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort },
      header = { pid, opcode: code, flagTracked: 1, requestId: ++this.#id, ...flags };
    return p.udpFrame(clientEndpoint(0), to, p.clioMessage(header, ...body));
  }
  #write(pid: number, va: bigint, code: number = opcode.WRITE): Uint8Array {
    return this.#frame(code, pid, {}, p.encode(p.accessBody, { va, length: 16 }), new Uint8Array(16).fill(this.#id));
  }
  #faa(flags: object = {}): Uint8Array {
    return this.#frame(opcode.ATOMIC_FAA, own, flags, p.encode(p.faaBody, { va: word, length: 8, addend: 1n }));
  }

  readonly letters: Readonly<Record<string, () => Sent>> = {
    "write in the page": () => ({ bytes: this.#write(own, at + 1000n), replies: 1 }),
    "write over its end": () => ({ bytes: this.#write(own, at + page - 8n), replies: 1 }),
    "write to another's page": () => ({ bytes: this.#write(own, elsewhere), replies: 1 }),
    "write of nobody": () => ({ bytes: this.#write(nobody, at), replies: 1 }),
    "write without a reply": () => ({ bytes: this.#write(own, at + 2000n, opcode.WRITE_NOREPLY), replies: 0 }),
    "write through a pointer that leads out": () => ({
      bytes: this.#frame(
        opcode.DEREF_WRITE,
        own,
        {},
        p.encode(p.accessBody, { va: pointer, length: 8 }),
        new Uint8Array(8),
      ),
      replies: 1,
    }),
    read: () => ({
      bytes: this.#frame(opcode.READ, own, {}, p.encode(p.accessBody, { va: at, length: 64 })),
      replies: 1,
    }),
    addition: () => {
      this.#addition = this.#faa();
      this.#first = this.#id;
      return { bytes: this.#addition, replies: 1 };
    },
    "the same addition, doubled on the way": () => ({ bytes: this.#addition ?? this.#faa(), replies: 1 }),
    "the addition once more": () => ({ bytes: this.#faa({ flagRetry: 1, retryOf: this.#first }), replies: 1 }),
    fence: () => ({ bytes: this.#frame(opcode.FENCE, own, {}), replies: 1 }),
    "damaged on the way": () => ({ bytes: this.#write(own, at), damaged: true, replies: 1, atLeast: 0 }),
    "a size that the frame does not have": () => ({
      bytes: this.#frame(opcode.READ, own, { size: 600 }, p.encode(p.accessBody, { va: at, length: 8 })),
      replies: 1,
      atLeast: 0,
    }),
    "a reply": () => ({
      bytes: this.#frame(p.replyCode(opcode.WRITE), own, {}, p.encode(p.accessBody, {})),
      replies: 0,
    }),
  };
}

/** A page of the client's process, one of another process, and a pointer from the one into the other. */
async function memory(node: SimulatedNode): Promise<number> {
  const { memory: m } = node.slowPath;
  for (const [pid, address] of [
    [own, at],
    [other, elsewhere],
  ] as const) {
    m.createProcess(pid);
    const given = await m.allocate({ pid, address, length: page, vregion: 0n, write: true, populate: true });
    expect(given.ok).toBe(true);
  }
  const frame = (await m.translate(own, at))!,
    bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, elsewhere, true);
  node.ram.write(frame + Number(pointer - at), bytes);
  return frame;
}

async function everySequence(node: SimulatedNode, length: number): Promise<number> {
  const { bench } = node,
    frame = await memory(node),
    sender = new Sender(),
    names = Object.keys(sender.letters),
    outside: string[] = [];
  // Writes of data: the page table's have their own IDs (access-guard.ts).
  const { aw } = axiPorts(bench.io, "mem");
  let story = "";
  bench.onEdge({
    sample: cycle => {
      if (aw.valid.value === 0 || aw.ready.value === 0) return;
      const id = Number(aw.payload.id.value),
        from = Number(aw.payload.addr.value),
        end = from + (Number(aw.payload.len.value) + 1) * (config.dataWidth / 8);
      if (id >= 1 && id <= config.outstandingMisses) return;
      if (from < frame || end > frame + config.pageSize)
        outside.push(`${story}: at ${cycle} a write to 0x${from.toString(16)}`);
    },
  });
  let sequences = 0,
    added = 0n;
  const operations = new Map<number, number>();
  for (let n = 0; n < names.length ** length; n++, sequences++) {
    const letters = Array.from({ length }, (_, i) => names[Math.floor(n / names.length ** i) % names.length]!);
    story = letters.join("; ");
    const due = new Map<number, { most: number; least: number }>();
    for (const letter of letters) {
      const { bytes, damaged, replies, atLeast = replies } = sender.letters[letter]!(),
        clio = p.dissect(bytes).clio!,
        before = due.get(clio.requestId) ?? { most: 0, least: 0 };
      due.set(clio.requestId, { most: before.most + replies, least: before.least + atLeast });
      if (clio.opcode === opcode.ATOMIC_FAA)
        operations.set(clio.requestId, clio.flagRetry ? clio.retryOf : clio.requestId);
      node.send(bytes, damaged ? { damaged } : {});
    }
    for (let i = 0; i < 3000 && !node.idle; i++) await bench.cycles(1);
    await bench.cycles(24);
    // No slot in use, nothing on the way, memory idle.
    expect(node.idle, `${story}: something is left`).toBe(true);
    const done = new Set<number>();
    for (let f = node.take(); f; f = node.take()) {
      const { clio } = p.dissect(f.bytes),
        open = due.get(clio!.requestId);
      expect(open?.most ?? 0, `${story}: answered once more`).toBeGreaterThan(0);
      open!.most--;
      open!.least--;
      const operation = operations.get(clio!.requestId);
      if (clio!.status === p.status.OK && operation !== undefined) done.add(operation);
    }
    expect(Math.max(0, ...[...due.values()].map(d => d.least)), `${story}: unanswered`).toBe(0);
    expect(outside, "outside of the page").toEqual([]);
    for (const operation of done) if (operation > lastDone) added++;
    lastDone = Math.max(lastDone, ...done);
    const now = node.ram.read(frame + Number(word - at), 8),
      stands = new DataView(now.buffer, now.byteOffset).getBigUint64(0, true);
    expect(stands, `${story}: additions done`).toBe(added);
  }
  return sequences;
}
/** The newest addition that has been answered: numbers rise. */
let lastDone = 0;

const o = { seed: 1, wave: false, hangCycles: 8000, limitCycles: 200_000_000 };
const run = (length: number, plants?: readonly [RegExp | string, string]): Promise<number> => {
  lastDone = 0;
  const design = plants && { design: plant(clioNode(config), ...plants) };
  return withNode("every sequence", settings, { ...o, ...design }, node => everySequence(node, length));
};

describe(`every sequence of ${depth} frames`, () => {
  it("no frame is answered twice, nothing is done twice, written outside or lost", async () => {
    console.log(`${await run(depth)} sequences of ${depth} frames`);
  });
  const faults: readonly (readonly [string, RegExp | string, string, RegExp])[] = [
    // The node's own assertions may say it first.
    [
      "what is not to be answered is answered",
      /(?<=assign reply_valid = ending_valid) & ~ending_payload_silent/,
      "",
      /answered once more|stopped/,
    ],
    [
      "a request without a reply keeps its slot",
      /(?<=assign release_valid = told_valid) & told_silent/,
      " & 1'b0",
      /something is left/,
    ],
    ["what is remembered is not found", /wire hit = [^;]*;/, "wire hit = 1'b0;", /additions done|answered|stopped/],
    [
      "data are written a page further",
      "& data_aw_payload_addr)",
      "& (data_aw_payload_addr ^ 22'h1000))",
      /outside of the page/,
    ],
  ];
  for (const [name, from, to, why] of faults)
    it(`a planted fault is found: ${name}`, () => findsFault(run(2, [from, to]), why));
});
