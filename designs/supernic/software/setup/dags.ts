import { dagEntries, type EgressWayName, uidEntries } from "../../wire/index.ts";
import { checkPlan } from "./plan.ts";
import type { Refuse } from "./refuse.ts";
import type { BranchFile, DagFile, SetupFile } from "./schema.ts";
import { type Branch, type Chain, type Dag, everyPort, type Setup } from "./setup.ts";

type Known = Pick<Setup, "sizes" | "users" | "chains" | "peers" | "tunnels" | "balancers" | "replicas" | "keys">;

/** Ports as bits. */
export function portBits(
  given: readonly (number | "loop")[] | undefined,
  ports: number,
  at: string,
  refuse: Refuse,
): number {
  if (given === undefined) return everyPort({ ports });
  return given.reduce<number>((m, p, i) => {
    const n = p === "loop" ? ports : p;
    refuse.unless(
      p === "loop" || p < ports,
      () => `${at}[${i}] = ${p}: the ports are 0 to ${ports - 1}, and "loop"; name one of these`,
    );
    return m | (1 << n);
  }, 0);
}

/** The slots that a branch takes. */
function runOf(given: BranchFile["run"], chain: Chain, at: string, refuse: Refuse): number[] {
  const all = chain.tasks.map((_, i) => i);
  if (given === undefined) return all;
  const run = given.map((task, i) => {
    if (typeof task === "number") {
      refuse.unless(
        task < all.length,
        () => `${at}[${i}] = ${task}: the slots of ${chain.name} are 0 to ${all.length - 1}; name one of these`,
      );
      return task;
    }
    const places = all.filter(slot => chain.labels[slot] === task);
    refuse.unless(
      places.length === 1,
      () =>
        `${at}[${i}] = "${task}": ${chain.name} has it ${places.length} times; ${places.length === 0 ? `it has ${chain.labels.join(", ")}` : `name the slot: ${places.join(" or ")}`}`,
    );
    return places[0] ?? 0;
  });
  refuse.unless(run.length > 0, () => `${at}: it names no task; name one, or leave it out for all of them`);
  refuse.unless(
    run.every((slot, i) => i === 0 || slot > (run[i - 1] ?? 0)),
    () => `${at}: packets take the tasks of a chain in its order, each once; name them so`,
  );
  return run;
}

function argOf(
  arg: string | number,
  rows: Pick<Setup, "tunnels" | "balancers" | "replicas" | "keys">,
  at: string,
  refuse: Refuse,
): number {
  if (typeof arg === "number") return arg;
  const tunnels = rows.tunnels.map(t => ({ name: t.name, arg: t.number })),
    named = [...tunnels, ...rows.balancers, ...rows.replicas, ...rows.keys];
  return refuse.named(named, arg, `${at}.arg`, "tunnel, balancer, group of replicas or key").arg;
}

function wayOf(egress: DagFile["egress"], ports: number, at: string, refuse: Refuse): [EgressWayName, number] {
  refuse.unless(egress !== "port", () => `${at}.egress = "port": it must say which one, as { "port": 2 }`);
  if (typeof egress === "string") return [egress, 0];
  refuse.unless(
    egress.port < ports,
    () => `${at}.egress.port = ${egress.port}: the ports are 0 to ${ports - 1}; name one of these`,
  );
  return ["port", egress.port];
}

function dagOf(d: DagFile, number: number, known: Known, refuse: Refuse): Dag {
  const at = `dags[${number}]`,
    { chains, sizes } = known,
    user = refuse.named(known.users, d.user, `${at}.user`, "user");
  refuse.unless(
    (d.stages === undefined) === (d.peer !== undefined),
    () =>
      `${at}: it has ${d.peer === undefined ? "neither" : "both"} of stages, to run here, and peer, to run there; give it one`,
  );
  const stages = (d.stages ?? []).map((stage, s) =>
    stage.map((b, i): Branch => {
      const here = `${at}.stages[${s}][${i}]`,
        chain =
          chains.find(c => c.labels.join("+") === b.chain) ??
          refuse.named(chains, b.chain, `${here}.chain`, "chain in a region");
      return { chain, run: runOf(b.run, chain, `${here}.run`, refuse), arg: argOf(b.arg, known, here, refuse) };
    }),
  );
  refuse.unless(d.peer !== undefined || stages.length > 0, () => `${at}.stages: there is none; give it one`);
  checkPlan({ stages, user }, known, sizes, at, refuse);
  const [way, port] = wayOf(d.egress, sizes.ports, at, refuse);
  const takesTime = stages.flat().some(b => b.run.some(slot => (b.chain.tasks[slot]?.interval ?? 1) > 1));
  return {
    number,
    name: d.name,
    user,
    uid: d.uid,
    ports: portBits(d.ports, sizes.ports, `${at}.ports`, refuse),
    stages,
    peer:
      d.peer === undefined ? undefined : known.peers.indexOf(refuse.named(known.peers, d.peer, `${at}.peer`, "peer")),
    way,
    port,
    keepShim: d.keepShim,
    unordered: d.unordered,
    slow: d.slow ?? takesTime,
  };
}

export function dagsOf(file: Pick<SetupFile, "dags">, known: Known, refuse: Refuse): Dag[] {
  refuse.fits(file.dags, dagEntries, "dags", "DAGs");
  const dags = file.dags.map((d, i) => dagOf(d, i, known, refuse));
  refuse.once(
    dags,
    d => d.name,
    i => `dags[${i}].name = "${dags[i]?.name ?? ""}"`,
  );
  for (const [i, dag] of dags.entries()) {
    const other = dags
      .slice(0, i)
      .find(d => d.uid % uidEntries === dag.uid % uidEntries && (d.ports & dag.ports) !== 0);
    refuse.unless(
      other === undefined,
      () =>
        `dags[${i}].uid = ${dag.uid}: dags[${other?.number ?? 0}] has this entry at a port of it; give one another UID or other ports`,
    );
  }
  return dags;
}
