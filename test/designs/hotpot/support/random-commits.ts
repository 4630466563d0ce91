/** Random commits over a cluster whose nodes crash, judged at the end. */
import { type ClusterOptions, clusterPid, homeAt } from "../../../../designs/hotpot/rig/index.ts";
import { bounds, type Kind, type Message } from "../../../../designs/hotpot/wire/index.ts";
import { Random } from "../../../../sim/index.ts";
import { checkQuiet, clusterOf, commitOf, sourcesFor } from "./commits.ts";

const areas = 12;

interface Randomly {
  readonly commits: number;
  /** Of steps: a node crashes. */
  readonly crashes?: number;
  /** Areas that are committed, of the first ones. */
  readonly hot?: number;
  /** Of steps: a process without lanes, or one of nobody's number, says something of a lane to a node. */
  readonly strangers?: number;
  /** Of steps: the director takes a lane away, and gives it back some time later. */
  readonly takes?: number;
  readonly o?: Partial<ClusterOptions>;
}
/** Lanes commit random areas; the order in which commits are decided is that of what is seen of them. */
export function randomCommits(
  seed: number,
  { commits, crashes = 0, hot = areas, strangers = 0, takes = 0, o = {} }: Randomly,
) {
  const c = clusterOf(seed, o, areas),
    random = new Random(seed + 1),
    last = new Map<number, number>();
  const under = new Map<number, { commit: number; areas: number[]; decided: boolean }>();
  let begun = 0,
    tries = 0,
    down: { n: number; memory: "kept" | "zeroed"; until: number } | undefined;
  const crashed = { kept: 0, zeroed: 0 };
  const look = (): void => {
    for (const [lane, u] of under) {
      const k = c.lanes[lane];
      if (!k) continue;
      if (!u.decided && ["update", "commit", "forgetReplicas", "forget"].includes(k.phase)) {
        u.decided = true;
        for (const i of u.areas) last.set(i, u.commit);
      }
      if (k.phase === "idle") {
        if (k.outcome === "failed" && !u.decided && takes > 0) failed++;
        else if (k.outcome !== "committed")
          throw new Error(`commit ${u.commit} is ${k.outcome ?? "without an outcome"}`);
        tries += k.tries;
        under.delete(lane);
      }
    }
  };
  const kinds: readonly Kind[] = ["prepare", "commit", "update", "forget", "recover", "open", "inspect", "grant"];
  let refused = 0,
    failed = 0,
    given = 0;
  let away: { readonly lane: number; taken: number | undefined } | undefined;
  const take = (): void => {
    if (away === undefined) {
      if (random.chance(takes)) away = { lane: random.between(0, c.lanes.length - 1), taken: undefined };
    } else if (away.taken === undefined) {
      if (c.grant(away.lane, 0)) away.taken = c.now;
    } else if (c.now > away.taken + 60 && c.grant(away.lane, clusterPid)) {
      given++;
      away = undefined;
    }
  };
  const strange = (): void => {
    const kind = random.pick(kinds),
      area = kind === "prepare" || kind === "update" ? { va: homeAt, data: random.bytes(64) } : {};
    const m: Message = {
      ...{ kind, lane: random.between(0, bounds.lanes - 1), seq: random.pick([1, random.between(1, 60), 0xffff_fffe]) },
      ...{ grantee: random.pick([0, 9]), marks: random.between(0, 7), ...area },
    };
    const { verdict, held } = c.ask(random.between(0, c.nodes.length - 1), m, random.pick([0, 9]));
    if ((verdict !== "refused" && verdict !== "cold") || held !== 0)
      throw new Error(`a stranger's ${kind} is ${verdict}`);
    refused++;
  };
  c.runUntil(() => {
    look();
    if (random.chance(strangers)) strange();
    if (takes > 0) take();
    for (const k of c.lanes)
      if (!under.has(k.lane) && begun < commits) {
        const chosen = new Set(Array.from({ length: random.between(1, 4) }, () => random.between(0, hot - 1)));
        begun++;
        under.set(k.lane, { commit: begun, areas: [...chosen], decided: false });
        c.begin(k.lane, commitOf([...chosen], begun, c.nodes.length));
      }
    if (down === undefined && random.chance(crashes)) {
      down = {
        n: random.between(0, c.nodes.length - 1),
        memory: random.pick(["kept", "zeroed"]),
        until: c.now + random.between(1, 80),
      };
      crashed[down.memory]++;
      c.crash(down.n, down.memory);
    } else if (down && c.now >= down.until) {
      const { n, memory } = down;
      if (!c.node(n).up) {
        if (memory === "kept") c.recover(n);
        else c.rebuild(n, sourcesFor(n, areas, c.nodes.length));
      }
      if (c.direct(n, { kind: "inspect" }).marks === 1) down = undefined;
    }
    return under.size === 0 && begun === commits && down === undefined && away === undefined;
  });
  checkQuiet(c, areas, i => last.get(i));
  return { tries, crashed, refused, failed, given, cluster: c };
}
