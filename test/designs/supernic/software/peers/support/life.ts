/** A rack at work: packets all the time, DAGs that are moved, sNICs that fail; and what must hold in the end. */
import type { Dag } from "../../../../../../designs/supernic/software/index.ts";
import type { ModelledRack, Nic } from "./modelled-rack.ts";

interface Own {
  readonly nic: Nic;
  readonly index: number;
}
const dagOf = ({ nic, index }: Own): Dag | undefined => nic.dags[index];
const flows = 3;

/** Where a DAG may be: here with its chain, at a peer that has it as a ready guest, or in nobody's regions. */
export function placed(own: Own, rack: ModelledRack): string | undefined {
  const { nic } = own,
    dag = dagOf(own);
  if (dag === undefined) return `${nic.model.name}: a DAG is not there yet`;
  const way = nic.wayOf(dag),
    chain = dag.stages[0]?.[0]?.chain.number;
  if (way === "nowhere") return `${nic.model.name} ${dag.name}: its packets are refused`;
  if (way === "here") {
    const live = nic.manager.chains.find(c => c.number === chain);
    return live !== undefined && nic.manager.stateOf(live) === "running" ? undefined : `${dag.name}: no chain runs`;
  }
  const peer = rack.nics.find(n => n.model.name === way),
    guest = peer?.peers.guests.of(nic.number).find(g => g.dag.uid === dag.uid);
  return guest?.state === "ready" ? undefined : `${dag.name}: ${way} has no guest that is ready`;
}

/** @param failures chance of one in a period @throws for each promise that is broken */
export async function life(
  rack: ModelledRack,
  o: { readonly periods: number; readonly failures: number },
): Promise<void> {
  const { random } = rack,
    [a, b] = [rack.nic(0), rack.nic(1)],
    own: Own[] = [];
  // Four chains for six regions: three of them at one sNIC, which has two.
  for (const [nic, task] of [
    [a, "dummy"],
    [a, "checksum"],
    [a, "counter"],
    [b, "counter"],
  ] as const) {
    const dag = await nic.dag(task);
    await nic.peers.place(dag);
    own.push({ nic, index: nic.dags.indexOf(dag) });
  }
  const taken = new Set<number>(),
    failed = new Map<Nic, number>();
  for (let p = 0; p < o.periods; p++) {
    for (const x of own)
      for (let i = random.between(0, 3), dag = dagOf(x); i > 0; i--)
        if (dag !== undefined && !x.nic.model.dead) taken.add(rack.packet(x.nic, dag, random.between(0, flows - 1)));
    if (random.chance(0.1)) await change(rack, random.pick(own));
    if (random.chance(o.failures) && failed.size === 0) fail(random.pick(rack.nics), failed, p + random.between(1, 15));
    for (const [nic, until] of failed) if (p >= until) await revive(nic, failed);
    await rack.periods(random.between(1, 10) / 10);
  }
  for (const nic of failed.keys()) await revive(nic, failed);
  await rack.until(
    () => own.every(x => placed(x, rack) === undefined),
    `all have a place: ${own.flatMap(x => placed(x, rack) ?? []).join(", ")}`,
    300,
  );
  await rack.periods(5);
  check(rack, taken, o.failures === 0);
}
/** A DAG that runs here goes to a peer, if one has room; it comes back by itself. */
async function change(rack: ModelledRack, own: Own): Promise<void> {
  const dag = dagOf(own);
  if (dag === undefined || own.nic.model.dead || own.nic.wayOf(dag) !== "here") return;
  const moved = own.nic.peers.away.move(dag);
  if (rack.random.chance(0.5)) await moved;
}
function fail(nic: Nic, failed: Map<Nic, number>, until: number): void {
  failed.set(nic, until);
  nic.fail();
}
async function revive(nic: Nic, failed: Map<Nic, number>): Promise<void> {
  failed.delete(nic);
  await nic.reborn();
}
function check(rack: ModelledRack, taken: ReadonlySet<number>, complete: boolean): void {
  const ids = rack.results.map(r => r.id),
    dropped = rack.nics.flatMap(n => n.model.dropped);
  if (new Set(ids).size !== ids.length) throw new Error("a packet was done twice");
  const missing = [...taken].filter(id => !ids.includes(id) && !dropped.some(d => d.id === id));
  if (missing.length > 0) throw new Error(`packets ${missing.slice(0, 5).join(", ")} have no end`);
  if (!complete) return;
  if (dropped.length > 0) throw new Error(`${dropped.length} packets were dropped: ${dropped[0]?.why}`);
  countsRight(rack);
}
/** Of a DAG with state each flow's packets were counted one after the other, wherever the chain was. */
function countsRight(rack: ModelledRack): void {
  const next = new Map<string, number>();
  for (const r of rack.results.filter(x => x.n > 0)) {
    const key = `${r.uid} ${r.flow}`,
      n = (next.get(key) ?? 0) + 1;
    if (r.n !== n) throw new Error(`flow ${key}: the chain has counted ${r.n}, and it is the ${n}th`);
    next.set(key, n);
  }
}
