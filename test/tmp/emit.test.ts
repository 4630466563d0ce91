import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { designOf, unbroken } from "../../sim/index.ts";
import { CommitEngine, parametersOf } from "../../designs/hotpot/node/index.ts";
import { CommitTask } from "../../designs/hotpot/task/index.ts";
it("emits", () => {
  for (const [n, d] of [["engine", designOf(CommitEngine(parametersOf({ contexts: 8, director: 1 })))], ["task", designOf(CommitTask({ contexts: 8 }))]] as const)
    writeFileSync(`/tmp/${n}.v`, d.emitted.files.map(f => unbroken(f.text)).join("\n"));
});
