/** Rows of tasks as they are now, which users may write: NT_CONFIG. */
import { decode, PacketError } from "../../../shared/wire/index.ts";
import {
  bucketWord,
  type ConfigWord,
  ctrlRowBodies,
  ctrlTask,
  type CtrlTaskName,
  firewallKey,
  type FirewallRule,
  firewallTableRules,
  firewallWords,
  ntConfigBody,
  tunnelWord,
} from "../../wire/index.ts";
import { type Setup, taskWords, taskWrite } from "../setup/index.ts";
import type { DeviceDriver } from "../device/index.ts";

/** Why a row is not written; `DENIED`: it is another's. */
export class RowRefused extends Error {
  readonly status: "INVALID" | "DENIED";
  constructor(status: "INVALID" | "DENIED") {
    super(status);
    this.status = status;
  }
}
const userAt = 104n + 1n;
const ones = (n: number): number => 2 ** n - 1;

export class TaskRows {
  readonly #setup: Setup;
  readonly #driver: Pick<DeviceDriver, "write">;
  /** By rule, as written last. */
  readonly #rules: (FirewallRule | undefined)[];
  readonly #tasksOf: () => readonly (readonly string[])[];
  /** What users wrote into rows of tunnels and balancers, by task and place: a task that comes back gets it again. */
  /** Launches of nonces, so that no two have the same number. */
  #launches = 0;
  readonly #written = new Map<string, Map<number, ConfigWord>>();

  /** @param tasksOf the tasks of each region now; those of the setup, where this is left out */
  constructor(setup: Setup, driver: Pick<DeviceDriver, "write">, tasksOf?: () => readonly (readonly string[])[]) {
    this.#tasksOf = tasksOf ?? (() => setup.regions.map(c => (c?.tasks ?? []).map(t => t.name)));
    this.#setup = setup;
    this.#driver = driver;
    this.#rules = [...setup.firewall];
  }

  /**
   * Writes a user's row into every instance of the task.
   * @throws RowRefused when the body says nothing that can be, or the row is not this user's
   */
  async write(user: number, body: Uint8Array): Promise<void> {
    const { task, row, values } = readBody(body),
      words = this.#words(task, row, user, values);
    this.#keep(task, words);
    for (const [r, tasks] of this.#tasksOf().entries())
      for (const [slot, name] of tasks.entries())
        if (name === task) for (const word of words) await this.#driver.write(taskWrite(r, slot, word));
  }
  #keep(task: string, words: readonly ConfigWord[]): void {
    const kept = this.#written.get(task) ?? new Map<number, ConfigWord>();
    for (const word of words) kept.set(word.at, word);
    this.#written.set(task, kept);
  }
  /** The rows of a fresh task as they are now: the setup's, and then what users wrote since. */
  words(task: string): readonly ConfigWord[] {
    const firewall = this.#rules.flatMap(r => r ?? []);
    if (task === "firewall") return taskWords(task, { ...this.#setup, firewall });
    // The bring-up was the first launch; a task that comes back may have forgotten it.
    return [...taskWords(task, this.#setup, ++this.#launches), ...(this.#written.get(task)?.values() ?? [])];
  }

  #words(task: CtrlTaskName, row: number, user: number, values: Uint8Array): readonly ConfigWord[] {
    if (task === "balancer") return this.#bucket(row, user, values);
    return task === "tunnel" ? this.#tunnel(row, user, values) : this.#rule(row, user, values);
  }
  #bucket(row: number, user: number, values: Uint8Array): ConfigWord[] {
    const group = this.#setup.balancers.find(b => row >= b.first && row < b.first + b.macs.length);
    own(group?.user, user);
    const { mac } = decode(ctrlRowBodies.balancer, values);
    return [bucketWord(row, { valid: true, user, mac })];
  }
  /** A row that puts a template in front stays: the template is not the user's to write. */
  #tunnel(row: number, user: number, values: Uint8Array): ConfigWord[] {
    const known = this.#setup.tunnels.find(t => t.number === row);
    own(known?.row.user, user);
    const { vni } = decode(ctrlRowBodies.tunnel, values);
    if (known?.row.opens !== true || vni >= 2 ** 24) throw new RowRefused("INVALID");
    return [tunnelWord(row, { ...known.row, vni })];
  }
  /** A rule of a firewall: it keeps its user. The 64 rules of its table are off while they are written. */
  #rule(row: number, user: number, values: Uint8Array): readonly ConfigWord[] {
    const known = this.#rules[row];
    if (known === undefined) throw new RowRefused("INVALID");
    if (known.mask >> userAt === 0n) throw new RowRefused("DENIED");
    own(Number(known.value >> userAt), user);
    const rule = ruleOf(user, values),
      table = Math.floor(row / firewallTableRules);
    this.#rules[row] = rule;
    return firewallWords(table, this.#rules.slice(table * firewallTableRules, (table + 1) * firewallTableRules));
  }
}
function own(owner: number | undefined, user: number): void {
  if (owner === undefined) throw new RowRefused("INVALID");
  if (owner !== user) throw new RowRefused("DENIED");
}

function readBody(body: Uint8Array): {
  readonly task: CtrlTaskName;
  readonly row: number;
  readonly values: Uint8Array;
} {
  try {
    const { task: code, unused, row } = decode(ntConfigBody, body),
      task = (Object.keys(ctrlTask) as CtrlTaskName[]).find(t => ctrlTask[t] === code),
      values = body.slice(ntConfigBody.bytes);
    if (task === undefined || unused !== 0 || values.length !== ctrlRowBodies[task].bytes)
      throw new RowRefused("INVALID");
    return { task, row, values };
  } catch (e) {
    if (e instanceof PacketError) throw new RowRefused("INVALID");
    throw e;
  }
}
function ruleOf(user: number, values: Uint8Array): FirewallRule {
  const v = decode(ctrlRowBodies.firewall, values);
  if (v.srcBits > 32 || v.dstBits > 32 || v.reserved !== 0) throw new RowRefused("INVALID");
  const hasPorts = v.hasSrcPort | v.hasDstPort;
  const mask = firewallKey({
    user: ones(6),
    src: ones(32) - ones(32 - v.srcBits),
    dst: ones(32) - ones(32 - v.dstBits),
    protocol: v.hasProtocol * ones(8),
    srcPort: v.hasSrcPort * ones(16),
    dstPort: v.hasDstPort * ones(16),
    hasPorts,
  });
  const value = firewallKey({ ...v, user, hasPorts });
  return { value: value & mask, mask, enabled: true, drops: v.drops === 1 };
}
