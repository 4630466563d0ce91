/** Migrations done wrong: the clients' reads show the fault. */
import { describe, expect, test } from "vitest";
import { PeerExchange, type SlowPath } from "../../../../designs/clio/software/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { migrating, veryLate } from "./migrating.ts";
import { onCluster, page } from "./rig.ts";
import type { TableHardware } from "./table-node.ts";
import { traffic } from "./traffic.ts";

describe("planted faults: each is seen by what clients read", () => {
  const slowShootdown = (_: SlowPath, hardware: TableHardware): void => {
    hardware.shootdownNs = 4000;
  };
  test.each(["stopAll", "pageByPage"] as const)("%s: slow shootdowns alone are none", async mode => {
    expect((await migrating(mode, { times: 1, plant: slowShootdown })).problems).toEqual([]);
  });
  test.each(["stopAll", "pageByPage"] as const)("%s: a page is copied before its shootdown is acknowledged", mode =>
    findsFault(
      migrating(mode, {
        plant: (_, hardware) => {
          hardware.shootdownNs = 20_000;
          const acknowledged = hardware.shootdown.bind(hardware);
          hardware.shootdown = (pid, vpn) => {
            void acknowledged(pid, vpn);
            return Promise.resolve();
          };
        },
      }),
      /it can be|words/,
    ),
  );
  test("a page stays writable while it is copied: what is written before the switch is lost", () =>
    findsFault(
      migrating("pageByPage", {
        plant: ({ memory }) => {
          const withdraw = memory.withdraw.bind(memory);
          memory.withdraw = (pid, vpn, keepRead) =>
            keepRead ? memory.frameOf(pid, vpn) : withdraw(pid, vpn, keepRead);
        },
      }),
      /it can be|words/,
    ));
  test("a page is in use at both nodes: it is never withdrawn at the first", () =>
    findsFault(
      migrating("pageByPage", {
        plant: ({ memory }) => {
          const withdraw = memory.withdraw.bind(memory);
          memory.withdraw = (pid, vpn, keepRead) =>
            keepRead ? withdraw(pid, vpn, keepRead) : memory.frameOf(pid, vpn);
        },
      }),
      /it can be|words/,
    ));
  test("a region is given to two nodes", () =>
    findsFault(
      onCluster({ clients: 2, limitNs: 1e11 }, async ({ process, controller, time }) => {
        const processes = await process(),
          { map } = controller.monitor,
          va = 1n << 30n;
        let turn = 0;
        map.give = (_, region = 1) => ({
          region,
          node: map.nodes[turn++ % 2]!,
          state: "placed",
          to: undefined,
          version: 1,
        });
        for (const p of processes) await p.thread().ralloc(6n * page, { address: va });
        const result = await traffic(
          { time, seed: 1, processes, va, pages: 6 },
          new Promise<void>(resolve => {
            time.after(100_000, resolve);
          }),
        );
        if (result.problems.length > 0) throw new Error(result.problems[0]);
      }),
      /it can be|words/,
    ));
  // 16 tries: the former bound for a request before its peer counted as gone, whatever other frames came from it.
  const sixteenTries = {
    seed: 8,
    times: 2,
    link: veryLate,
    betweenNs: 200_000,
    limitNs: 1e8,
    cluster: { silentNs: 5_550_000 },
  };
  test("a node that is heard of is not gone, however unlucky one request is", async () => {
    expect((await migrating("pageByPage", sixteenTries)).problems).toEqual([]);
  });
  test("a node counts as gone although it is heard of: its region is declared lost", async () => {
    const exchange = PeerExchange.prototype as unknown as { hear: (ip: number) => void },
      { hear } = exchange;
    exchange.hear = () => undefined;
    try {
      await findsFault(migrating("pageByPage", sixteenTries), /the migration ended with 5/);
    } finally {
      exchange.hear = hear;
    }
  });
});
