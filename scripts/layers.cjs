// The layers of the project as rules for dependency-cruiser: what may import what. Paths are seen from the folder
// that is cruised.
const { existsSync, readdirSync } = require("node:fs");
const path = require("node:path");

/** Folders that are cruised. */
const layers = ["hdl-dsl", "designs", "examples", "sim", "cli", "test"];

/** Parts of designs/shared that are hardware, or the data that describe it. */
const sharedHardware = "designs/shared/(?:wire|hash|frame|stream|axi|proofs|[^/]+/(?:rtl|wire|table))";
/** Designs that are made of other ones: a rack of devices and nodes, what stands in front of a node or inside one. */
const systems = ["rack", "legoos", "wickit", "fastswap", "aifm", "valet", "hotpot"];
/** Parts of a design that may use the simulator; an example's parts are files. The gallery's folders bring benches. */
const simulated =
  "^(?:(?:designs|examples)/[^/]+/(?:(?:rig|evaluation)(?:/|\\.ts$)|design\\.ts$)|examples/gallery/[^/]+/test/)";

/**
 * @param {string} folder @param {string} [prefix] @returns {string[]} the folders under it, at any depth, as
 * paths with `/`
 */
function foldersUnder(folder, prefix = "") {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter(e => e.isDirectory())
    .flatMap(e => [`${prefix}${e.name}`, ...foldersUnder(path.join(folder, e.name), `${prefix}${e.name}/`)]);
}

/**
 * Folders with a public face: the layers that are libraries, the parts of the designs, and every folder that has an
 * index.ts. A group of designs/shared that has parts of its own (rtl, software ...) has a face for each of them.
 * @param {string} root
 */
function faces(root) {
  const under = foldersUnder(path.join(root, "designs"), "designs/");
  const parts = under.filter(f => /^designs\/(?!shared\/)[^/]+\/[^/]+$/.test(f));
  const withIndex = ["hdl-dsl", "designs", "sim"]
    .flatMap(l => foldersUnder(path.join(root, l), `${l}/`))
    .filter(f => existsSync(path.join(root, f, "index.ts")));
  return [...new Set(["hdl-dsl", "sim", ...parts, ...withIndex])].sort();
}

const error = /** @type {const} */ ("error");

/**
 * @param {string} root the folder that holds the layers
 * @returns {import("dependency-cruiser").IForbiddenRuleType[]}
 */
