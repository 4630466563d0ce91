// The layers of the project as rules for dependency-cruiser: what may import what. Paths are seen from the folder that is cruised.
const { existsSync, readdirSync } = require("node:fs");
const path = require("node:path");

const layers = ["hdl-dsl", "designs", "sim", "cli", "test"];

/** @param {string} folder @param {string} [prefix] @returns {string[]} the folders under it, at any depth, as paths with `/` */
function foldersUnder(folder, prefix = "") {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).filter((e) => e.isDirectory())
    .flatMap((e) => [`${prefix}${e.name}`, ...foldersUnder(path.join(folder, e.name), `${prefix}${e.name}/`)]);
}

/**
 * Folders with a public face: the layers that are libraries, the parts of the designs, and every folder that has an index.ts.
 * @param {string} root
 */
function faces(root) {
  const parts = foldersUnder(path.join(root, "designs"), "designs/").filter((f) => /^designs\/(?:[^/]+\/[^/]+|packets)$/.test(f));
  const withIndex = ["hdl-dsl", "designs", "sim"].flatMap((l) => foldersUnder(path.join(root, l), `${l}/`)).filter((f) => existsSync(path.join(root, f, "index.ts")));
  return [...new Set(["hdl-dsl", "sim", ...parts, ...withIndex])].sort();
}

/**
 * @param {string} root the folder that holds the layers
 * @returns {import("dependency-cruiser").IForbiddenRuleType[]}
 */
function forbidden(root) {
  return [
    ...layers.flatMap((layer, i) => {
      const above = layers.slice(i + 1);
      return above.length === 0 ? [] : [{
        name: `${layer}-knows-nothing-above`, severity: /** @type {const} */ ("error"),
        comment: `Dependencies point one way: ${layers.join(" <- ")}.`,
        from: { path: `^${layer}/` }, to: { path: `^(?:${above.join("|")})/` },
      }];
    }),
    ...faces(root).map((face) => ({
      name: `only-through-${face.replaceAll("/", "-")}-index`, severity: /** @type {const} */ ("error"),
      comment: `${face}/index.ts is the public face of ${face}: nothing outside reaches past it, but its own tests (test/ has the same tree).`,
      from: { pathNot: `^(?:test/)?${face}/` }, to: { path: `^${face}/(?!index\\.ts$)` },
    })),
    {
      name: "rtl-is-hardware", severity: "error",
      comment: "The hardware of a design is made of the language and the data that describe it: packets, configuration, table, registers.",
      from: { path: "^designs/([^/]+)/rtl/" }, to: { path: "^(?:hdl-dsl|designs|sim|cli|test)/", pathNot: "^(?:hdl-dsl|designs/packets|designs/$1/(?:rtl|config|table|registers))/" },
    },
    {
      name: "offloads-are-hardware", severity: "error",
      comment: "What hosts offloads needs the node; an offload is written against its host's interface alone.",
      from: { path: "^designs/([^/]+)/offloads?/" }, to: { path: "^(?:hdl-dsl|designs|sim|cli|test)/", pathNot: "^(?:hdl-dsl|designs/packets|designs/$1/(?:offloads?|rtl|config|table|registers))/" },
    },
    {
      name: "offloads-know-their-host-only", severity: "error",
      comment: "An offload sees the node through the interface that its host gives it.",
      from: { path: "^designs/([^/]+)/offloads/" }, to: { path: "^designs/$1/rtl/" },
    },
    {
      name: "software-and-model-know-no-hardware", severity: "error",
      comment: "Software also runs on the board, and the model is to be independent of what it checks.",
      from: { path: "^designs/[^/]+/(?:software|model)/" }, to: { path: "^(?:sim|hdl-dsl|designs/[^/]+/rtl)/" },
    },
    {
      name: "client-knows-the-wire-only", severity: "error",
      comment: "A client shares nothing with a node but the wire format (with its transport) and the configuration.",
      from: { path: "^designs/([^/]+)/client/" }, to: { path: "^(?:hdl-dsl|designs)/", pathNot: "^designs/(?:packets|$1/(?:client|config|transport))/" },
    },
    { name: "no-cycles", severity: "error", comment: "No file needs itself, whatever the way round.", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
    { name: "no-cycles-between-folders", severity: "error", comment: "No folder needs itself by way of another.", scope: "folder", from: {}, to: { circular: true } },
    { name: "everything-is-found", severity: "error", comment: "An import that leads nowhere.", from: {}, to: { couldNotResolve: true } },
  ];
}

module.exports = { forbidden, layers };
