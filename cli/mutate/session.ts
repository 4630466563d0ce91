/** What is done with a test: watched, run with one mutant after the other, or run as always with one mutant. */
import { relative } from "node:path";
import type { RunnerTestCase as Test } from "vitest";
import { root } from "../../scripts/setup/paths.mjs";
import { FaultIn, Looped, mutantsOf, plant, Seeing } from "../../sim/index.ts";
import { type Job, type Plan, readPlan, Reports, type Seen, tell } from "./plan.ts";

/** Without a mutant in the whole process. */
const unlimited = Number.MAX_SAFE_INTEGER;

const idOf = (t: Test, from: string): string => {
  const names: string[] = [];
  for (let s: Test["suite"] = t.suite; s !== undefined; s = s.suite) names.unshift(s.name);
  return [relative(from, t.file.filepath), ...names.filter(n => n !== ""), t.name].join(" > ");
};
const sentenceOf = (e: unknown): string => (e instanceof Error ? e.message : String(e)).split("\n")[0] ?? "";

type Whole = NonNullable<Plan["whole"]>;
/** What is planted into a module in the test that runs. */
type Own = Pick<Job, "module" | "keys"> & { readonly seen: Seen };

export class Session {
  readonly #plan: Plan = readPlan(process.env["MNEMO_MUTATE"] ?? "");
  readonly #root = this.#plan.root ?? root;
  readonly #reports = new Reports(this.#plan.out);
  readonly #gone = new Set<string>();
  readonly #told = new Set<string>();
  #outside: Seeing | undefined;

  constructor() {
    this.#between();
  }

