import { installPackages } from "./packages.mjs";
import { installTools } from "./install-tools.mjs";
import { jobs } from "./jobs.mjs";
import { SetupError } from "./setup-error.mjs";
import { execute } from "./execute.mjs";

/**
 * Whether what needs a native tool may be left out: `none` leaves it out without a look, `all` never does. CI never
 * does, so that it cannot pass with half of the tests.
 */
function nativeWanted() {
  const value = process.env["MNEMO_NATIVE"] ?? "";
  if (!["", "all", "none"].includes(value))
    throw new SetupError(`MNEMO_NATIVE is "${value}"; give all or none, or leave it away.`);
  return value === "" && (process.env["CI"] ?? "") !== "" ? "all" : value;
}

/**
 * Sets the machine up for a job and runs it.
 * @param {readonly string[]} args the job's name, then what is passed on to it
 * @returns {Promise<number>} the exit code: the job's own, or 2 when the set-up is not possible
 */
export async function bootstrap([name = "", ...rest]) {
  try {
    const job = jobs[name];
    if (job === undefined)
      throw new SetupError(`there is no job "${name}"; the jobs are ${Object.keys(jobs).join(" and ")}.`);
    installPackages();
    const native = nativeWanted();
    if (job.runsWithout !== true || native === "all") installTools(job.tools);
    else if (native !== "none")
      installTools(job.tools, sentence => {
        console.error(`${sentence} Without them, the tests that need them are left out.`);
        process.env["MNEMO_NATIVE"] = "none";
      });
    for (const command of job.commands(rest)) {
      const code = await execute(process.execPath, command);
      if (code !== 0) return code;
    }
    return 0;
  } catch (e) {
    if (!(e instanceof SetupError)) throw e;
    console.error(e.message);
    return 2;
  }
}
