/** A switch between hosts and a sNIC that pauses: what it keeps, whom it pauses, and what it drops. */
import { describe, expect, it } from "vitest";
import { mostHeld, pauseFrom, RackSwitch, resumeAt } from "../../../../../designs/rack/rig/fabric/index.ts";
import { encode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import { pfcFrame, readPfc } from "../../../../../designs/supernic/wire/index.ts";
import { SimulatedTime } from "../../../../../sim/index.ts";
import { faulty } from "./support/faulty.ts";

const mac = (n: number): bigint => 0x02_00_00_00_00_10n + BigInt(n),
  /** Ports: two hosts, the sNIC, another sNIC that sends through. */
  snic = 2,
  other = 3,
  bytes = 1024,
  gbps = 100,
  switchNs = 500,
  step = 4;
/** A frame to the sNIC, or back to a host. The byte behind the addresses says which classes it may have. */
function frameTo(port: number, classes: number, number: number): Uint8Array {
  const frame = new Uint8Array(bytes);
  frame.set(encode(ethernetHeader, { dst: mac(port), src: 0x02_00_00_00_00_01n, etherType: 0x0800 }));
  frame[20] = classes;
  new DataView(frame.buffer).setUint32(24, number);
  return frame;
}
const numberOf = (f: Uint8Array): number => new DataView(f.buffer, f.byteOffset).getUint32(24);
interface Pause {
  readonly at: number;
  readonly times: Readonly<Record<number, number>>;
}

/** A switch, and what it sends at each port. */
class Rig {
  now = 0;
  readonly time = new SimulatedTime(() => this.now);
  readonly tor: RackSwitch;
  readonly frames: number[][] = [[], [], [], []];
  readonly pauses: Pause[][] = [[], [], [], []];
  readonly #free = [0, 0, 0, 0];

  constructor(Switch: typeof RackSwitch) {
    this.tor = new Switch(
      {
        ...{ name: "tor", ports: 4, latencyNs: switchNs, blocked: new Set<number>() },
        table: new Map([0, 1, 2].map(n => [mac(n), n])),
        classesOf: new Map([[snic, f => f[20] ?? 0]]),
        hosts: new Set([0, 1]),
      },
      this.time,
    );
    for (const [port, jack] of this.tor.jacks.entries())
      jack.plug(
        f => {
          this.#free[port] = Math.max(this.now, this.#free[port] ?? 0) + ((f.length + 24) * 8) / gbps;
          if (f[12] === 0x88 && f[13] === 0x08) this.pauses[port]?.push({ at: this.now, times: readPfc(f) });
          else this.frames[port]?.push(numberOf(f));
        },
        { gbps, freeAt: () => this.#free[port] ?? 0 },
      );
  }
  /** A frame comes in, from a host or a sNIC. */
  send(port: number, frame: Uint8Array): void {
    this.tor.jacks[port]?.arrive(frame, false);
  }
  says(times: Readonly<Record<number, number>>, port = snic): void {
    this.send(port, pfcFrame(mac(port), times));
  }
  run(ns: number): void {
    for (const end = this.now + ns; this.now < end;) {
      this.now += step;
      this.time.advance();
    }
  }
}
const long = 0xffff,
  /** Frames that are more than a host's pause begins with. */
  enough = Math.floor(pauseFrom / bytes) + 1,
  upTo = (n: number, from = 0): readonly number[] => Array.from({ length: n }, (_, i) => from + i);

const scenarios: Readonly<Record<string, (Switch: typeof RackSwitch) => void>> = {
  "keeps what is paused, and only that; nobody is paused for little": Switch => {
    const r = new Rig(Switch);
    r.says({ 1: long });
    for (const n of upTo(enough - 1)) r.send(0, frameTo(snic, 0b10, n));
    for (const n of upTo(20, 1000)) r.send(1, frameTo(snic, 0b01, n));
    r.send(other, frameTo(1, 0b10, 7));
    r.run(4_000);
    expect([r.frames[snic], r.frames[1], r.tor.inside]).toEqual([upTo(20, 1000), [7], enough - 1]);
    expect(r.pauses.flat()).toEqual([]);
    r.says({ 1: 0 });
    r.run(20_000);
    expect(r.frames[snic]).toEqual([...upTo(20, 1000), ...upTo(enough - 1)]);
    expect(r.tor.inside).toBe(0);
  },
  "pauses the host in the classes that wait, again and again, until half has gone": Switch => {
    const r = new Rig(Switch);
    r.says({ 1: long, 2: long });
    for (const n of upTo(enough)) r.send(0, frameTo(snic, 0b110, n));
    r.run(1_000);
    expect(r.pauses[0]?.map(p => p.times)).toEqual([{ 1: long, 2: long }]);
    // A pause holds for 335 us: it is said again before that, as long as the sNIC says so.
    for (let i = 0; i < 8; i++) {
      r.says({ 1: long, 2: long });
      r.run(100_000);
    }
    const all = r.pauses[0] ?? [],
      apart = all.slice(1).map((p, i) => p.at - (all[i]?.at ?? NaN));
    expect(all.length).toBeGreaterThan(3);
    expect(Math.max(...apart)).toBeLessThan((long * 512) / gbps);
    expect(r.pauses[1]).toEqual([]);
    r.says({ 1: 0, 2: 0 });
    r.run(100_000);
    const [last] = (r.pauses[0] ?? []).slice(-1);
    expect(last?.times).toEqual({ 1: 0, 2: 0 });
    // Some are held at that time still.
    const gone = Math.floor(((last?.at ?? NaN) - r.now + 100_000) / (((bytes + 24) * 8) / gbps));
    expect((enough - gone) * bytes).toBeLessThanOrEqual(resumeAt + 2 * bytes);
    expect((enough - gone) * bytes).toBeGreaterThan(resumeAt - 3 * bytes);
    expect([r.frames[snic], r.tor.inside]).toEqual([upTo(enough), 0]);
    const said = r.tor.counts.pauses;
    r.run(1_000_000);
    expect(r.tor.counts.pauses).toBe(said);
  },
  "a host that does not hear has its room, and another one has its own": Switch => {
    const r = new Rig(Switch),
      room = Math.floor(mostHeld / bytes);
    r.says({ 1: long });
    for (const n of upTo(room + 50)) r.send(0, frameTo(snic, 0b10, n));
    for (const n of upTo(10, 1000)) r.send(1, frameTo(snic, 0b10, n));
    r.run(1_000);
    expect([r.tor.counts.full, r.tor.inside]).toEqual([50, room + 10]);
    expect(r.pauses[1]).toEqual([]);
    r.says({ 1: 0 });
    r.run(100_000);
    expect(r.frames[snic]).toEqual([...upTo(room), ...upTo(10, 1000)]);
    // The room is there again, all of it.
    r.says({ 1: long });
    for (const n of upTo(room)) r.send(0, frameTo(snic, 0b10, n));
    r.run(1_000);
    expect(r.tor.counts.full).toBe(50);
  },
  "pauses no sNIC: that could close a circle": Switch => {
    const r = new Rig(Switch);
    r.says({ 1: long });
    for (const n of upTo(2 * enough)) r.send(other, frameTo(snic, 0b10, n));
    r.run(1_000);
    expect(r.pauses.flat()).toEqual([]);
    r.says({ 1: 0 });
    r.run(100_000);
    expect(r.frames[snic]).toEqual(upTo(2 * enough));
  },
  "what a host or node says holds up nothing that goes to it": Switch => {
    const r = new Rig(Switch);
    r.says({ 0: long, 1: long }, 1);
    r.send(other, frameTo(1, 0b10, 3));
    r.run(1_000);
    expect(r.frames[1]).toEqual([3]);
  },
  "a class that has gone says nothing of another one; a damaged pause says nothing at all": Switch => {
    const r = new Rig(Switch);
    r.says({ 1: long, 2: long });
    for (const n of upTo(enough)) {
      r.send(0, frameTo(snic, 0b010, n));
      r.send(0, frameTo(snic, 0b100, 1000 + n));
    }
    r.run(1_000);
    r.says({ 1: 0 });
    r.run(20_000);
    expect(r.frames[snic]).toEqual(upTo(enough));
    const state: Record<number, number> = {};
    for (const { times } of r.pauses[0] ?? []) Object.assign(state, times);
    expect(state).toEqual({ 1: 0, 2: long });
    r.tor.jacks[snic]?.arrive(pfcFrame(mac(snic), { 2: 0 }), true);
    r.run(20_000);
    expect([r.frames[snic]?.length, r.tor.inside]).toEqual([enough, enough]);
    r.says({ 2: 0 });
    r.run(20_000);
    expect(r.tor.inside).toBe(0);
  },
  "classes take turns on the line": Switch => {
    const r = new Rig(Switch);
    r.says({ 0: long, 1: long });
    for (const n of upTo(40)) r.send(0, frameTo(snic, 0b10, n));
    r.run(1_000);
    for (const n of upTo(5, 1000)) r.send(1, frameTo(snic, 0b01, n));
    r.run(1_000);
    r.says({ 0: 0, 1: 0 });
    r.run(10_000);
    const at = (r.frames[snic] ?? []).flatMap((n, i) => (n >= 1000 ? [i] : []));
    expect(at).toHaveLength(5);
    for (const [i, place] of at.entries()) expect(place).toBeLessThanOrEqual(2 * i + 2);
  },
};
const all = Object.entries(scenarios);

describe("a switch in front of a sNIC that pauses", () => {
  it.each(all)("%s", (_, play) => {
    play(RackSwitch);
  });
});

describe("planted faults: each is found", () => {
  const faults: readonly (readonly [string, string, string, string])[] = [
    ["a pause of the sNIC is nobody's", "switch.ts", "this.#pause(port, frame);", ""],
    ["pauses go to sNICs too", "switch.ts", "if (!isHost) return 0;", ""],
    ["a frame that has gone is held", "switch.ts", "held.remove(frame.length, classes);", ""],
    ["what is dropped is not counted", "switch.ts", "this.counts.full++;", ""],
    ["the room is all hosts' together", "switch.ts", "held = this.#held[from]", "held = this.#held[0]"],
    ["classes have no turns", "switch.ts", "turns: true", "turns: false"],
    ["a pause is said once", "held.ts", "() => this.#say(this.#classes)", "() => undefined"],
    ["it is said again for ever", "held.ts", "if (paused === 0 || gbps === 0) return;", "if (gbps === 0) return;"],
    ["it is said too late", "held.ts", "/ gbps / 2", "/ gbps * 2"],
    ["a host goes on when nothing is held", "held.ts", "held <= resumeAt", "held <= 0"],
    ["a class that has gone resumes all", "held.ts", "paused &= ~(1 << k);", "paused = 0;"],
    [
      "a damaged pause counts",
      "switch.ts",
      "this.counts.damaged++;",
      "this.counts.damaged++; this.#pause(port, frame);",
    ],
    ["it goes on at once", "held.ts", "held <= resumeAt", "held <= pauseFrom"],
    ["only the lowest class is paused", "held.ts", "paused |= 1 << k;", "paused |= classes & -classes;"],
    ["there is no bound", "held.ts", "this.#bytes + bytes > mostHeld", "false"],
    ["a host is paused a frame too early", "held.ts", "held > pauseFrom", "held > pauseFrom - 2048"],
  ];
  it.each(faults)("%s", async (_, file, from, to) => {
    const { RackSwitch: Switch } = (await faulty("switch.ts", file, from, to)) as { RackSwitch: typeof RackSwitch };
    expect(() => {
      for (const [, play] of all) play(Switch);
    }).toThrow();
  });
});
