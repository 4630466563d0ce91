import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type EmittedDesign, simulationFiles, synthesisFiles } from "../../hdl-dsl/index.ts";
import { installSentence } from "../../scripts/setup/install-tools.mjs";
import { findTool, tools } from "../../scripts/setup/tools.mjs";
import { contentKey, remembered } from "../cache.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { contentOf } from "../verilog-content.ts";

/** Output of a tool; any word is too much. */
export interface Complaint {
  readonly tool: string;
  readonly text: string;
}

/** The tools, how each is asked and about which files; no waiver anywhere. */
export const lintTools = {
  verilator: {
    name: "verilator -Wall",
    files: simulationFiles,
    args: (top: string, files: readonly string[]) => ["--lint-only", "-Wall", "--top-module", top, ...files],
  },
  yosys: {
    name: "yosys check -assert",
    files: synthesisFiles,
    args: (top: string, files: readonly string[]) => [
      "-q",
      "-p",
      `read_verilog ${files.join(" ")}; hierarchy -check -top ${top}; proc; memory_collect; check -assert`,
    ],
  },
  iverilog: {
    name: "iverilog -Wall",
    files: simulationFiles,
    args: (top: string, files: readonly string[]) => ["-g2005", "-Wall", "-t", "null", "-s", top, ...files],
  },
} as const;

/** @throws UsageError saying what to install when one of the tools is not there. */
export function missingTools(): void {
  const missing = [tools.verilator, tools.yosys, tools.iverilog].filter(t => findTool(t) === undefined);
  if (missing.length > 0) throw new UsageError(installSentence(missing));
}

/** A tool gets so long for a design, s. The largest of ours take 10 s; Yosys needs an hour for some legal texts. */
const LIMIT = 300;
/** No verdict: it is not remembered. */
class TooLong extends Error {}

/** @returns what the tool printed, or undefined when it ended well and silently */
export function ask(program: string, args: readonly string[], cwd: string, limit = LIMIT): Promise<string | undefined> {
  return new Promise((done, fail) => {
    execFile(program, [...args], { cwd, maxBuffer: 1 << 26, timeout: 1000 * limit }, (error, stdout, stderr) => {
      if (error?.killed === true) {
        fail(
          new TooLong(
            `it was ended after ${limit} s; an initial block of many thousand words is the usual reason: make the memory wider and less deep, or leave its content out`,
          ),
        );
        return;
      }
      const said = `${stdout}${stderr}`.trim();
      done(error === null && said === "" ? undefined : said || (error?.message ?? ""));
    });
  });
}

const versions = new Map<string, Promise<string>>();

/** Version that a tool reports: part of what a result depends on. */
function versionOf(program: keyof typeof lintTools): Promise<string> {
  const known =
    versions.get(program) ??
    promisify(execFile)(program, tools[program].version).then(
      ({ stdout, stderr }) => (stdout + stderr).split("\n")[0] ?? "",
    );
  versions.set(program, known);
  return known;
}

/**
 * Runs every tool on the design, or recalls what it said of the same text. @returns their complaints; none when
 * all are content
 */
export async function lintDesign(design: EmittedDesign): Promise<readonly Complaint[]> {
  const asked = await Promise.all(
    (Object.keys(lintTools) as (keyof typeof lintTools)[]).map(async (program): Promise<readonly Complaint[]> => {
      const t = lintTools[program],
        files = t.files(design),
        args = t.args(
          design.top,
          files.map(f => f.name),
        );
      const said = await remembered(
        "lint",
        contentKey([await versionOf(program), ...args, ...contentOf(files)]),
        async () => {
          const folder = mkdtempSync(join(tmpdir(), "mnemo-lint-"));
          try {
            for (const f of files) writeFileSync(join(folder, f.name), f.text);
            return { text: (await ask(program, args, folder)) ?? null };
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        },
      ).catch((e: unknown) => {
        if (e instanceof TooLong) return { value: { text: e.message } };
        throw e;
      });
      const { text } = said.value;
      return text === null ? [] : [{ tool: t.name, text }];
    }),
  );
  return asked.flat();
}
