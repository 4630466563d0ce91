/** What happens to state on its way, and a chain's whole journey. */
import { isCtrl, isPiece, isRedirect } from "./state-plan.ts";
import { period, type StateRack } from "./state-rack.ts";

type Give = (frame: Uint8Array, damaged?: boolean) => void;
/** Pieces of state that come to a sNIC: what becomes of each, by its number from 0. @returns how many came */
export function pieces(r: StateRack, n: number, how: (number: number, give: Give, frame: Uint8Array) => void) {
  const jack = r.device(n).jacks[2];
  if (jack === undefined) throw new RangeError("there is no port of peers");
  const { receive } = jack,
    seen = { pieces: 0 };
  jack.receive = (frame, damaged) => {
    if (!isPiece(frame)) {
      receive(frame, damaged);
      return;
    }
    let given = 0;
    how(
      seen.pieces++,
      (f, bad = false) => {
        if (given++ > 0) r.extra[n] = (r.extra[n] ?? 0) + 1;
        receive(f, bad || damaged);
      },
      frame,
    );
  };
  return seen;
}
const turned = (frame: Uint8Array, at: number): Uint8Array => frame.map((b, i) => (i === at ? b ^ 4 : b));
/** Pieces come doubled, damaged, changed behind the check sequence's back, and again when all is done. */
export function disturbed(r: StateRack, n: number) {
  const before: Uint8Array[] = [];
  return pieces(r, n, (number, give, frame) => {
    before.push(frame);
    if (number === 1) give(frame, true);
    else if (number === 2) give(turned(frame, 200));
    else for (let i = 0; i < 2; i++) give(frame);
    // Every one that was before, once more, and late.
    if (number === 4) r.rack.clockwork.time.after(3 * period, () => before.forEach(f => give(f)));
  });
}
/**
 * Nanoseconds between two packets: so few that there are always some inside, until the first is led to the peer; then
 * so many that those that wait for state find room.
 */
export function dense(r: StateRack): () => number {
  const jack = r.device(1).jacks[2];
  if (jack === undefined) throw new RangeError("there is no port of peers");
  const { receive } = jack,
    seen = { isLed: false };
  jack.receive = (frame, damaged) => {
    seen.isLed ||= isRedirect(frame);
    receive(frame, damaged);
  };
  return () => (seen.isLed ? 2_000 : 250);
}
/** From now on the sNICs' software does not hear each other: its frames are damaged. @returns what mends the line */
export function cut(r: StateRack): () => void {
  const undo = [0, 1].map(n => {
    const jack = r.device(n).jacks[2];
    if (jack === undefined) throw new RangeError("there is no port of peers");
    const { receive } = jack;
    jack.receive = (frame, damaged) => receive(frame, damaged || isCtrl(frame));
    return () => void (jack.receive = receive);
  });
  return () => undo.forEach(u => u());
}

/**
 * The chain's state goes to the other sNIC and comes back, beside traffic of all flows, and pieces of it are disturbed
 * on both ways. @returns all that is wrong
 */
export async function journey(r: StateRack): Promise<readonly string[]> {
  const problems: string[] = [],
    need = (holds: boolean, what: string): void => void (holds || problems.push(what)),
    a = r.of(0);
  await r.all();
  await r.rest();
  const was = await r.words(0),
    there = disturbed(r, 1),
    traffic = r.run(dense(r));
  need(await a.away.move(r.dag), "it does not go");
  need(!r.manager(0).state.has(r.chain(0)), "state that is away lies here, too");
  need(there.pieces >= 5, `only ${there.pieces} pieces went`);
  const back = disturbed(r, 0);
  // Something else needs its region here meanwhile.
  await r.manager(0).erase(0);
  await r.until(() => a.away.counts.back === 1, "it comes back");
  need(back.pieces >= 5, `only ${back.pieces} pieces came back`);
  await traffic.stop();
  await r.rest();
  const is = await r.words(0);
  need(is.nat === was.nat, "its bindings are others");
  const all = BigInt(r.came.length);
  need(is.packets.join() === `${all},${3n * all}`, `it counted ${is.packets.join()} of ${all}`);
  need(a.away.counts.lost + r.lost === 0, "state counts as lost");
  need(a.away.counts.sent === 1, `it was sent ${a.away.counts.sent} times`);
  const { problems: left, dropped } = await r.finish(),
    refused = r.sent.filter(s => s.refused).length,
    lost = dropped.reduce((x, y) => x + y, 0);
  need(r.outside === 0, `${r.outside} packets did not come`);
  need(lost === refused, `${lost} packets were dropped, and the firewall refuses ${refused}`);
  return [...problems, ...r.problems(), ...left];
}

/** The line is cut when a piece of state comes to a sNIC. */
export function cutAt(r: StateRack, n: number, number: number) {
  const state: { mend?: () => void; came: number } = { came: 0 };
  pieces(r, n, (k, give, frame) => {
    if (k === number) {
      state.mend = cut(r);
      state.came = r.came.length;
    }
    give(frame, k >= number);
  });
  return state;
}
/** The peer falls silent while it is put, for as long as it takes to be gone. @returns all that is wrong */
export async function silentPut(r: StateRack): Promise<readonly string[]> {
  const problems: string[] = [],
    need = (holds: boolean, what: string): void => void (holds || problems.push(what)),
    [a, b] = [r.of(0), r.of(1)];
  await r.all();
  await r.rest();
  const was = await r.words(0),
    line = cutAt(r, 1, 1),
    traffic = r.run(dense(r));
  need(!(await a.away.move(r.dag)), "it goes");
  need(line.mend !== undefined, "the line was not cut");
  await r.until(() => r.gone.length === 2, "both have fallen silent");
  await r.until(() => b.guests.all.length === 0, "the guest is released");
  line.mend?.();
  await r.until(() => r.software.every(s => s.neighbours.every(p => p.presence === "there")), "they are back");
  await traffic.stop();
  await r.rack.clockwork.pause(20 * period);
  need((await r.words(0)).nat === was.nat, "its bindings are others");
  need(a.away.counts.lost + r.lost + a.away.counts.sent === 0, "state counts as lost, or as sent");
  const { problems: left, dropped } = await r.finish(),
    lost = dropped.reduce((x, y) => x + y);
  // Those that were led to the peer meanwhile are dropped there, each counted.
  need((dropped[1] ?? 0) > 0, "nothing was on its way");
  need(lost === r.sent.length - r.came.length, `${lost} packets were dropped, of ${r.sent.length - r.came.length}`);
  return [...problems, ...r.problems(), ...left];
}
