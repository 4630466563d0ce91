/**
 * A chain's state goes from one sNIC to another and comes back, cycle by cycle and beside traffic: both sNICs'
 * hardware, their software, and the lines between. docs/supernic/state.md tells what is due.
 */
import { describe, expect, it } from "vitest";
import { cutAt, dense, journey, silentPut } from "./state-life.ts";
import { inStateRack, period } from "./state-rack.ts";

const patience = 300_000,
  long = process.env["MNEMO_LONG"] === "1";

describe("the state of a chain that moves between two sNICs", () => {
  it(
    "goes under traffic and comes back: no packet is done with lost state, none is lost or done twice",
    () => inStateRack({}, async r => expect(await journey(r)).toEqual([])),
    patience,
  );
  it.skipIf(!long)(
    "a peer that falls silent while it is put: the chain goes on here with what it has, and the other side keeps none",
    () => inStateRack({ seed: 2 }, async r => expect(await silentPut(r)).toEqual([])),
    patience,
  );
  it.skipIf(!long)(
    "a peer that falls silent while it is got: it is lost, counted once, and the chain begins as configured",
    () =>
      inStateRack({ seed: 3 }, async r => {
        const a = r.of(0);
        await r.all();
        await r.rest();
        const traffic = r.run(dense(r));
        expect(await a.away.move(r.dag)).toBe(true);
        const line = cutAt(r, 0, 1);
        await r.until(() => a.away.counts.lost === 1, "it is lost");
        await r.until(() => a.away.counts.back === 1, "it is back");
        line.mend?.();
        await r.until(() => r.software.every(s => s.neighbours.every(p => p.presence === "there")), "they are back");
        await traffic.stop();
        await r.rack.clockwork.pause(20 * period);
        // Before the loss as ever, behind it from the beginning: not one packet has half of both.
        expect([r.problems(0, line.came), r.problems(line.came)]).toEqual([[], []]);
        expect(a.away.counts).toMatchObject({ sent: 1, back: 1, lost: 1 });
        const { problems, dropped } = await r.finish();
        expect(problems).toEqual([]);
        expect(dropped.reduce((x, y) => x + y)).toBe(r.sent.length - r.came.length);
      }),
    patience,
  );
});