  /** @param run the test's function; it can be called again and again */
  async test(test: Test, run: () => Promise<void>): Promise<void> {
    const { whole, jobs } = this.#plan;
    if (whole !== undefined) await this.#wholly(whole, test, run);
    else if (jobs === undefined) await this.#see(test, run);
    else {
      const id = idOf(test, this.#root),
        own = jobs.flatMap(({ module, keys, tests }) =>
          tests.filter(t => t.id === id).map(seen => ({ module, keys, seen })),
        );
      if (own.length > 0) await this.#mutate(own, run);
    }
  }

  async #wholly({ module, key }: Whole, test: Test, run: () => Promise<void>): Promise<void> {
    const { out } = this.#plan,
      id = idOf(test, this.#root);
    if (test.fails === true) return;
    try {
      await run();
      tell(out, { kind: "lived", module, key, id });
    } catch (e) {
      if (!(e instanceof Looped)) tell(out, { kind: "killed", module, key, id, message: sentenceOf(e) });
    }
  }

  /** What happens outside of tests: in hooks, and while a file is loaded. */
  #between(): void {
    const { whole, watched = [] } = this.#plan;
    if (whole !== undefined) plant(new FaultIn(whole.module, whole.key, unlimited));
    else plant((this.#outside ??= new Seeing(...watched)));
  }

  async #see(test: Test, run: () => Promise<void>): Promise<void> {
    const { out, watched = [] } = this.#plan,
      id = idOf(test, this.#root),
      file = relative(this.#root, test.file.filepath);
    const first = new Seeing(...watched),
      from = process.cpuUsage();
    plant(first);
    try {
      await run();
    } catch (e) {
      for (const module of watched)
        if (first.of(module).length > 0) tell(out, { kind: "failed", module, id, message: sentenceOf(e) });
      throw e;
    } finally {
      this.#between();
    }
    // Of the processor: on a busy machine the same tests are within a patience.
    const { user, system } = process.cpuUsage(from),
      ms = (user + system) / 1000;
    for (const module of watched) {
      const inside = first.of(module),
        outside = this.#outside?.of(module) ?? [];
      this.#describe(module, [...inside, ...outside]);
      if (outside.length > 0) tell(out, { kind: "whole", module, id, file });
      if (inside.length === 0 || test.fails === true) continue;
      const variants = inside.map(c => c.name);
      tell(out, { kind: "test", module, id, file, ms, edges: first.edges, variants });
    }
  }

  #describe(module: string, circuits: ReturnType<Seeing["of"]>): void {
    for (const c of circuits) {
      if (this.#told.has(c.name)) continue;
      this.#told.add(c.name);
      const mutants = mutantsOf(c).map(({ key, operator, position, says }) => ({
        key,
        operator,
        file: position === undefined ? "?" : relative(this.#root, position.file.replace(/^file:\/\//, "")),
        line: position?.line ?? 0,
        says,
      }));
      tell(this.#plan.out, { kind: "variant", module, name: c.name, mutants });
    }
  }

  async #mutate(jobs: readonly Own[], run: () => Promise<void>): Promise<void> {
    const { out } = this.#plan,
      modules = jobs.map(j => j.module);
    /** What a run without a mutant has seen; undefined: it failed. */
    const unharmed = async (): Promise<Seeing | undefined> => {
      const seeing = new Seeing(...modules);
      plant(seeing);
      try {
        await run();
        return seeing;
      } catch {
        return undefined;
      } finally {
        this.#between();
      }
    };
    // Once as always, once more to see whether it can be repeated, and simulates the modules again.
    if ((await unharmed()) === undefined) {
      for (const { module, seen } of jobs)
        tell(out, { kind: "failed", module, id: seen.id, message: "it fails without a mutant" });
      return;
    }
    const again = await unharmed(),
      doubtful: (() => void)[] = [];
    for (const { module, keys, seen } of jobs) {
      const { id, file } = seen;
      if (again === undefined || again.of(module).length < seen.variants.length) {
        tell(out, { kind: "whole", module, id, file });
        continue;
      }
      const killed: string[] = [];
      const start = Buffer.from(id).reduce((n, byte) => (n * 31 + byte) % 65521, 0) % Math.max(1, keys.length);
      for (const key of [...keys.slice(start), ...keys.slice(0, start)]) {
        if (this.#isGone(module, key)) continue;
        if (await this.#one(module, seen, run, key)) killed.push(key);
      }
      if (killed.length > 0) doubtful.push(() => tell(out, { kind: "doubt", module, id, file, keys: killed }));
    }
    if (doubtful.length > 0 && (await unharmed()) === undefined) doubtful.forEach(told => told());
  }

  /** Whether it is known already what becomes of a mutant: another process may have told. */
  #isGone(module: string, key: string): boolean {
    for (const r of this.#reports.next())
      if (r.kind === "killed" || (r.kind === "void" && r.verdict === "loop")) this.#gone.add(`${r.module} ${r.key}`);
    return this.#gone.has(`${module} ${key}`);
  }

  /** Runs a test with one mutant. @returns whether the test failed */
  async #one(module: string, seen: Seen, run: () => Promise<void>, key: string): Promise<boolean> {
    const { out } = this.#plan,
      fault = new FaultIn(module, key, 5 * seen.edges + 20_000);
    plant(fault);
    let error: unknown, timer: NodeJS.Timeout | undefined;
    try {
      await Promise.race([
        run(),
        new Promise((_, fail) => {
          timer = setTimeout(() => fail(new Error("the test does not end")), 20 * seen.ms + 30_000);
        }),
      ]);
    } catch (e) {
      error = e ?? new Error("the test failed");
    } finally {
      clearTimeout(timer);
      this.#between();
    }
    const verdicts = [...fault.verdicts.values()];
    if (verdicts.length === 0) return false;
    const verdict =
      error instanceof Looped || verdicts.includes("loop") ? "loop" : verdicts.includes("live") ? "live" : "equivalent";
    if (verdict !== "live") tell(out, { kind: "void", module, key, verdict });
    else if (error === undefined) tell(out, { kind: "lived", module, key, id: seen.id });
    else tell(out, { kind: "killed", module, key, id: seen.id, message: sentenceOf(error) });
    return verdict === "live" && error !== undefined;
  }
}
