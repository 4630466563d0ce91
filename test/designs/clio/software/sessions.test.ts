/** Who gets a session when all are taken, and when: bounds from both sides, with faults planted into the owners. */
import { afterEach, describe, expect, it, vi } from "vitest";
import * as p from "../../../support/packets.ts";
import { GoBackNTransport } from "../../../../designs/clio/client/index.ts";
import { sessionTenureNs } from "../../../../designs/clio/software/index.ts";
import { SessionOwners } from "../../../../designs/clio/software/requests/session-owners.ts";
import { SimulatedTime } from "../../../../sim/index.ts";
import { type Opened, type SessionRig, withSessions } from "./session-rig.ts";

const { OK, BUSY, FAIL } = p.status;
const given = (session: number): Opened => ({ status: OK, session }),
  busy = (waitNs: number): Opened => ({ status: BUSY, waitNs });

/** Every session has a client of its own, which sends nothing; they came 1 ns after each other. */
async function taken(rig: SessionRig, count: number): Promise<void> {
  for (let s = 1; s < count; s++, rig.hardware.now++) expect(await rig.open(s)).toEqual(given(s));
}

/** A client more than there are sessions: what it is told is exact, and it has the session that was opened first. */
async function reclaimed(rig: SessionRig, count: number): Promise<void> {
  rig.hardware.now = 0;
  await taken(rig, count);
  const { now } = rig.hardware,
    host = count;
  expect(await rig.open(host), "told at once").toEqual(busy(sessionTenureNs - now));
  rig.hardware.now = sessionTenureNs - 1;
  expect(await rig.open(host), "just before").toEqual(busy(1));
  expect(rig.closed, "nobody has lost one so far").toEqual([]);
  rig.hardware.now++;
  expect(await rig.open(host), "then").toEqual(given(1));
  expect(await rig.open(host + 1), "the second was opened 1 ns later").toEqual(busy(1));
  rig.hardware.now++;
  expect(await rig.open(host + 1)).toEqual(given(2));
  for (let s = 3; s < count; s++) {
    rig.hardware.now++;
    expect((await rig.open(host + s)).session).toBe(s);
  }
  const again = 2 * sessionTenureNs - rig.hardware.now;
  expect(await rig.open(3 * count), "newcomers have their time, too").toEqual(busy(again));
  expect(rig.live.size, "all are somebody's").toBe(count - 1);
}

/** One client has all: others get their share at once, and nobody loses the last one before its time. */
async function shared(rig: SessionRig): Promise<void> {
  rig.hardware.now = 0;
  for (let s = 1; s < 8; s++) expect(await rig.open(0)).toEqual(given(s));
  // The dead client's own eighth is refused; others get its oldest, until each has its share.
  expect((await rig.open(0)).status).toBe(BUSY);
  const statuses: (number | undefined)[] = [];
  for (const host of [1, 1, 2, 1, 1]) statuses.push((await rig.open(host)).session);
  expect(statuses, "the share of each").toEqual([1, 2, 3, 4, undefined]);
  expect([await rig.close(2, 5), await rig.close(0, 5)], "only the own one is closed").toEqual([false, true]);
  expect([(await rig.open(0)).session, (await rig.open(0)).status]).toEqual([5, BUSY]);
}

describe("sessions, all of them taken", () => {
  for (const count of [8, 1024])
    it(`${count - 1} silent clients: the next is told how long to wait, to the nanosecond, and is in then`, () =>
      withSessions({ count }, rig => reclaimed(rig, count)));
  it("are shared out: who opens all keeps no other client out, and closes no other's", () => withSessions({}, shared));
  it("on the published client's port: number 0 until then, since that client looks at the number alone", () =>
    withSessions({ native: false }, async rig => {
      rig.hardware.now = 0;
      await taken(rig, 8);
      rig.hardware.now = sessionTenureNs - 1;
      expect(await rig.open(8)).toEqual({ status: FAIL, session: 0 });
      rig.hardware.now++;
      expect(await rig.open(8)).toEqual(given(1));
    }));
  it("the same request is done after BUSY, once: its repetitions and late copies get the same session", () =>
    withSessions({ tenureNs: 500 }, async rig => {
      rig.hardware.now = 0;
      await taken(rig, 8);
      const host = 8,
        { now } = rig.hardware;
      expect(await rig.open(host, 100)).toEqual(busy(500 - now));
      expect(await rig.open(host, 101, 100)).toEqual(busy(500 - now));
      rig.hardware.now = 600;
      expect(await rig.open(host, 102, 100)).toEqual(given(1));
      for (const [id, of] of [[100], [101, 100], [102, 100]] as const)
        expect(await rig.open(host, id, of)).toEqual(given(1));
      expect(rig.closed).toEqual([1]);
    }));
  it("nobody's session comes back where nobody has one: FAIL", () =>
    withSessions({ count: 1 }, async rig => {
      expect(await rig.open(1)).toEqual({ status: FAIL, session: 0 });
    }));
});

