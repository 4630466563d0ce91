import { installPackages } from "./packages.mjs";
import { installTools } from "./install-tools.mjs";
import { jobs } from "./jobs.mjs";
import { SetupError } from "./setup-error.mjs";
import { execute } from "./execute.mjs";

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
    installTools(job.tools);
    return await execute(process.execPath, job.command(rest));
  } catch (e) {
    if (!(e instanceof SetupError)) throw e;
    console.error(e.message);
    return 2;
  }
}
