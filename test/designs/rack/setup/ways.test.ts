/** Ways between peers that cannot be: each is told in one sentence, and what is accepted closes no circle. */
import { describe, expect, it } from "vitest";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { Random } from "../../../../sim/index.ts";
import { before, fewest, next, notThroughTheFirst, ring, ringText, type Way } from "../rig/peers/ring.ts";

const onward: Way = (from, to, count) => ({ port: next, hops: (to - from + count) % count });

describe("a way between peers", () => {
  it("of a ring of four has the fewest links", () => {
    const { devices } = ring(4, fewest);
    expect(devices.map(d => d.setup.peers.map(p => `${p.name} ${p.port} ${p.hops}`))).toEqual([
      ["snic1 2 1", "snic2 2 2", "snic3 3 1"],
      ["snic0 3 1", "snic2 2 1", "snic3 2 2"],
      ["snic0 3 2", "snic1 3 1", "snic3 2 1"],
      ["snic0 2 1", "snic1 3 2", "snic2 3 1"],
    ]);
    // What is behind a peer has its way: results take the links of redirects.
    for (const d of devices)
      for (const s of d.setup.stations.filter(x => !/\D0\d?$/.test(x.name)))
        expect(d.setup.peers.find(p => p.name === `snic${s.name.at(-1) ?? ""}`)?.port ?? s.port).toBe(s.port);
  });
  it.each<readonly [string, number, Way, string]>([
    [
      "another number of links",
      4,
      (a, b, n) => ({ ...fewest(a, b, n), hops: 1 }),
      "ring: devices[0].setup.peers[1].hops = 1: the way to snic2 by port 2 has 2 links; say so, or name another port",
    ],
    [
      "another way back",
      4,
      (a, b, n) => (Math.abs(a - b) === 2 ? onward(a, b, n) : fewest(a, b, n)),
      "ring: devices[0].setup.peers[1].port = 2: snic2 has another way back to snic0, and takes what comes by this one for a stranger's; name the same way at both",
    ],
    [
      "there and back for ever",
      4,
      (a, b, n) =>
        a === 0 && b === 2 ? { port: next, hops: 2 } : a === 1 && b === 2 ? { port: before, hops: 2 } : fewest(a, b, n),
      "ring: devices[0].setup.peers[1].port = 2: the way to snic2 comes to snic0 again and again; name a port that leads nearer to it",
    ],
    [
      "a circle of waits",
      6,
      fewest,
      "ring: devices: the ways of peers close a circle over snic0:2, snic1:2, snic2:2, snic3:2, snic4:2, snic5:2, in which frames could wait for each other for ever; lead one of them the other way round",
    ],
  ])("%s", (_, count, way, text) => {
    expect(() => ring(count, way)).toThrow(text);
  });
  it("over one that does not know the peer", () => {
    const file = JSON.parse(ringText(4, fewest)) as { devices: { setup: { peers: unknown[]; dags: unknown[] } }[] },
      between = file.devices[1]?.setup;
    between?.peers.splice(1, 1);
    expect(() => readRack(JSON.stringify(file), "ring")).toThrow(
      "ring: devices[0].setup.peers[1].port = 2: the way to snic2 comes to snic1, which has no such peer; add it there, or name another port",
    );
  });
});

/** Whether ports that wait for others can be taken away one after the other, those first that wait for none. */
function ends(count: number, way: Way): boolean {
  const waits = new Map<string, Set<string>>();
  for (let a = 0; a < count; a++)
    for (let b = 0; b < count; b++) {
      if (a === b) continue;
      const step = way(a, b, count).port === next ? 1 : count - 1;
      for (let at = a; at !== b; at = (at + step) % count) {
        const port = `${at} ${step}`,
          then = (at + step) % count;
        waits.set(port, waits.get(port) ?? new Set());
        if (then !== b) waits.get(port)?.add(`${then} ${step}`);
      }
    }
  for (let left = -1; left !== waits.size;) {
    left = waits.size;
    for (const [port, of] of waits) if ([...of].every(p => !waits.has(p))) waits.delete(port);
  }
  return waits.size === 0;
}
describe("random ways round rings", () => {
  it("are refused if, and only if, ports of theirs could wait for each other for ever", () => {
    const random = new Random(5),
      seen = { refused: 0, accepted: 0 };
    for (let i = 0; i < 200; i++) {
      const count = random.between(3, 7),
        usual = random.chance(0.5) ? notThroughTheFirst : fewest,
        // Every pair goes round one way, and comes back by it.
        turned = new Set<string>();
      for (let a = 0; a < count; a++)
        for (let b = a + 1; b < count; b++) if (random.chance(0.12)) turned.add(`${a} ${b}`);
      const way: Way = (a, b, n) => {
        const { port, hops } = usual(a, b, n);
        if (!turned.has(`${Math.min(a, b)} ${Math.max(a, b)}`)) return { port, hops };
        return { port: port === next ? before : next, hops: n - hops };
      };
      const read = (): unknown => ring(count, way),
        // A way goes where those in between lead it: only if they agree is it what is meant.
        agrees = (a: number, b: number): boolean => {
          const { port } = way(a, b, count),
            then = (a + (port === next ? 1 : count - 1)) % count;
          return then === b || (way(then, b, count).port === port && agrees(then, b));
        };
      const all = Array.from({ length: count }, (_, n) => n);
      if (!all.every(a => all.every(b => a === b || agrees(a, b)))) {
        expect(read).toThrow();
        continue;
      }
      if (ends(count, way)) {
        expect(read).not.toThrow();
        seen.accepted++;
      } else {
        expect(read).toThrow("close a circle");
        seen.refused++;
      }
    }
    expect(Math.min(seen.refused, seen.accepted)).toBeGreaterThan(5);
  });
});