/** A CLib transport whose datagrams the slow path answers; how often it asked until it had a session. */
async function waitsItOut(rig: SessionRig, host: number, change: (reply: Uint8Array) => void = () => undefined) {
  const time = new SimulatedTime(),
    to = { ip: 1, port: 1 },
    asked: number[] = [];
  let receive: (payload: Uint8Array) => void = () => undefined;
  const transport = new GoBackNTransport(
    {
      send: (_, payload) => {
        const header = p.decode(p.gbnHeader, payload);
        if (header.dstSlot !== 0) return;
        asked.push(time.now());
        rig.hardware.now = time.now();
        void rig.ask(host, payload.slice(p.gbnHeader.bytes)).then(({ clio, body }) => {
          const back = p.encode(p.gbnHeader, { ...header, srcSlot: 0, dstSlot: header.srcSlot, unused: 0 }),
            message = p.concat(back, p.encode(p.clioHeader, clio!), body ?? new Uint8Array());
          change(message);
          receive(message);
        });
      },
      receive: r => void (receive = payload => r(to, payload, false)),
    },
    { clock: time, timeoutNs: 1_000_000, random: () => 0.5 },
  );
  transport.send(to, new Uint8Array(16));
  await time.run(
    new Promise<void>(resolve => {
      const look = (): void => {
        if (transport.sessionOf(to) === undefined) time.after(100_000, look);
        else resolve();
      };
      look();
    }),
    { limitNs: 3 * sessionTenureNs },
  );
  return { asked, session: transport.sessionOf(to) };
}

describe("a client of CLib that finds all sessions taken", () => {
  it("asks when it was told to, and not before; then it has one", () =>
    withSessions({}, async rig => {
      rig.hardware.now = 0;
      await taken(rig, 8);
      const { asked, session } = await waitsItOut(rig, 8);
      expect(session).toBe(1);
      expect(asked).toHaveLength(2);
      expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(sessionTenureNs - 8);
      expect(asked[1]! - asked[0]!).toBeLessThanOrEqual(sessionTenureNs + 1_000_000);
    }));
  it("planted fault: without the time in the answer it asks at every timeout", () =>
    withSessions({ tenureNs: 20_000_000 }, async rig => {
      rig.hardware.now = 0;
      await taken(rig, 8);
      const at = p.gbnHeader.bytes + p.clioHeader.at.flagRoute.byteOffset,
        { asked } = await waitsItOut(rig, 8, reply => void (reply[at]! &= ~(1 << p.clioHeader.at.flagRoute.bitOffset)));
      expect(asked.length).toBeGreaterThan(10);
    }));
});

describe("a planted fault is found", () => {
  afterEach(() => vi.restoreAllMocks());
  const { prototype } = SessionOwners;
  /** Puts a faulty method in a method's place, which the fault may call. */
  const replace = <M extends "waitNs" | "expired" | "surplus" | "add">(
    method: M,
    fault: (real: SessionOwners[M], ...args: Parameters<SessionOwners[M]>) => ReturnType<SessionOwners[M]>,
  ): void => {
    const real = { ...Object.getOwnPropertyDescriptors(prototype)[method] }.value as SessionOwners[M];
    vi.spyOn(prototype, method).mockImplementation(function (this: SessionOwners, ...args: never) {
      return fault(real.bind(this) as SessionOwners[M], ...(args as Parameters<SessionOwners[M]>));
    } as never);
  };
  const faults: readonly (readonly [string, () => void, RegExp])[] = [
    ["nobody's time ends", () => replace("expired", () => undefined), /^then/],
    ["a session goes 1 ns early", () => replace("waitNs", (real, now) => real(now + 1)), /told at once/],
    ["a session goes 1 ns late", () => replace("expired", (real, now) => real(now - 1)), /^then/],
    ["half of the time is told", () => replace("waitNs", (real, now) => (real(now) ?? 0) >> 1), /told at once/],
    [
      "the session opened last goes",
      () => replace("expired", (real, now) => (real(now) === undefined ? undefined : 7)),
      /^then/,
    ],
    [
      "the time of a session that was given on is not begun anew",
      () => replace("add", (real, session, ip, now) => real(session, ip, now >= sessionTenureNs ? 0 : now)),
      /newcomers have their time/,
    ],
    ["somebody's last session is taken at once", () => replace("surplus", (real, ip) => real(ip) ?? 1), /told at once/],
    ["who has most gives nothing back", () => replace("surplus", () => undefined), /the share of each/],
    ["anybody closes a session", () => void vi.spyOn(prototype, "has").mockReturnValue(true), /only the own one/],
  ];
  const both = async (): Promise<void> => {
    await withSessions({}, rig => reclaimed(rig, 8));
    await withSessions({}, shared);
  };
  it("and nothing without one", both);
  for (const [name, plants, why] of faults)
    it(name, async () => {
      plants();
      await expect(both()).rejects.toThrow(why);
    });
});
