import { type MigrationMode, migrationResult } from "../../../../designs/clio/software/index.ts";
import type { LinkOptions } from "../../../../sim/index.ts";
import { type ClusterOptions, insist, onCluster, page } from "./rig.ts";
import { traffic, type TrafficResult } from "./traffic.ts";

/** Every fault of a line, 10 % each. */
export const lossy: LinkOptions = { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 3000 };
/** The same, with frames that arrive later than they are sent again (50,000 ns). */
export const veryLate: LinkOptions = { ...lossy, reorderNs: 60_000 };

/** The seeds of a sweep: 1 to MNEMO_MIGRATION_SEEDS, a second or so each; without it these few. */
export function migrationSeeds(few: readonly number[]): readonly number[] {
  const count = Number(process.env["MNEMO_MIGRATION_SEEDS"] ?? 0);
  return count > 0 ? Array.from({ length: count }, (_, i) => i + 1) : few;
}

/**
 * A region goes to the other node and back, `times` times in all, under the traffic of all clients. @throws when a
 * result is wrong
 */
export async function migrating(
  mode: MigrationMode,
  o: ClusterOptions & { readonly times?: number; readonly betweenNs?: number } = {},
): Promise<TrafficResult> {
  const seed = o.seed ?? 1,
    pages = 12;
  return onCluster({ clients: 4, limitNs: 1e11, ...o, seed }, async ({ process, controller, time, clients }) => {
    const processes = await process(),
      t = processes[0]!.thread(),
      va = await insist(() => t.ralloc(BigInt(pages) * page, { region: 1 }));
    const migrations = { moving: false, begun: 0 };
    const moves = async (): Promise<void> => {
      for (let i = 0; i < (o.times ?? 3); i++) {
        await new Promise<void>(resolve => {
          time.after(o.betweenNs ?? 60_000, resolve);
        });
        migrations.moving = true;
        migrations.begun++;
        const result = await controller.migrate(processes[0]!.pid, 1, { mode });
        migrations.moving = false;
        if (result !== migrationResult.done) throw new Error(`the migration ended with ${result}`);
      }
    };
    const all = moves(),
      [result] = await Promise.all([traffic({ time, seed, processes, va, pages }, all, migrations), all]);
    if (result.problems.length > 0) throw new Error(result.problems.slice(0, 3).join("\n"));
    if (clients.some(c => c.pending > 0)) throw new Error("requests are left over");
    return result;
  });
}