function forbidden(root) {
  return [
    {
      name: "hdl-dsl-knows-nothing-above",
      severity: error,
      comment: "The language stands alone.",
      from: { path: "^hdl-dsl/" },
      to: { path: "^(?:designs|examples|sim|cli|test)/" },
    },
    {
      name: "sim-knows-no-design",
      severity: error,
      comment: "The harness is a library for any design, the shared blocks among them.",
      from: { path: "^sim/" },
      to: { path: "^(?:designs|examples|cli|test)/" },
    },
    {
      name: "designs-know-no-command-line",
      severity: error,
      comment: "A design gives the command line its hooks (design.ts) and asks nothing of it.",
      from: { path: "^(?:designs|examples)/" },
      to: { path: "^(?:cli|test)/" },
    },
    {
      name: "cli-knows-no-test",
      severity: error,
      comment: "Tests use the command line, not the other way round.",
      from: { path: "^cli/" },
      to: { path: "^test/" },
    },
    {
      name: "only-rig-and-evaluation-simulate",
      severity: error,
      comment:
        "What surrounds a design in simulation is its rig; what measures it is its evaluation. All else also runs without a simulator.",
      from: { path: "^(?:designs|examples)/", pathNot: simulated },
      to: { path: "^sim/" },
    },
    {
      name: "no-design-knows-another",
      severity: error,
      comment:
        "What two designs need is in designs/shared, which names none of them. A system may name what it is made of.",
      from: { path: `^designs/(?!(?:${systems.join("|")})/)([^/]+)/` },
      to: { path: "^designs/", pathNot: "^designs/(?:shared|$1)/" },
    },
    {
      name: "no-design-knows-a-system",
      severity: error,
      comment: "A system is made of designs; none of them knows of it, and no system is part of another one.",
      from: { path: "^designs/([^/]+)/" },
      to: { path: `^designs/(?:${systems.join("|")})/`, pathNot: "^designs/$1/" },
    },
    {
      name: "no-design-knows-an-example",
      severity: error,
      comment: "Examples are for readers.",
      from: { path: "^designs/" },
      to: { path: "^examples/" },
    },
    {
      name: "an-example-stands-alone",
      severity: error,
      comment: "An example is bound like a design: it knows the shared parts, and no other design or example.",
      from: { path: "^examples/((?:gallery/)?[^/]+)/" },
      to: { path: "^(?:designs|examples)/", pathNot: "^(?:designs/shared|examples/$1)/" },
    },
    {
      name: "cli-learns-of-designs-in-one-file",
      severity: error,
      comment: "cli/designs.ts is the only list of designs; in the package installed-designs.ts stands in its place.",
      from: { path: "^cli/", pathNot: "^cli/(?:installed-)?designs\\.ts$" },
      to: { path: "^(?:designs/(?!shared/)|examples/)" },
    },
    ...faces(root).map(face => ({
      name: `only-through-${face.replaceAll("/", "-")}-index`,
      severity: error,
      comment: `${face}/index.ts is the public face of ${face}: nothing outside reaches past it, but its own tests (test/ has the same tree), and what sets the tests up.`,
      from: { pathNot: `^(?:(?:test/)?${face}/|vitest\\.config\\.ts$)` },
      to: { path: `^${face}/(?!index\\.ts$)` },
    })),
    {
      name: "rtl-is-hardware",
      severity: error,
      comment:
        "The hardware of a design is made of the language, shared blocks and the data that describe it: its wire formats, configuration, registers.",
      from: { path: "^designs/(?!shared/)[^/]+/rtl/" },
      to: {
        path: "^(?:hdl-dsl|designs|examples|sim|cli|test)/",
        pathNot: `^(?:hdl-dsl|${sharedHardware}|designs/[^/]+/(?:rtl|wire|config|registers))/`,
      },
    },
    {
      name: "shared-blocks-are-hardware",
      severity: error,
      comment:
        "A shared block is made of the language and of other shared blocks; a design tells it the rest by parameters.",
      from: { path: "^designs/shared/(?:frame|stream|axi|proofs|[^/]+/rtl)/" },
      to: { path: "^(?:hdl-dsl|designs|examples|sim|cli|test)/", pathNot: `^(?:hdl-dsl|${sharedHardware})/` },
    },
    {
      name: "offloads-are-hardware",
      severity: error,
      comment: "What hosts offloads needs the node; an offload is written against its host's interface alone.",
      from: { path: "^designs/([^/]+)/offloads?/" },
      to: {
        path: "^(?:hdl-dsl|designs|examples|sim|cli|test)/",
        pathNot: `^(?:hdl-dsl|${sharedHardware}|designs/$1/(?:offloads?|rtl|wire|config|registers))/`,
      },
    },
    {
      name: "offloads-know-their-host-only",
      severity: error,
      comment: "An offload sees the node through the interface that its host gives it.",
      from: { path: "^designs/([^/]+)/offloads/" },
      to: { path: "^designs/$1/rtl/" },
    },
    {
      name: "software-and-model-know-no-hardware",
      severity: error,
      comment: "Software also runs on the board, and the model is to be independent of what it checks.",
      from: { path: "^designs/(?:[^/]+/(?:software|model)|shared/[^/]+/software)/" },
      to: { path: "^(?:sim|hdl-dsl|designs/[^/]+/rtl|designs/shared/(?:frame|stream|axi|proofs|[^/]+/rtl))/" },
    },
    {
      name: "client-knows-the-wire-only",
      severity: error,
      comment: "A client shares nothing with a node but the wire format (with its transport) and the configuration.",
      from: { path: "^designs/([^/]+)/client/" },
      to: {
        path: "^(?:hdl-dsl|designs)/",
        pathNot: "^designs/(?:shared/(?:wire|[^/]+/(?:wire|software))|$1/(?:client|config|wire))/",
      },
    },
    {
      name: "no-cycles",
      severity: error,
      comment: "No file needs itself, whatever the way round.",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-cycles-between-folders",
      severity: error,
      comment: "No folder needs itself by way of another.",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
    {
      name: "everything-is-found",
      severity: error,
      comment: "An import that leads nowhere.",
      from: {},
      // A reference to Node's types is no import: it names a folder of @types. The gallery names the package itself.
      to: { couldNotResolve: true, pathNot: "^(?:node|mnemosyne(?:/sim)?)$" },
    },
  ];
}

/** Most files of code in a folder: more than that is no table of contents. */
const mostFiles = 20;
const isCode = (/** @type {string} */ name) => /\.(?:ts|mjs|cjs|cc|c|h)$/.test(name);

/** @param {string} root @returns {string[]} folders with more files of code than `mostFiles`, as `path: number` */
function crowded(root) {
  return layers
    .flatMap(l => [l, ...foldersUnder(path.join(root, l), `${l}/`)])
    .flatMap(f => {
      const n = existsSync(path.join(root, f)) ? readdirSync(path.join(root, f)).filter(isCode).length : 0;
      return n > mostFiles ? [`${f}: ${n}`] : [];
    });
}

module.exports = { crowded, forbidden, foldersUnder, layers };
