import { describe, expect, it } from "vitest";
import { accessBody, dissect, opcode, statusName } from "../../../../designs/clio/wire/index.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import {
  clientEndpoint,
  demoCapture,
  FrameClient,
  malformedFrames,
  Mixture,
  mutations,
} from "../../../../designs/clio/workload/index.ts";
import { MappedMemory, ReferenceNode, Scoreboard } from "../../../../designs/clio/model/index.ts";
import { modelNode } from "../software/model-node.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

describe("the demonstration", () => {
  for (const given of [
    {},
    { pageSize: "4KB" },
    { pageSize: "1GB", physicalMemory: "8GB" },
    { mtuFrame: 9018, ip: "10.77.0.2", mac: "02:00:00:00:00:02", nativePort: 4000 },
  ]) {
    it(`does what it says on ${JSON.stringify(given)}`, async () => {
      const n = await modelNode(given);
      for (const { frame, title, expect: expected } of demoCapture(makeSettings(given))) {
        const { outcome, reply } = await n.receive(frame),
          d = reply && dissect(reply);
        const got = !d ? "none" : d.arp ? "ARP" : d.icmp ? "ICMP echo" : statusName(d.clio?.status ?? -1);
        expect(got, title).toBe(expected);
        if (title === "read it" && d?.clio?.opcode === 0x41)
          expect(Buffer.from(d.body?.slice(accessBody.bytes) ?? []).toString()).toBe("hello!");
        if (title.startsWith("dropped")) expect(outcome.kind).toBe("drop");
      }
      expect(n.hardware.complaints).toEqual([]);
      await n.close();
    });
  }
  it("has rising times on clock edges", () => {
    const times = demoCapture().map(f => f.time);
    expect(times.every((t, i) => t % 4 === 0 && (i === 0 || t > (times[i - 1] ?? 0)))).toBe(true);
  });
});

/** Everything but the slow path, filled with a mixture's territories. */
function mixedNode(settings: ReturnType<typeof makeSettings>, mixture: Mixture) {
  const memory = new MappedMemory(),
    board = new Scoreboard(settings.config, settings.runtime),
    node = new ReferenceNode(settings.config, settings.runtime, memory);
  const page = BigInt(settings.config.pageSize);
  for (const t of mixture.territories)
    for (let i = 0; i < t.pages; i++)
      for (const m of [memory, board]) m.map(t.pid, t.start / page + BigInt(i), { read: true, write: t.write });
  // The clients are known before their requests come in any order.
  for (const [i, f] of mixture.hello().entries()) {
    board.issue(f, i - 100);
    const o = node.receive(f);
    if (o.kind === "reply") board.reply(o.frame, i - 50);
  }
  return { board, node };
}

