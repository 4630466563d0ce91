/** Whether a peer is there: its times from both sides, its numbers, its lies. */
import { describe, expect, it } from "vitest";
import { decode, encode, type FieldSet, type Layout } from "../../../../../designs/shared/wire/index.ts";
import {
  chainDigest,
  Neighbour,
  pairKey,
  peersFor,
  PeerSoftware,
} from "../../../../../designs/supernic/software/index.ts";
import { loadBody, loadOf, peerFrame } from "../../../../../designs/supernic/software/peers/messages.ts";
import { ctrlOpcode, peerEntryKind, peerHelloBody } from "../../../../../designs/supernic/wire/index.ts";
import { inRack, period } from "./support/modelled-rack.ts";

const own = 5,
  place = { number: 2, name: "b", mac: 0x02_00_00_00_00_02n, ip: 1, port: 1, hops: 1, key: new Uint8Array(32) };
class Heard {
  now = 0;
  sequence = 10;
  readonly n = new Neighbour(place, own, period, () => this.now);
  hello(o: Partial<Record<"boot" | "sequence" | "number" | "regions" | "period" | "blank", number>> = {}): boolean {
    const body = { boot: 7, sequence: ++this.sequence, number: 2, mac: place.mac, regions: 4, period, ...o };
    return this.n.hello(decodeOf(peerHelloBody, body));
  }
  load(
    o: Partial<Record<"boot" | "yourBoot" | "sequence" | "free" | "busiest", number>> = {},
    list: Parameters<typeof loadBody>[1] = [],
  ) {
    return this.n.load(loadOf(loadBody({ boot: 7, yourBoot: own, sequence: ++this.sequence, free: 2, ...o }, list)));
  }
  /** It is there. */
  static there(): Heard {
    const h = new Heard();
    h.hello();
    for (let i = 0; i < 3; i++) h.load();
    return h;
  }
}
const decodeOf = <const F extends FieldSet>(of: Layout<F>, values: object) => decode(of, encode(of, values as never));

