/** The models' tables of a setup, as plain lists. */
import { type Dag, deviceConfig, macEntries, type Setup, taskWords } from "../../software/index.ts";
import { uidEntries } from "../../wire/index.ts";
import type { JudgedPortKind } from "../judge/index.ts";
import type { MatchSettings, UidRule } from "../match/index.ts";
import {
  balancerModel,
  type ChainTask,
  checksumModel,
  firewallModel,
  identity,
  natAnswer,
  type NatTable,
  type TaskModel,
  tunnelModel,
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

function modelNamed(name: string, s: Setup, nat: () => NatTable): TaskModel {
  const rows: Readonly<Record<string, () => TaskModel>> = {
    checksum: checksumModel,
    balancer: balancerModel,
    tunnel: tunnelModel,
    firewall: () => firewallModel(s.firewall),
    nat: () => ({ answer: p => natAnswer(p, nat()) }),
  };
  const model = (rows[name] ?? identity)();
  for (const { at, data } of taskWords(name, s)) model.configure?.(at, data);
  return model;
}
/** The tasks of each chain. @param nat the NAT's table for the frame that is under way */
export const chainTasks = (s: Setup, nat: () => NatTable): readonly (readonly ChainTask[])[] =>
  s.chains.map(c => c.tasks.map(declared => ({ declared, model: modelNamed(declared.name, s, nat) })));
