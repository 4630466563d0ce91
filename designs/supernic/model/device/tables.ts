/** The models' tables of a setup, as plain lists. */
import { type Dag, deviceConfig, macEntries, type Setup, taskWords } from "../../software/index.ts";
import { uidEntries } from "../../wire/index.ts";
import type { JudgedPortKind } from "../judge/index.ts";
import type { MatchSettings, UidRule } from "../match/index.ts";
import {
  balancerModel,
  type ChainTask,
  checksumModel,
  decryptModel,
  encryptModel,
  firewallModel,
  identity,
  natAnswer,
  type NatTable,
  openModel,
  sealModel,
  type TaskModel,
  tunnelModel,
  xorModel,
} from "../tasks/index.ts";

export const portKinds = (s: Setup): readonly JudgedPortKind[] => deviceConfig(s).ports;

const uidRule = (dag: Dag, port: number): UidRule => ({
  valid: true,
  generation: Math.floor(dag.uid / uidEntries),
  dag: dag.number,
  user: dag.user.number,
  allowed: ((dag.ports >> port) & 1) === 1,
  here: dag.peer === undefined,
  peer: dag.peer ?? 0,
  unordered: dag.unordered,
});
/** What decides at a port. */
export function matchSettings(s: Setup, port: number): MatchSettings {
  const at = (ports: number): number => (ports >> port) & 1,
    here = (ports: number): boolean => at(ports) === 1;
  return {
    ports: s.sizes.ports,
    mac: s.mac,
    port,
    control: s.ports[port]?.control ?? false,
    uplink: s.uplink,
    rings: s.ports.flatMap((p, i) => (p.peer ? [i] : [])),
    rules: s.rules.map(r => ({ ...r, enabled: here(r.ports) })),
    macs: macEntries(s).map(m => ({ ...m, value: m.mac, mask: 2n ** 48n - 1n, enabled: true })),
    // Of several DAGs with an entry, the one that is allowed here stands last.
    uids: new Map(
      s.dags.toSorted((a, b) => at(a.ports) - at(b.ports)).map(d => [d.uid % uidEntries, uidRule(d, port)]),
    ),
  };
}

/** Models of tasks by their declared names. */
export type TaskModels = Readonly<Record<string, () => TaskModel>>;

const projectModels = (s: Setup, nat: () => NatTable): TaskModels => ({
  dummy: identity,
  xor: xorModel,
  encrypt: encryptModel,
  decrypt: decryptModel,
  seal: sealModel,
  open: openModel,
  checksum: checksumModel,
  balancer: balancerModel,
  tunnel: tunnelModel,
  firewall: () => firewallModel(s.firewall),
  nat: () => ({ answer: p => natAnswer(p, nat()) }),
});
function modelNamed(name: string, s: Setup, all: TaskModels): TaskModel {
  // A delay's name has its figures.
  const make = all[name] ?? (/^delay_\d+_\d+$/.test(name) ? identity : undefined);
  if (make === undefined) throw new RangeError(`the task "${name}" has no model; give the scoreboard one of that name`);
  const model = make();
  for (const { at, data } of taskWords(name, s)) model.configure?.(at, data);
  return model;
}
/** The tasks of each chain. @param own models of tasks that are not the project's @param nat of the frame under way */
export function chainTasks(s: Setup, own: TaskModels, nat: () => NatTable): readonly (readonly ChainTask[])[] {
  const all = { ...projectModels(s, nat), ...own };
  return s.chains.map(c => c.tasks.map(declared => ({ declared, model: modelNamed(declared.name, s, all) })));
}