describe("a peer", () => {
  it("is silent, then returning, and there with the third LOAD", () => {
    const h = new Heard();
    expect([h.load(), h.n.presence]).toEqual([false, "silent"]);
    h.hello();
    const seen = [1, 2, 3].map(() => [h.load(), h.n.presence]);
    expect(seen).toEqual([
      [true, "returning"],
      [true, "returning"],
      [true, "there"],
    ]);
  });
  it("is there at exactly 5 periods of silence, and gone a nanosecond later, once", () => {
    const h = Heard.there();
    h.now += 5 * period;
    expect([h.n.tick(), h.n.presence]).toEqual([false, "there"]);
    h.now++;
    expect([h.n.tick(), h.n.presence, h.n.said]).toEqual([true, "silent", undefined]);
    expect([h.n.tick(), h.n.counts.gone]).toEqual([false, 1]);
    h.load();
    expect(h.n.presence).toBe("returning");
  });
  it("that is heard each sixth period is never there for long, and gets nothing", () => {
    const h = new Heard();
    h.hello();
    for (let i = 0; i < 40; i++) {
      h.now += period;
      if (i % 6 === 0) h.load();
      h.n.tick();
      expect(h.n.isTrusted).toBe(false);
    }
    expect(h.n.presence).toBe("returning");
  });
  it("HELLO alone does not keep it", () => {
    const h = Heard.there();
    for (let i = 0; i < 6; i++) {
      h.now += period;
      h.hello();
      h.n.tick();
    }
    expect(h.n.presence).toBe("silent");
  });
  it.each([
    ["the same again", (h: Heard) => h.load({ sequence: h.sequence }), "stale"],
    ["an older one", (h: Heard) => h.load({ sequence: 3 }), "stale"],
    ["one for an earlier life of ours", (h: Heard) => h.load({ yourBoot: own - 1 }), "stale"],
    ["one of another life of its", (h: Heard) => h.load({ boot: 8 }), "stale"],
    ["HELLO of an earlier life", (h: Heard) => h.hello({ boot: 6 }), "stale"],
    ["HELLO of another number", (h: Heard) => h.hello({ number: 3 }), "lies"],
    ["HELLO without regions", (h: Heard) => h.hello({ regions: 0 }), "lies"],
    ["HELLO with more than a sNIC has", (h: Heard) => h.hello({ regions: 9 }), "lies"],
    ["HELLO without a period", (h: Heard) => h.hello({ period: 0 }), "lies"],
    ["HELLO with bits that are 0", (h: Heard) => h.hello({ blank: 1 }), "lies"],
    ["more free regions than it has", (h: Heard) => h.load({ free: 5 }), "lies"],
    ["a port of 101 %", (h: Heard) => h.load({ busiest: 101 }), "lies"],
    [
      "instances and free regions are more than all",
      (h: Heard) => h.load({ free: 3 }, [{ kind: peerEntryKind.chain, state: 2, value: 1 }]),
      "lies",
    ],
    [
      "a chain without instances",
      (h: Heard) => h.load({}, [{ kind: peerEntryKind.chain, state: 0, value: 1 }]),
      "lies",
    ],
    ["a guest in no state", (h: Heard) => h.load({}, [{ kind: peerEntryKind.guest, state: 5, uid: 1 }]), "lies"],
    ["an entry of no kind", (h: Heard) => h.load({}, [{ kind: 5 }]), "lies"],
    [
      "two oldest numbers of pages",
      (h: Heard) =>
        h.load(
          {},
          [1, 2].map(value => ({ kind: peerEntryKind.pages, value })),
        ),
      "lies",
    ],
    ["pages in a state", (h: Heard) => h.load({}, [{ kind: peerEntryKind.pages, state: 1, value: 1 }]), "lies"],
    [
      "a guest twice",
      (h: Heard) =>
        h.load(
          {},
          [1, 2].map(value => ({ kind: peerEntryKind.guest, state: 2, uid: 1, value })),
        ),
      "lies",
    ],
    ["a LOAD that is cut short", (h: Heard) => h.n.load(undefined), "lies"],
  ] as const)("%s does not count", (_, says, counted) => {
    const h = Heard.there(),
      before = h.n.said;
    h.now += 1000;
    expect(says(h)).toBe(false);
    expect(h.n.counts).toMatchObject({ stale: 0, lies: 0, loads: 3, restarts: 0, [counted]: 1 });
    expect(h.n.said).toBe(before);
    // It has not been heard either.
    h.now += 5 * period - 999;
    expect(h.n.tick()).toBe(true);
  });
  it("that starts anew loses all that it had, at once", () => {
    const h = Heard.there();
    expect(h.hello({ boot: 8 })).toBe(true);
    expect([h.n.presence, h.n.counts.restarts, h.n.boot]).toEqual(["silent", 1, 8]);
    expect(h.hello({ boot: 8 })).toBe(false);
  });
  it("numbers and boots wrap", () => {
    const h = new Heard();
    h.hello({ boot: 7, sequence: 2 ** 32 - 2 });
    expect(h.load({ sequence: 2 ** 32 - 1 })).toBe(true);
    expect(h.load({ sequence: 0 })).toBe(true);
    expect(h.load({ sequence: 2 ** 32 - 1 })).toBe(false);
  });
  it("says no more than 8 messages a period", () => {
    const h = Heard.there();
    h.n.tick();
    const taken = Array.from({ length: 10 }, () => h.load()).filter(t => t).length;
    expect([taken, h.n.counts.floods]).toEqual([8, 2]);
    h.n.tick();
    expect(h.load()).toBe(true);
  });
  it("that boasts gets nothing for 50 periods after the third refusal", () => {
    const h = Heard.there();
    for (let i = 0; i < 2; i++) h.n.refused();
    expect(h.n.isTrusted).toBe(true);
    h.n.accepted();
    for (let i = 0; i < 3; i++) h.n.refused();
    expect([h.n.isTrusted, h.n.counts.boasts]).toEqual([false, 1]);
    let periods = 0;
    while (!h.n.isTrusted) {
      h.now += period;
      h.load();
      h.n.tick();
      periods++;
    }
    expect(periods).toBe(50);
    // Who says that it is full does not boast.
    h.load({ free: 0 });
    for (let i = 0; i < 9; i++) h.n.refused();
    expect(h.n.isTrusted).toBe(true);
  });
  it("its name for our life is none when nothing has been heard of it for more than 5 periods", () => {
    const h = Heard.there();
    h.now += 5 * period;
    expect(h.n.named).toBe(7);
    h.now++;
    expect(h.n.named).toBe(0);
  });
});

describe("who is asked first", () => {
  const peer = (number: number, hops: number, free: number, chains: readonly number[] = []): Neighbour => {
    const n = new Neighbour({ ...place, number, hops }, own, period, () => 0);
    n.hello(decodeOf(peerHelloBody, { boot: 7, sequence: 1, number, mac: place.mac, regions: 8, period }));
    for (let sequence = 2; sequence < 5; sequence++)
      n.load(
        loadOf(
          loadBody(
            { boot: 7, yourBoot: own, sequence, free },
            chains.map((load, i) => ({ kind: peerEntryKind.chain, state: 1, uid: load, value: i })),
          ),
        ),
      );
    return n;
  };
  const order = (peers: readonly Neighbour[], digests = [0]): number[] =>
    peersFor(peers, digests).map(n => n.place.number);
  it("has all chains with room, then fewer hops, more free regions, the lower number", () => {
    expect(order([peer(1, 2, 1), peer(2, 1, 1), peer(3, 1, 3), peer(4, 1, 3), peer(5, 3, 0, [89])])).toEqual([
      5, 3, 4, 2, 1,
    ]);
  });
  it("a chain at 90 % has no room, and nobody is asked who has none", () => {
    expect(order([peer(1, 1, 0, [90]), peer(2, 2, 1, [90]), peer(4, 1, 0)])).toEqual([2]);
    expect(order([peer(1, 1, 1), peer(2, 1, 2)], [0, 1])).toEqual([2]);
  });
});

