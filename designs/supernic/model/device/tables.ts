/** The models' tables of a setup, as plain lists. */
import { type Dag, deviceConfig, macEntries, type Setup, taskWords } from "../../software/index.ts";
import { uidEntries } from "../../wire/index.ts";
import type { Choose } from "./choices.ts";
import type { JudgedPortKind } from "../judge/index.ts";
import type { MatchSettings, UidRule } from "../match/index.ts";
import {
  balancerModel,
  type ChainTask,
  checksumModel,
  decryptModel,
  encryptModel,
  firewallModel,
  GbnJudge,
  identity,
  KvJudge,
  natAnswer,
  type NatTable,
  openModel,
  type OwnFrames,
  passOn,
  ReplicaModel,
  sealModel,
  type TaskAnswerModel,
  type TaskClaim,
  type TaskModel,
  type TaskPacketModel,
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

/** The frame that is followed: a number of its own, its choices, and what they take for true. */
export interface Followed {
  readonly number: number;
  readonly choose: Choose;
  readonly claim: (c: TaskClaim) => void;
}
/** What a model with state may answer; it is asked once for each packet of a frame. */
interface WithState {
  readonly options: (packet: TaskPacketModel) => readonly TaskAnswerModel[];
  readonly configure: (at: number, data: bigint) => void;
  readonly own?: OwnFrames;
}
/** A frame is followed again for all that its tasks may choose. */
function askedOnce(model: WithState, frame: () => Followed): TaskModel {
  let last = -1;
  const known = new Map<string, readonly TaskAnswerModel[]>();
  return {
    ...(model.own && { own: model.own }),
    configure: (at, data) => model.configure(at, data),
    answer: packet => {
      const { number, choose, claim } = frame();
      if (number !== last) known.clear();
      last = number;
      const { payload: _, header, ...told } = packet,
        key = `${Buffer.from(header).toString("latin1")} ${JSON.stringify(told)}`,
        options = known.get(key) ?? model.options(packet);
      known.set(key, options);
      const answer = options.length === 1 ? (options[0] ?? passOn) : choose(options);
      if (answer.claim) claim(answer.claim);
      return answer;
    },
  };
}
const replicaState = (model: ReplicaModel): WithState => ({
  options: packet => [model.answer(packet)],
  configure: (at, data) => model.configure(at, data),
});
/** Each packet is another frame's, and goes the first of its ways. */
function everyTime(): () => Followed {
  let n = 0;
  return () => ({
    number: n++,
    claim: () => undefined,
    choose: options => {
      const [first] = options;
      if (options.length === 0) throw new RangeError("a choice among nothing");
      // It is there; an option may be undefined.
      return first as (typeof options)[number];
    },
  });
}
const gbnState = (judge: GbnJudge): WithState => ({
  options: packet => judge.options(packet),
  configure: (at, data) => judge.configure(at, data),
  own: judge,
});
const projectModels = (s: Setup, nat: () => NatTable, frame: () => Followed): TaskModels => ({
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
  replicate: () => askedOnce(replicaState(new ReplicaModel()), frame),
});
/** The device's cycle; undefined where nobody counts. */
export type Clock = () => number | undefined;
/** Models of tasks whose names have figures, or more words than one. */
const figured = (frame: () => Followed, now: Clock): readonly (readonly [RegExp, () => TaskModel])[] => [
  [/^delay_\d+_\d+$/, identity],
  [/^go_back_n$/, () => askedOnce(gbnState(new GbnJudge(now)), frame)],
  [/^kv_(fifo|lru)_\d+$/, () => askedOnce(kvState(new KvJudge()), frame)],
];
const kvState = (judge: KvJudge): WithState => ({
  options: packet => judge.options(packet),
  configure: (at, data) => judge.configure(at, data),
});
function modelNamed(name: string, s: Setup, all: TaskModels, figures: ReturnType<typeof figured>): TaskModel {
  const make = all[name] ?? figures.find(([is]) => is.test(name))?.[1];
  if (make === undefined) throw new RangeError(`the task "${name}" has no model; give the scoreboard one of that name`);
  const model = make();
  for (const { at, data } of taskWords(name, s)) model.configure?.(at, data);
  return model;
}
/**
 * The tasks of each chain. @param own models of tasks that are not the project's @param nat of the frame under way
 * @param frame that is followed; left out: each packet is another frame's
 * @param now for tasks whose frames hang on time
 */
export function chainTasks(
  s: Setup,
  own: TaskModels,
  nat: () => NatTable,
  frame: () => Followed = everyTime(),
  now: Clock = () => undefined,
): readonly (readonly ChainTask[])[] {
  const all = { ...projectModels(s, nat, frame), ...own },
    figures = figured(frame, now);
  return s.chains.map(c => c.tasks.map(declared => ({ declared, model: modelNamed(declared.name, s, all, figures) })));
}
