import { Option } from "commander";
import type { Verb } from "../verb.ts";
import { table, UsageError } from "../../designs/shared/command-line/index.ts";

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
const when = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** `mnemo cache`: the compiled models and translated sources that are kept, and how to get rid of them. */
export const cacheVerb: Verb = (program, { terminal }) =>
  program
    .command("cache")
    .description(
      "list what is kept of compiled models and translated sources; --clean removes it, what was used least recently first",
    )
    .option("--clean", "remove what nobody has used in the last ten minutes")
    .addOption(new Option("--to <size>", "with --clean: only down to this size, such as 500MB (default: everything)"))
    .action(async (o: { readonly clean?: true; readonly to?: string }) => {
      const { bytesOf, cacheEntries, cacheLimit, cacheRoot, trimCache } = await import("../../sim/index.ts");
      const most = bytesOf(o.to ?? "0");
      if (most === undefined) throw new UsageError(`--to ${o.to ?? ""} is no size; give one such as 500MB or 4GB`);
      if (o.to !== undefined && o.clean !== true)
        throw new UsageError(`--to ${o.to} says how much --clean leaves; give --clean, too`);
      const limit = cacheLimit();
      if (o.clean === true) {
        const { entries, bytes, inUse } = trimCache(most);
        terminal.print(
          `removed ${entries} entries, ${megabytes(bytes)} MB${inUse === 0 ? "" : `; ${inUse} of the last ten minutes stay, as they may be in use`}`,
        );
      }
      const all = cacheEntries(),
        sum = (of: typeof all): number => of.reduce((n, e) => n + e.bytes, 0);
      const rows = [...new Set(all.map(e => e.kind))].sort().map(kind => {
        const of = all.filter(e => e.kind === kind);
        return [
          kind,
          String(of.length),
          megabytes(sum(of)),
          when(of[0]?.lastUsed ?? 0),
          when(of.at(-1)?.lastUsed ?? 0),
        ];
      });
      if (rows.length > 0) terminal.print(table(["kind", "entries", "MB", "oldest use", "newest use"], rows, "lrrll"));
      terminal.print(
        `${cacheRoot()}: ${all.length} entries, ${megabytes(sum(all))} MB; kept below ${megabytes(limit)} MB (MNEMO_CACHE_SIZE)`,
      );
    });
