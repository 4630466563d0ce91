/** The loop with a model beside it: what happens in each cycle goes to both, and what the meter is told is compared. */
import { type FairEvents, FairModel, type FairRun } from "../../../../../../designs/supernic/model/index.ts";
import {
  drfOf,
  FairLoop,
  type FairParameters,
  resourcesOf,
  typesOf,
} from "../../../../../../designs/supernic/rtl/monitor/index.ts";
import { type TableName, tables, tableWrite } from "../../../../../../designs/supernic/wire/index.ts";
import { type Bench, poke } from "../../../../../../sim/index.ts";
import { entryOf } from "../../../support/tables.ts";

export const sizes = {
  small: { ports: 2, users: 4, contexts: 32, cells: 64, regions: 3, slots: 2, frameBytes: 1536 },
  /** No power of two of users, an odd number of resources. */
  odd: { ports: 3, users: 5, contexts: 32, cells: 64, regions: 3, slots: 2, frameBytes: 600 },
  full: { ports: 4, users: 16, contexts: 256, cells: 1024, regions: 8, slots: 4, frameBytes: 1536 },
} as const satisfies Readonly<Record<string, FairParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => FairLoop(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;

export interface UserEntry {
  readonly limited: number;
  readonly bytes: number;
  readonly class: number;
  readonly contexts: number;
  readonly cells: number;
}
const names = ["dagUse", "capacity", "weight", "firstUse", "users"] as const;
interface Pending {
  readonly run: FairRun;
  readonly began: number;
  readonly hardware: boolean;
  next: number;
}

export class FairRig {
  readonly b: B;
  readonly p: FairParameters;
  readonly model: FairModel;
  readonly said: {
    portBytes: number;
    readonly dagUses: Map<number, readonly number[]>;
    readonly packetTypes: Set<number>;
    readonly classes: number[];
    readonly weights: number[];
    readonly capacities: number[];
  };
  readonly entries: UserEntry[];
  hardware = true;
  /** Cycles from the end of an epoch to its last rate. */
  readonly latencies: number[] = [];
  readonly runs: FairRun[] = [];
  #run: Pending | undefined;
  #part = 0;
  #before: { readonly index: number; readonly value: bigint } | undefined;

  constructor(b: B, size: Size) {
    this.b = b;
    this.p = sizes[size];
    this.model = new FairModel({
      ports: this.p.ports,
      users: this.p.users,
      types: typesOf(this.p),
      resources: resourcesOf(this.p),
      floor: drfOf(this.p).floor,
    });
    const each = <T>(of: (u: number) => T): T[] => Array.from({ length: this.p.users }, (_, u) => of(u));
    this.said = {
      portBytes: 0,
      dagUses: new Map(),
      packetTypes: new Set(),
      classes: each(() => 0),
      weights: each(() => 0),
      capacities: Array.from({ length: resourcesOf(this.p) }, () => 0),
    };
    this.entries = each(() => ({ limited: 0, bytes: 0, class: 0, contexts: 0, cells: 0 }));
    b.io.hardware.value = 1;
  }
  /** A cycle in which this happens, and in which software may write an entry. */
  async cycle(
    e: FairEvents = {},
    entry?: { readonly table: TableName; readonly index: number; readonly value: bigint },
  ): Promise<void> {
    const { io } = this.b,
      { admitted: a, decided: d, released, taken } = e;
    io.part.value = e.part ? 1 : 0;
    io.hardware.value = this.hardware ? 1 : 0;
    io.portBytes.value = this.said.portBytes;
    const set = (port: unknown, values: unknown): void => poke(port as never, values as never),
      event = (port: { readonly valid: { value: number } }, values: object | undefined): void => {
        port.valid.value = 0;
        if (values) set(port, { valid: 1, ...values });
      };
    event(io.admitted, a);
    event(
      io.decided,
      d && { ctx: d.ctx, dropped: d.port === undefined ? 1 : 0, ports: d.port === undefined ? 0 : 1 << d.port },
    );
    event(io.released, released);
    event(io.taken, taken);
    for (const [i, port] of io.offered.entries()) {
      const o = e.offered?.[i];
      event(port, o && { ...o, kept: o.kept ? 1 : 0 });
    }
    for (const [i, port] of io.paused.entries()) port.value = e.paused?.[i] ?? 0;
    io.dry.value = e.dry ?? 0;
    for (const name of names) io[name].en.value = 0;
    if (entry) {
      const port = entry.table === "user" ? "users" : (entry.table as Exclude<(typeof names)[number], "users">);
      set(io[port], { en: 1, index: entry.index, value: entryOf(entry.table, entry.value) });
    }
    const hardware = this.hardware,
      run = this.model.step(e, this.said);
    if (e.part) this.#part = (this.#part + 1) % 64;
    if (run) {
      if (this.#run) throw new Error("an epoch ends while rates are missing");
      this.runs.push(run);
      this.#run = { run, began: this.b.cycle, hardware, next: 0 };
    }
    await this.b.cycles(1);
    // A register behind: what is seen now is of the cycle before.
    this.#look(this.#before);
    this.#before = entry?.table === "user" ? entry : undefined;
  }
  /** What the meter is told: software's entry, or the next rate. */
  #look(entry?: { readonly index: number; readonly value: bigint }): void {
    const { en, index, value } = this.b.io.metered;
    if (entry) {
      const wanted = entryOf("user", entry.value) as unknown as Readonly<Record<keyof UserEntry, bigint>>;
      if (en.value !== 1 || index.value !== entry.index || Number(value.bytes.value) !== Number(wanted.bytes))
        throw new Error(`software's entry of user ${entry.index} is not the meter's`);
      return;
    }
    if (en.value === 0) return;
    const run = this.#run;
    if (!run?.hardware) throw new Error("a rate of no run");
    const user = run.next++,
      rate = run.run.rates[user],
      said = this.entries[user] as UserEntry;
    if (Number(index.value) !== user) throw new Error(`a rate of user ${index.value}, not of user ${user}`);
    if (Number(value.bytes.value) !== rate) throw new Error(`user ${user} has ${value.bytes.value} bytes, not ${rate}`);
    for (const name of ["limited", "class", "contexts", "cells"] as const)
      if (Number(value[name].value) !== said[name]) throw new Error(`a rate changes ${name} of user ${user}`);
    if (run.next < this.p.users) return;
    this.latencies.push(this.b.cycle - run.began);
    this.#run = undefined;
  }
  /** Software writes an entry, and the model knows it from the next cycle on. */
  async write<N extends TableName>(
    table: N,
    index: number,
    values: Readonly<Record<string, number>>,
    e: FairEvents = {},
  ): Promise<void> {
    const { value } = tableWrite(table, index, values as never);
    await this.cycle(e, { table, index, value });
    this.#known(table, index, values);
  }
  #known(table: TableName, index: number, v: Readonly<Record<string, number>>): void {
    const { said } = this,
      has = (list: readonly unknown[]): boolean => index < list.length;
    if (table === "dagUse")
      said.dagUses.set(
        index,
        Array.from({ length: 32 }, (_, t) => v[`uses${t}`] ?? 0),
      );
    if (table === "weight" && has(said.weights)) said.weights[index] = v["weight"] ?? 0;
    if (table === "capacity" && has(said.capacities)) {
      said.capacities[index] = v["units"] ?? 0;
      if (v["packets"] === 1) said.packetTypes.add(index);
      else said.packetTypes.delete(index);
    }
    if (table === "user" && has(said.classes)) {
      said.classes[index] = v["class"] ?? 0;
      this.entries[index] = v as unknown as UserEntry;
    }
    if (table === "firstUse" && Math.floor(index / 64) < this.p.users && index % 64 < said.capacities.length)
      this.model.uses.first(Math.floor(index / 64), index % 64, v["use"] ?? 0);
  }
  get part(): number {
    return this.#part;
  }
  /** Cycles without anything until all rates of the last run are there. */
  async settle(): Promise<void> {
    if (!this.#run?.hardware) this.#run = undefined;
    for (let i = 0; this.#run; i++) {
      if (i > 1_000) throw new Error("rates are missing");
      await this.cycle();
    }
  }
  /** What software sees of a user and a resource is what the last run had. */
  async compareShown(): Promise<void> {
    const run = this.runs.at(-1);
    if (!run) return;
    const { look, shown } = this.b.io;
    const all = resourcesOf(this.p),
      // Of a large build one of each user.
      looks = run.problem.users.flatMap(({ demand }, user) =>
        all > 16
          ? [{ demand, user, resource: user % all }]
          : Array.from({ length: all }, (_, resource) => ({ demand, user, resource })),
      );
    for (const { demand, user, resource } of looks) {
      poke(look as never, { user, resource } as never);
      for (let i = 0; i < 6; i++) await this.cycle();
      const seen = {
        use: shown.use.value,
        demand: shown.demand.value,
        taken: shown.taken.value,
        rate: shown.rate.value,
      };
      const wanted = {
        use: this.model.uses.lastUse(user, resource),
        demand,
        taken: run.taken[user],
        rate: run.rates[user],
      };
      if (JSON.stringify(seen) !== JSON.stringify(wanted))
        throw new Error(`user ${user}: ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
    }
  }
  reset(): void {
    this.b.sim.reset(2);
    this.model.reset();
    this.#run = undefined;
    this.#before = undefined;
    this.#part = 0;
  }
}
export const tableEntries = (name: TableName): number => tables[name].entries;
