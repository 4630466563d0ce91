import { describe, expect, it, vi } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { Admission } from "../../../../../designs/clio/rig/serve/admission.ts";
import * as p from "../../../../support/packets.ts";

const { config, runtime } = makeSettings(),
  { opcode, status } = p,
  node = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
const empty = new Uint8Array();

interface Ask {
  readonly from: number;
  readonly id: number;
  readonly opcode?: number;
  readonly flagTracked?: number;
  readonly flagRetry?: number;
}
const request = ({ from, id, ...o }: Ask): Uint8Array =>
  p.udpFrame(
    { mac: 0x02n, ip: 0x0a000100 + from, port: 7000 },
    node,
    p.clioMessage({ opcode: opcode.WRITE, pid: 1, flagTracked: 1, requestId: id, ...o }, empty),
  );
/** A node that is full but for those in `known`, with the place where newcomers wait in front of it. */
class Full {
  readonly door = new Admission(config, runtime.nativePort);
  readonly known = new Set<number>();
  /** What clients have been told, and what has come into the node. */
  readonly told: { readonly from: number; readonly busy: boolean }[] = [];
  readonly inside: Uint8Array[] = [];
  cycle = 0;

  /** @returns what becomes of the frame at the door */
  send(ask: Ask): "in" | "later" | "lost" {
    const frame = request(ask),
      goes = this.door.enters(frame);
    if (goes === "in") this.#serve(frame);
    return goes;
  }
  run(cycles: number): void {
    for (const end = this.cycle + cycles; this.cycle < end; this.cycle++)
      for (const frame of this.door.due(this.cycle)) this.#serve(frame);
  }
  #serve(frame: Uint8Array): void {
    this.inside.push(frame);
    const { ethernet, ipv4, udp, clio } = p.dissect(frame);
    if (!ethernet || !ipv4 || !udp || !clio) throw new Error("no request");
    const from = ipv4.src & 255,
      busy = !this.known.has(from),
      reply = p.replyFrame(node, { ethernet, ipv4, udp, clio, native: true }, clio.opcode, busy ? status.BUSY : 0);
    if (!this.door.keeps(reply, busy, this.cycle)) this.told.push({ from, busy });
  }
}
/** Three that are known; the first of them was admitted first. */
function full(): Full {
  const f = new Full();
  for (const from of [1, 2, 3]) {
    f.known.add(from);
    f.send({ from, id: 1 });
  }
  f.told.length = 0;
  return f;
}
const hold = 4 * config.retryCycles + 2 * config.retryClients + 16 * (config.retryEntries / 4);

/** A newcomer comes to a full node, and the client that was admitted first gives way and comes back. */
function takesTurns(f: Full): void {
  f.send({ from: 9, id: 5 });
  expect([f.told, f.door.waits]).toEqual([[], true]);
  f.run(1);
  expect([f.send({ from: 1, id: 2 }), f.send({ from: 2, id: 2 })]).toEqual(["later", "in"]);
  f.run(2000);
  f.known.delete(1);
  f.known.add(9);
  f.run(600);
  // The newcomer is in, and the one that was held back asks for its place in turn.
  expect(f.told).toEqual([
    { from: 2, busy: false },
    { from: 9, busy: false },
  ]);
  expect(f.send({ from: 2, id: 3 })).toBe("later");
  f.known.add(1);
  f.run(600);
  expect(f.told.map(t => [t.from, t.busy])).toContainEqual([1, false]);
  f.run(hold);
  expect([f.door.waits, f.told.filter(t => t.from === 2).length]).toEqual([false, 2]);
}

describe("newcomers of a served node whose places are taken", () => {
  it("wait, while the client that was admitted first is held back; then that client goes on", () => {
    takesTurns(full());
  });
  it("are asked again every 256 cycles, and the next one is held back when the first was no help", () => {
    const f = full();
    f.send({ from: 9, id: 5 });
    const before = f.inside.length;
    f.run(2561);
    expect(f.inside.length - before).toBe(10);
    expect([f.send({ from: 1, id: 2 }), f.send({ from: 2, id: 1 })]).toEqual(["later", "in"]);
    f.run(hold);
    expect([f.send({ from: 1, id: 3 }), f.send({ from: 2, id: 2 })]).toEqual(["in", "later"]);
  });
  it("do not wait for clients that have come and gone, however many", () => {
    const f = full();
    for (let from = 10; from < 90; from++) {
      f.known.add(from);
      f.send({ from, id: 1 });
    }
    f.run(hold);
    // One of those that were admitted last goes on; the others have been silent for long.
    f.send({ from: 89, id: 2 });
    f.send({ from: 9, id: 5 });
    f.run(1);
    expect([f.send({ from: 88, id: 2 }), f.send({ from: 89, id: 3 })]).toEqual(["in", "later"]);
  });
  it("are told BUSY after a pause of the whole process too, however long", () => {
    const f = full(),
      now = vi.spyOn(performance, "now");
    try {
      now.mockReturnValue(1000);
      f.send({ from: 9, id: 5 });
      f.run(10);
      now.mockReturnValue(10_000);
      f.run(600);
      expect([f.told, f.door.waits]).toEqual([[{ from: 9, busy: true }], true]);
    } finally {
      now.mockRestore();
    }
  });
  it("are 64 at most, of whom each is told BUSY in the end; 64 frames of one are held, more are lost", () => {
    const f = full();
    for (let i = 0; i < 64; i++) f.send({ from: 100 + i, id: 5 });
    expect(f.told).toEqual([]);
    f.send({ from: 99, id: 5 });
    expect(f.told).toEqual([{ from: 99, busy: true }]);
    f.run(1);
    const fates = Array.from({ length: 65 }, (_, i) => f.send({ from: 1, id: 2 + i }));
    expect([fates.filter(x => x === "later").length, fates.at(-1)]).toEqual([64, "lost"]);
  });
  it("do not wait with repetitions, untracked requests and those of the slow path: BUSY goes out", () => {
    const f = full();
    f.send({ from: 9, id: 5, flagRetry: 1 });
    f.send({ from: 9, id: 6, flagTracked: 0 });
    f.send({ from: 9, id: 7, opcode: opcode.ALLOC });
    expect([f.told.length, f.door.waits]).toEqual([3, false]);
  });
  it("planted faults are found: nobody is held back, or what was held back is lost", () => {
    const open = full();
    open.door.enters = () => "in";
    expect(() => {
      takesTurns(open);
    }).toThrow();
    const losing = full();
    losing.door.due = () => [];
    expect(() => {
      takesTurns(losing);
    }).toThrow();
  });
});
