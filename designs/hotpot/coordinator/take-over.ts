/** A coordinator is lost: what its commits become, by what the nodes have of them (Hotpot, Table 2.2). */
import { type Answer, bounds, marks, type Message } from "../wire/index.ts";
import { copyCid, nodesIn } from "./commit.ts";

/** Whose message it is: the lane's process, or the node's director, who sees all and ends any commit. */
export type By = "process" | "director";
/** Asks a node until it answers; cold nodes recover first. */
export type AskNode = (node: number, message: Message, by: By) => Promise<Answer>;
export type Action = "undo" | "redo" | "complete" | "none";

interface Found {
  readonly node: number;
  readonly a: Answer;
}

/** The commits of a lane that nodes have in their tables. */
async function foundOf(lane: number, nodes: readonly number[], ask: AskNode): Promise<Found[]> {
  const found: Found[] = [];
  for (const node of nodes)
    for (let part = 0; part < bounds.commits; part++) {
      const a = await ask(node, { kind: "inspect", part }, "director");
      if (a.state !== "free" && a.lane === lane) found.push({ node, a });
    }
  return found;
}

/**
 * Ends what a lane has begun: the director with the lane's process. An owner that has committed shows that all had
 * prepared. So does each of them having prepared: redo. If any is not prepared, nobody has committed: undo.
 */
export async function takeOver(
  lane: number,
  nodes: readonly number[],
  ask: AskNode,
): Promise<{ readonly action: Action; readonly seq: number }> {
  const found = await foundOf(lane, nodes, ask),
    seq = Math.max(0, ...found.map(f => f.a.seq)),
    now = found.filter(f => f.a.seq === seq);
  if (now.length === 0) return { action: "none", seq };
  const owners = nodesIn(now.reduce((mask, f) => mask | f.a.owners, 0)),
    isIn = (f: Found, ...states: Answer["state"][]): boolean => states.includes(f.a.state);
  const committed = now.some(f => isIn(f, "committed")),
    all = owners.every(o => now.some(f => f.node === o && isIn(f, "prepared", "committed")));
  if (committed || all) {
    for (const f of now) await copyOut(f, { lane, seq }, ask);
    for (const f of now) await ask(f.node, { kind: "commit", lane, seq }, "process");
  }
  // All nodes: a PREPARE or an UPDATE may still be on its way to any. Copies first, as the coordinator does.
  for (const cid of [copyCid({ lane, seq }), { lane, seq }])
    for (const node of nodes) await ask(node, { kind: "forget", ...cid }, "director");
  return { action: committed ? "complete" : all ? "redo" : "undo", seq };
}
/** An owner's log goes to its replicas: "ONs send new data to DNs". */
async function copyOut({ node, a }: Found, cid: { lane: number; seq: number }, ask: AskNode): Promise<void> {
  for (let part = 0; part < a.parts; part++) {
    const { va, data } = await ask(node, { kind: "inspect", ...cid, part, marks: marks.data }, "process");
    for (const to of nodesIn(a.replicas))
      await ask(to, { kind: "update", ...copyCid(cid), va, data, marks: marks.redo }, "process");
  }
}
