/** Users with regions of their own: whatever one does, the other's frames leave in time and clean. */
import { describe, expect, it } from "vitest";
import { everyPort, uidValues } from "../../../../designs/supernic/software/index.ts";
import { tableWrite, uidEntries } from "../../../../designs/supernic/wire/index.ts";
import { bound, broken, type Doing, doings, type Isolated, isolated, served } from "./support/isolation.ts";
import { parameters, setup, uids, type UsersDevice, withUsers } from "./support/users-device.ts";

type Fault = (t: UsersDevice) => Promise<void>;
async function seenWith(doing: Doing, fault?: Fault): Promise<Isolated> {
  const found: Isolated[] = [];
  const problems = await withUsers(doing, async t => {
    await fault?.(t);
    found.push(await isolated(t, doing));
    return [];
  });
  const [seen] = found;
  if (seen === undefined) throw new Error("nothing was seen");
  // Census and ledger: no frame, context, cell or credit is missing.
  expect(problems).toEqual([]);
  return seen;
}
async function servedWith(fault?: Fault): Promise<readonly string[]> {
  let list: readonly string[] = [];
  await withUsers("rights", async t => {
    await fault?.(t);
    list = await served(t);
    return [];
  });
  return list;
}

describe("isolation", () => {
  it("alice's bytes and 99th percentile stay while bob floods, hangs, is killed and reprogrammed", async () => {
    const alone = await seenWith("nothing");
    expect(alone.others).toBe(0);
    for (const doing of doings.filter(d => d !== "nothing")) {
      const seen = await seenWith(doing);
      expect(broken(seen, alone.p99), doing).toEqual([]);
      if (doing !== "stuck") expect(seen.others, doing).toBeGreaterThan(0);
    }
    expect(bound).toBeLessThan(100);
  });
  it("bob's UID, key and port do not serve alice", async () => {
    expect(await servedWith()).toEqual([]);
  });
});

describe("a fault that breaks it is found", () => {
  it("a user without quotas: what hangs takes the contexts of all", async () => {
    const seen = await seenWith("stuck", async t => {
      const { contexts, cells } = parameters;
      await t.device.driver.write([tableWrite("user", 2, { class: 1, contexts, cells })]);
    });
    expect(broken(seen, 0).length).toBeGreaterThan(0);
    expect(seen.p99).toBeGreaterThan(10 * bound);
  });
  it("a UID that counts at every port, a key that is another's", async () => {
    const [, bob] = setup.dags;
    if (bob === undefined) throw new RangeError("bob has a DAG");
    const uid = await servedWith(async t => {
      await t.device.driver.write([
        tableWrite("uid", uids.bob % uidEntries, uidValues(bob, true), everyPort(setup.sizes)),
      ]);
    });
    expect(uid.join()).toMatch(/UID/);
    const [alice] = setup.users,
      own = alice?.key;
    try {
      Object.assign(alice ?? {}, { key: bob.user.key });
      expect((await servedWith()).join()).toMatch(/signed/);
    } finally {
      Object.assign(alice ?? {}, { key: own });
    }
  });
});