it("a rule to a peer at a port of peers is refused: results would go round", () =>
  inRack({ count: 2 }, rack => {
    const { site } = rack.nic(0),
      rule = { name: "there", value: 0n, mask: 0n, action: "peer", port: 0, uid: 0 } as const,
      made = (ports: number) => () =>
        new PeerSoftware(
          { ...site, setup: { ...site.setup, rules: [{ ...rule, ports }] } },
          { peers: [], boot: 1, period, clock: rack.time, send: () => undefined },
        );
    expect(made(0b0011)).toThrow('rule "there" leads to a peer, and counts at a port of peers; leave that port out');
    expect(made(0b0001)).not.toThrow();
    return Promise.resolve();
  }));
describe("nobody else speaks for a peer", () => {
  it("each pair has a key of its own, the same from both ends", () => {
    const rack = new Uint8Array(32).fill(1),
      keys = [
        [0, 1],
        [1, 0],
        [0, 2],
        [1, 2],
      ].map(([a = 0, b = 0]) => Buffer.from(pairKey(rack, a, b)).toString("hex"));
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
    expect(chainDigest(["a", "b"])).not.toBe(chainDigest(["a", "c"]));
  });
  it("a third sNIC's word in its name, at its port or another, is a stranger's; so is a frame from its own port's other side", () =>
    inRack({ count: 3 }, async rack => {
      const [a, b] = [rack.nic(0), rack.nic(1)],
        said = a.neighbour(1).counts;
      const body = encode(peerHelloBody, { boot: 99, sequence: 1, number: 1, mac: b.setup.mac, regions: 2, period });
      const forge = (key: Uint8Array, port: number): void => {
        const to = { ...b.neighbour(0).place, key },
          frame = peerFrame(b.setup, to, { opcode: ctrlOpcode.PEER_HELLO, requestId: 1, body });
        expect(a.peers.receive(frame, port)).toBe("taken");
      };
      // With the key that the third has with us; with the right one, at the third's port.
      forge(rack.nic(2).neighbour(0).place.key, a.portTo(1));
      forge(b.neighbour(0).place.key, a.portTo(2));
      expect([a.peers.counts.strangers, said.restarts]).toEqual([2, 0]);
      forge(b.neighbour(0).place.key, a.portTo(1));
      expect(said.restarts).toBe(1);
      expect(a.peers.receive(new Uint8Array(60), 1)).toBe(undefined);
    }));
  it("a frame that was heard before changes nothing, however often and however late it comes", () =>
    inRack({ count: 2 }, async rack => {
      const a = rack.nic(0),
        kept: Uint8Array[] = [];
      rack.between = (from, _to, frame) => {
        if (from === 1) kept.push(frame);
        return [frame];
      };
      await rack.periods(10);
      const { loads } = a.neighbour(1).counts;
      for (const f of [...kept, ...kept]) a.peers.receive(f, a.portTo(1));
      expect(a.neighbour(1).counts.loads).toBe(loads);
      expect(a.neighbour(1).counts).toMatchObject({ stale: 2 * kept.length, floods: 0, lies: 0 });
      expect(a.neighbour(1).presence).toBe("there");
    }));
  it("a word that is turned in any bit is a stranger's or nobody's", () =>
    inRack({ count: 2 }, async rack => {
      const a = rack.nic(0);
      let frame: Uint8Array | undefined;
      rack.between = (from, _to, f) => {
        if (from === 1) frame ??= f;
        return [f];
      };
      await rack.periods(1);
      if (frame === undefined) throw new Error("the peer says nothing");
      const { loads, stale } = a.neighbour(1).counts;
      let flips = 0;
      for (let bit = 8 * 42; bit < 8 * frame.length; bit += 5) {
        const turned = frame.slice();
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        flips++;
        a.peers.receive(turned, a.portTo(1));
      }
      expect([a.neighbour(1).counts.loads, a.neighbour(1).counts.stale]).toEqual([loads, stale]);
      expect(a.peers.counts.strangers).toBe(flips);
    }));
});
