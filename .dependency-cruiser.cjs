const { forbidden } = require("./scripts/layers.cjs");

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: forbidden(__dirname),
  options: {
    // Imports of types count: a layer that names another knows it.
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".mjs", ".cjs", ".js"],
    },
  },
};
