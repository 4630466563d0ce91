// `npm start` and `npm test`: sets up what is missing (npm packages, native tools), then runs the job. Nothing but
// Node is needed to run this file, and it must parse on an old Node to be able to say so: the rest is imported
// after the check.
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error("Node " + process.versions.node + " is too old: install Node 20 or later and run this again.");
  process.exit(2);
}
const { bootstrap } = await import("./setup/bootstrap.mjs");
process.exitCode = await bootstrap(process.argv.slice(2));
