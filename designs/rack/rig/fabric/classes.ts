/** Which class queues of a sNIC the frames of an endpoint go to: those that its pauses are about. */
import { decode, ethernetHeader } from "../../../shared/wire/index.ts";
import type { Setup } from "../../../supernic/software/index.ts";
import { snicEtherType, takeApart } from "../../../supernic/wire/index.ts";

/** Of frames that are switched, or redirected to a peer. */
const switched = 1 << 4;

/**
 * Bits of the classes that a frame may have at a port of a sNIC. One without a shim is switched, unless a rule gives it
 * to a DAG; one of a DAG that can go to a peer may be redirected. So a frame may wait longer than it must, never less.
 */
export function classesAt({ dags, rules, users, peers }: Setup, port: number): (frame: Uint8Array) => number {
  const bitOf = (uid: number): number | undefined => {
      const dag = dags.find(d => d.uid === uid && ((d.ports >> port) & 1) === 1);
      return dag && 1 << dag.user.class;
    },
    anyUser = users.reduce((m, u) => m | (1 << u.class), switched),
    away = peers.length > 0 ? switched : 0;
  const plain = rules
    .filter(r => r.action === "uid" && ((r.ports >> port) & 1) === 1)
    .reduce((m, r) => m | (bitOf(r.uid) ?? anyUser) | away, switched);
  const byUid = new Map<number, number>();
  return frame => {
    const { etherType } = decode(ethernetHeader, frame);
    // A tag may stand in front of the shim.
    if (etherType !== snicEtherType.snicShim && etherType !== snicEtherType.vlan) return plain;
    const uid = uidOf(frame);
    if (uid === undefined) return plain;
    // A DAG that a CTRL request has added is any user's.
    const classes = byUid.get(uid) ?? (bitOf(uid) ?? anyUser) | away;
    byUid.set(uid, classes);
    return classes;
  };
}
function uidOf(frame: Uint8Array): number | undefined {
  try {
    return takeApart(frame).snic?.uid;
  } catch {
    // It is refused, whatever it says.
    return undefined;
  }
}
