// Vitest over some files of a user's project: under his own configuration, with what the caller adds to it. A process
// of its own, for it takes the standard output, and its workers inherit the environment.
/** @typedef {{ vitest: string, root: string, files: string[], test: object }} Job */
/** @type {unknown} */
const given = JSON.parse(process.argv[2] ?? "");
const { vitest, root, files, test } = /** @type {Job} */ (given);
/** @type {unknown} */
const loaded = await import(vitest);
const { startVitest } = /** @type {typeof import("vitest/node")} */ (loaded);
const added = /** @type {import("vitest/config").ViteUserConfig} */ ({ test });
const run = await startVitest("test", files, { root, run: true, watch: false }, added);
await run.close();
