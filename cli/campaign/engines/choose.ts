/** The engine that the options ask for. */
import { availableParallelism } from "node:os";
import { UsageError } from "../../../designs/shared/command-line/index.ts";
import type { EngineName } from "../options.ts";
import type { Engine } from "./engine.ts";
import { localEngine } from "./local.ts";
import { mostShares } from "./shares.ts";

export interface EngineOptions {
  readonly engine: EngineName;
  readonly slots?: number;
  readonly jobs?: number;
  readonly minutes?: number;
  readonly sbatch: readonly string[];
  readonly submit?: string;
  readonly poll: number;
}

/** Tasks of a scheduler that are given out when nothing else is said. */
const usualShares = 100;

/** @throws UsageError for options of another one */
export async function engineOf(o: EngineOptions, pieces: number): Promise<Engine> {
  const of = (engine: string, option: string, given: boolean): void => {
    if (given && o.engine !== engine) throw new UsageError(`${option} is for --engine ${engine}; leave it out`);
  };
  of("shell", "--submit", o.submit !== undefined);
  of("slurm", "--sbatch", o.sbatch.length > 0);
  of("slurm", "--minutes", o.minutes !== undefined);
  of("local", "--slots", o.slots !== undefined);
  if (o.engine === "local" && o.jobs !== undefined)
    throw new UsageError("--jobs is for --engine slurm and shell; on this machine it is --slots");
  const shares = Math.max(1, Math.min(o.jobs ?? usualShares, mostShares, pieces)),
    poll = o.poll * 1000;
  switch (o.engine) {
    case "local":
      return localEngine(o.slots ?? availableParallelism());
    case "slurm": {
      const { slurmEngine } = await import("./slurm.ts");
      return slurmEngine({ shares, minutes: o.minutes, more: o.sbatch, poll });
    }
    case "shell": {
      if (o.submit === undefined)
        throw new UsageError(
          "--engine shell needs --submit '<line with {command}>', such as 'ssh box{share} {command}'",
        );
      const { shellEngine } = await import("./shell.ts");
      return shellEngine({ template: o.submit, shares, poll });
    }
  }
}