describe("random requests", () => {
  it("set themselves up, and then nearly all of them succeed", async () => {
    const settings = makeSettings(),
      mixture = new Mixture(settings, { seed: 1 }),
      n = await modelNode();
    for (const f of mixture.setup()) expect(dissect((await n.receive(f)).reply ?? f).clio?.status).toBe(0);
    const statuses = new Map<string, number>(),
      sizes: number[] = [];
    for (let i = 0; i < 1000; i++) {
      const f = mixture.next(),
        { reply } = await n.receive(f),
        name = reply ? statusName(dissect(reply).clio?.status ?? 0) : "none";
      statuses.set(name, (statuses.get(name) ?? 0) + 1);
      sizes.push(f.length);
    }
    expect([...statuses.keys()].sort()).toEqual(["INVALID", "OK", "WRITE_PERM", "none"]);
    expect(statuses.get("OK")).toBeGreaterThan(850);
    expect(Math.max(...sizes)).toBe(1536);
    expect(n.node.counters.pageFaults).toBeGreaterThan(90);
    await n.close();
  });
  it("are the same for the same seed", () => {
    const run = (seed: number): string => {
      const m = new Mixture(makeSettings(), { seed });
      return Buffer.concat(Array.from({ length: 50 }, () => m.next())).toString("hex");
    };
    expect(run(5)).toBe(run(5));
    expect(run(5)).not.toBe(run(6));
  });
  for (const [pageSize, depth] of [
    ["4KB", 1],
    ["4KB", 32],
    ["4MB", 32],
  ] as const) {
    it(`judged with ${depth} in flight on pages of ${pageSize}, done in any order: no complaint; with a write lost now and then: complaints`, () => {
      for (const lossy of [false, true]) {
        const settings = makeSettings({ pageSize }),
          mixture = new Mixture(settings, { seed: 7, pages: 4, hotBytes: 256 }),
          { board, node } = mixedNode(settings, mixture),
          r = new Random(8);
        const flying: { frame: Uint8Array; reply: Uint8Array | undefined }[] = [];
        let time = 0;
        /** Let one of the requests in flight get done, or its reply out: each is done at a moment of its own choice. */
        const step = (lose: boolean): void => {
          const at = r.below(flying.length),
            chosen = flying[at];
          if (!chosen) return;
          if (chosen.reply) {
            board.reply(chosen.reply, ++time);
            flying.splice(at, 1);
            return;
          }
          // A node that says that it has written, and has not.
          const doer =
              lose && dissect(chosen.frame).clio?.opcode === opcode.WRITE ? mixedNode(settings, mixture).node : node,
            o = doer.receive(chosen.frame);
          if (o.kind === "reply") chosen.reply = o.frame;
          else flying.splice(at, 1);
        };
        for (let i = 0; i < 2000; i++) {
          const frame = mixture.next();
          board.issue(frame, ++time);
          flying.push({ frame, reply: undefined });
          while (flying.length >= depth) step(lossy && i % 50 === 3);
          if (i % 200 === 199) {
            while (flying.length > 0) step(false);
            board.quiesce(++time);
          }
        }
        if (lossy) expect(board.problems.length).toBeGreaterThan(0);
        else {
          expect(board.problems).toEqual([]);
          expect(board.checkedBytes).toBeGreaterThan(200_000);
        }
      }
    });
  }
});

describe("malformed frames", () => {
  it("10,000 of them: every kind, every reason to drop, each with one end; the next good frame is served", () => {
    const settings = makeSettings(),
      { config, runtime } = settings,
      memory = new MappedMemory(),
      node = new ReferenceNode(config, runtime, memory);
    memory.map(1, 16n, { read: true, write: true });
    const client = new FrameClient(clientEndpoint(1), runtime),
      frames = malformedFrames(settings, 1),
      seen = new Set<string>();
    const ends = { reply: 0, drop: 0, silent: 0, forward: 0 };
    for (let i = 0; i < 10_000; i++) {
      const { frame, fcsBad, mutation } = frames.next().value;
      expect(frame.length).toBeGreaterThan(0);
      seen.add(mutation);
      ends[node.receive(frame, fcsBad).kind]++;
      if (i % 10 === 0) {
        const good = node.receive(client.write(1, 16n * BigInt(config.pageSize), Uint8Array.of(i & 0xff)));
        expect(good).toMatchObject({ kind: "reply", why: "OK" });
      }
    }
    expect([...seen].sort()).toEqual([...mutations].sort());
    const c = node.counters,
      drops = Object.entries(c).filter(([name]) => name.startsWith("drop"));
    // A rule of the match-and-action table can drop as well; the default table has none.
    for (const [name, count] of drops.filter(([name]) => name !== "dropRule")) expect(count, name).toBeGreaterThan(0);
    expect(drops.reduce((s, [, v]) => s + v, 0)).toBe(ends.drop);
    for (const name of [
      "nacks",
      "malformed",
      "invalid",
      "unanswered",
      "pingpongs",
      "arpReplies",
      "icmpReplies",
      "extendRequests",
    ] as const)
      expect(c[name], name).toBeGreaterThan(10);
    expect(c.txFrames).toBe(ends.reply + 1000);
    expect(ends.forward).toBe(c.slowRequests + c.extendRequests);
    expect(Object.values(ends).reduce((a, b) => a + b)).toBe(10_000);
  });
});
