/** Sessions asked for one after the other, without a line between. */
import { clioHeader, opcode, sessionBody, status, waitOf } from "../../../../../../../designs/clio/wire/index.ts";
import { decode } from "../../../../../../../designs/shared/wire/index.ts";
import { clientEnd, clientPort, closeFrame, nodeEnd, openFrame, parsedGbn } from "./frames.ts";
import type { GbnRig } from "./rig.ts";

export interface Said {
  readonly status: number;
  readonly session: number;
  readonly opcode: number;
  readonly waitNs: number | undefined;
}
/** Sends one, and waits for the answer. Undefined: there was none. */
export async function asks(rig: GbnRig, frame: Uint8Array, port: number): Promise<Said | undefined> {
  let said: Said | undefined;
  const before = rig.onMade;
  rig.onMade = (bytes, at) => {
    const { gbn, body } = parsedGbn(bytes);
    if (gbn.srcSlot !== 0 || gbn.sequence !== 0) return;
    const clio = decode(clioHeader, body);
    if (clio.requestId !== decode(clioHeader, frame.slice(50)).requestId) return;
    if (at !== port) throw new Error(`an answer leaves by port ${at}, not ${port}`);
    said = {
      ...{ status: clio.status, opcode: clio.opcode, waitNs: waitOf(clio) },
      session: decode(sessionBody, body, clioHeader.bytes).session,
    };
  };
  rig.send(frame, port);
  await rig.settled();
  rig.onMade = before;
  return said;
}
const base = 1000,
  slot = 9;
const endsOf = (n: number) => [clientEnd(base + n), nodeEnd(n % 4)] as const;
export const opens = (rig: GbnRig, n: number, name = slot + 1024): Promise<Said | undefined> =>
  asks(rig, openFrame(...endsOf(n), slot, name), clientPort(base + n));
export const closes = (rig: GbnRig, n: number, session: number): Promise<Said | undefined> =>
  asks(rig, closeFrame(...endsOf(n), slot, session), clientPort(base + n));

/** @throws when not exactly all sessions can be had */
export async function openAll(rig: GbnRig, sessions: number): Promise<void> {
  const had = new Set<number>();
  for (let n = 0; n < sessions - 1; n++) {
    const said = await opens(rig, n);
    if (said?.status !== status.OK || said.opcode !== opcode.OPEN_SESSION + 1)
      throw new Error(`session ${n + 1} of ${sessions - 1} is not to be had: ${JSON.stringify(said)}`);
    if (said.session === 0 || said.session >= sessions || had.has(said.session))
      throw new Error(`session ${said.session} is given to two`);
    had.add(said.session);
  }
  const refused = await opens(rig, sessions);
  if (refused?.status !== status.BUSY || refused.waitNs === undefined || refused.waitNs < 1000)
    throw new Error(`one session more than there are: ${JSON.stringify(refused)}`);
  for (const [n, session] of [...had].entries()) {
    const said = await closes(rig, n, session);
    if (said?.status !== status.OK || said.session !== 0) throw new Error(`session ${session} is not given back`);
  }
  // One that was just given back is not given at once to somebody else.
  const one = await opens(rig, 0),
    closed = one && (await closes(rig, 0, one.session)),
    next = await opens(rig, 1);
  if (closed?.status !== status.OK || next?.status !== status.OK || next.session === one?.session)
    throw new Error(`session ${next?.session ?? 0} is given again at once`);
  await closes(rig, 1, next.session);
}
