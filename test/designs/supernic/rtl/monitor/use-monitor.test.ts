/** What users use of each resource, alone and in the size of the device: each count of an epoch, beside its sums. */
import { describe, expect, test } from "vitest";
import {
  type FairParameters,
  portResource,
  resourceAt,
  typesOf,
  UseMonitor,
} from "../../../../../designs/supernic/rtl/monitor/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";
import { sizes } from "./support/fair-rig.ts";

const dutOf = (p: FairParameters) => UseMonitor(p);
type Ports = ReturnType<typeof dutOf>["ports"];
type B = Bench<Ports>;
const beatBytes = 64,
  cellBytes = 4 * beatBytes,
  dags = 8,
  /** Cycles from an end of an epoch to when it can be asked for, and from a question to its answer. */
  endLatency = 4,
  answerLatency = 2;

/** A packet that is inside. */
interface Packet {
  readonly ctx: number;
  readonly user: number;
  readonly dag: number;
  readonly bytes: number;
  readonly payload: number;
}
/** Sums of a user in an epoch: by resource, and the bytes of what arrived and of what was decided on. */
interface Sums {
  readonly uses: number[];
  arrived: number;
  decided: number;
}
const beatsOf = (bytes: number): number => Math.ceil(bytes / beatBytes) * beatBytes;

class Rig {
  readonly b: B;
  readonly p: FairParameters;
  readonly #uses: number[][] = [];
  #packets = 0;
  readonly #free: number[];
  readonly #coming: Packet[] = [];
  #sums: Sums[];
  /** What is measured of cells depends on when it is looked at: only whether somebody holds any is told here. */
  readonly #cells: number;

