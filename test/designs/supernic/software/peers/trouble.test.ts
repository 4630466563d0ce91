/** Bad lines, sNICs that fail and start anew, DAGs that move all the time: nothing is lost that was taken in. */
import { describe, expect, it } from "vitest";
import type { Dag } from "../../../../../designs/supernic/software/index.ts";
import { life } from "./support/life.ts";
import { inRack } from "./support/modelled-rack.ts";

const periods = Number(process.env["MNEMO_PERIODS"] ?? 150);

describe("peers in trouble", () => {
  it.each([1, 2])(
    "lines that lose, double and delay the software's frames: DAGs move, no packet is lost or done twice (%i)",
    seed =>
      inRack({ count: 3, seed, faults: { loss: 0.1, duplicate: 0.1, reorder: 0.1 } }, rack =>
        life(rack, { periods, failures: 0 }),
      ),
  );
  it.each([4, 6])(
    "and sNICs that fail and come back: all DAGs have a place in the end, and no packet is done twice (%i)",
    seed =>
      inRack({ count: 3, seed, faults: { loss: 0.05, duplicate: 0.05, reorder: 0.05 } }, rack =>
        life(rack, { periods: 2 * periods, failures: 0.02 }),
      ),
  );
  it("a peer that accepts and never loads costs one launch, and others are asked", () =>
    inRack({ count: 3 }, async rack => {
      const [a, b] = [rack.nic(0), rack.nic(1)];
      // Its regions never come back from their reprogramming.
      b.model.loses = w => w.table === "region";
      for (const task of ["dummy", "checksum"]) await a.peers.place(await a.dag(task));
      const dag = await a.dag("counter");
      expect(await a.peers.place(dag)).toBe("peer");
      expect([a.wayOf(dag), a.peers.away.counts.refused]).toEqual(["snic2", 1]);
      b.model.loses = () => false;
      await rack.until(() => b.peers.guests.all.length === 0, "the guest is released");
    }));
  it("a peer that denies its guest: the DAG is placed anew after the second LOAD without it, not the first", () =>
    inRack({ count: 3 }, async rack => {
      const [a, b] = [rack.nic(0), rack.nic(1)];
      for (const task of ["dummy", "checksum"]) await a.peers.place(await a.dag(task));
      const dag = await a.dag("counter");
      await a.peers.place(dag);
      await b.peers.guests.ownerGone(0, false);
      await rack.until(() => a.wayOf(dag) === "snic2", "it runs elsewhere", 20);
      expect(a.neighbour(1).counts.denials).toBe(1);
      expect(a.neighbour(1).presence).toBe("there");
    }));
  it("requests of another life, of another owner, or twice, do nothing", () =>
    inRack({ count: 3 }, async rack => {
      const [a, b, c] = [rack.nic(0), rack.nic(1), rack.nic(2)],
        kept: Uint8Array[] = [];
      rack.between = (from, to, frame) => {
        if (from === 0 && to === 1) kept.push(frame);
        return [frame];
      };
      for (const task of ["dummy", "checksum"]) await a.peers.place(await a.dag(task));
      const dag = await a.dag("counter");
      await a.peers.place(dag);
      const [guest] = b.peers.guests.all;
      if (guest === undefined) throw new Error("there is no guest");
      const which = { uid: dag.uid, launch: guest.launch };
      // Another owner knows its name.
      expect(await b.peers.guests.release(2, which)).toBe("OK");
      expect(b.peers.guests.pause(2, which)).toBe("EXPIRED");
      expect(b.peers.guests.saved(2, which)).toBe("EXPIRED");
      expect(b.peers.guests.saved(0, which)).toBe("BUSY");
      // Everything again, in any order.
      for (const f of [...kept].reverse()) b.peers.receive(f, b.portTo(0));
      await rack.periods(5);
      expect(b.peers.guests.all).toEqual([guest]);
      expect([b.peers.guests.counts.launched, c.peers.guests.counts.launched]).toEqual([1, 0]);
      // Given back, and then the old LAUNCH again.
      await b.peers.guests.release(0, which);
      for (const f of kept) b.peers.receive(f, b.portTo(0));
      await rack.periods(1);
      expect(b.peers.guests.counts.launched).toBe(1);
    }));
  it("a peer that asks for more than there is, or for what cannot be, is refused, and nobody else notices", () =>
    inRack({ count: 2 }, async rack => {
      const [a, b] = [rack.nic(0), rack.nic(1)],
        own = await b.dag("dummy");
      await b.peers.place(own);
      const ask = (dag: Partial<Dag>, codes: readonly number[] = [1]) => rack.ask(a, b, dag, codes);
      expect(await ask({ uid: own.uid })).toBe("DENIED");
      expect(await ask({ user: { ...own.user, number: 9 } })).toBe("INVALID");
      expect(await ask({}, [9])).toBe("INVALID");
      expect(await ask({}, [])).toBe("INVALID");
      expect(await ask({}, [1, 1])).toBe("INVALID");
      // Its state would be another DAG's.
      expect(await ask({ uid: 1024 + 10 }, [3])).toBe("OK");
      expect(await ask({ uid: 1024 + 11 }, [3])).toBe("FULL");
      expect(await ask({ uid: 1024 + 12 }, [2])).toBe("FULL");
      // Chains that run have room for as many DAGs as there are entries.
      let guests = 1;
      for (let i = 0; i < 20; i++) if ((await ask({ uid: 1024 + 20 + i }, [1])) === "OK") guests++;
      expect(guests).toBe(16);
      expect(b.wayOf(own)).toBe("here");
    }));
});