  constructor(b: B, p: FairParameters) {
    this.b = b;
    this.p = p;
    this.#free = Array.from({ length: p.contexts }, (_, i) => i);
    this.#sums = this.#fresh();
    this.#cells = resourceAt(p, "cells");
  }
  #fresh(): Sums[] {
    const resources = portResource(this.p, this.p.ports);
    return Array.from({ length: this.p.users }, () => ({ uses: Array(resources).fill(0), arrived: 0, decided: 0 }));
  }
  quiet(): void {
    const { io, random: r } = this.b;
    for (const port of [io.admitted, io.decided, io.released]) {
      scramble(r, port);
      port.valid.value = 0;
    }
    scramble(r, io.dagUse);
    io.dagUse.en.value = io.ends.value = 0;
  }
  /** What DAGs use, each so often: no two of a DAG's neighbours are the same. */
  async tables(): Promise<void> {
    const { io, random: r } = this.b,
      types = typesOf(this.p);
    this.#packets = Number(r.bits(types));
    io.packets.value = this.#packets;
    for (let dag = 0; dag < dags; dag++) {
      this.quiet();
      scramble(r, io.dagUse);
      io.dagUse.en.value = 1;
      io.dagUse.index.value = dag;
      const value = anyValue(r, io.dagUse.value) as unknown as Record<string, number>;
      poke(io.dagUse.value as never, value as never);
      this.#uses[dag] = Array.from({ length: types }, (_, t) => value[`uses${t}`] ?? 0);
      await this.b.cycles(1);
    }
    this.quiet();
    await this.b.cycles(2);
  }
  #admits(): void {
    const { b, p } = this,
      { random: r, io } = b,
      ctx = this.#free.splice(r.below(this.#free.length), 1)[0];
    if (ctx === undefined) return;
    const head = r.pick([0, 1, 64, r.below(65)]),
      payload = r.pick([0, 1, 63, 64, 65, 256, 257, r.below(p.frameBytes)]),
      packet = { ctx, user: r.below(p.users), dag: r.below(dags), bytes: head + payload, payload };
    poke(io.admitted, { valid: 1, ctx, dag: packet.dag, user: packet.user, headBytes: head, payloadBytes: payload });
    const s = this.#sums[packet.user]!,
      { uses } = s;
    s.arrived += packet.bytes;
    (this.#uses[packet.dag] ?? []).forEach((times, t) => {
      uses[t]! += times * ((this.#packets >> t) & 1 ? beatBytes : packet.bytes);
    });
    uses[resourceAt(p, "lane")]! += beatBytes + beatsOf(payload);
    uses[resourceAt(p, "writes")]! += beatsOf(payload);
    this.#coming.push(packet);
  }
  /** One that came some cycles ago is decided on, and goes back. */
  #decides(): void {
    const { b, p } = this,
      { random: r, io } = b,
      packet = this.#coming.splice(r.below(Math.max(1, this.#coming.length - 3)), 1)[0];
    if (packet === undefined) return;
    const dropped = r.chance(0.2) ? 1 : 0,
      ports = r.pick([0, 1 << r.below(p.ports + 1), r.below(2 << p.ports)]);
    poke(io.decided, { valid: 1, ctx: packet.ctx, dropped, ports });
    const cells = Math.ceil(packet.payload / cellBytes);
    poke(io.released, { ...anyValue(r, io.released), valid: 1, user: packet.user, cells });
    const s = this.#sums[packet.user]!;
    s.decided += packet.bytes;
    if (dropped === 0) {
      s.uses[resourceAt(p, "reads")]! += beatsOf(packet.payload);
      for (let q = 0; q < p.ports; q++) if ((ports >> q) & 1) s.uses[portResource(p, q)]! += packet.bytes;
    }
    this.#free.push(packet.ctx);
  }
  /** An epoch, and all places of it asked one behind the other, in a random order, while the next one is counted. */
  async epoch(cycles: number): Promise<void> {
    const { b, p } = this,
      { random: r, io } = b,
      step = async (ends = false): Promise<void> => {
        this.quiet();
        if (this.#coming.length > 6 && r.chance(0.6)) this.#decides();
        if (r.chance(0.6)) this.#admits();
        io.ends.value = ends ? 1 : 0;
        await b.cycles(1);
      };
    for (let i = 0; i < cycles; i++) await step(i === cycles - 1);
    const sums = this.#sums;
    this.#sums = this.#fresh();
    for (let i = 0; i < endLatency - 1; i++) await step();
    const places = sums.flatMap((s, user) => s.uses.map((use, resource) => ({ s, user, use, resource }))),
      asked: (typeof places)[number][] = [];
    r.shuffle(places);
    for (let i = 0; i < places.length + answerLatency; i++) {
      const place = places[i] ?? places[0]!;
      poke(io.ask, { user: place.user, resource: place.resource });
      await step();
      asked.push(place);
      const { s, user, use, resource } = asked.at(-1 - answerLatency) ?? place;
      if (i < answerLatency || resource === this.#cells) continue;
      const isDecided = resource === resourceAt(p, "reads") || resource >= portResource(p, 0);
      expect({ user, resource, use: io.counted.use.num, bytes: io.counted.bytes.num }).toEqual({
        ...{ user, resource, use },
        bytes: isDecided ? s.decided : s.arrived,
      });
    }
  }
}

async function epochs(b: B, p: FairParameters, count: number): Promise<void> {
  const rig = new Rig(b, p);
  rig.quiet();
  await b.cycles(1);
  await rig.tables();
  for (let i = 0; i < count; i++) await rig.epoch(b.random.between(150, 250));
}

describe("UseMonitor", () => {
  for (const size of ["small", "odd", "full"] as const)
    bench(`${size}: all that is counted of each user and resource`, dutOf(sizes[size]), { seed: 1 }, b =>
      epochs(b, sizes[size], 2),
    );

  describe("a planted fault is found", () => {
    const p = sizes.small,
      look = (name: string, design: Dut<Ports>): Promise<unknown> =>
        runBench(name, design, { wave: false, limitCycles: 20_000, seed: 4 }, b => epochs(b, p, 2));
    test("and nothing without one", () => look("no fault", dutOf(p)));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["of what leaves the bytes of what arrived", /leaves = [^;]*;/, "leaves = 1'b0;"],
      ["what is dropped leaves all the same", /decided_leaves_1 <= [^;]*;/, "decided_leaves_1 <= 1'b1;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dutOf(p), from, to)));
    });
  });
});
