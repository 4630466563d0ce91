import { defineConfig } from "eslint/config";
import { register } from "tsx/esm/api";
import tseslint from "typescript-eslint";

// The project's own rules are TypeScript like everything else.
const unregister = register();
const { signalMisuse } = await import("./scripts/eslint/signal-misuse.ts");
await unregister();

export default defineConfig(
  { ignores: ["node_modules/", ".cache/", "out/", "generated/"] },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { mnemo: { rules: { "signal-misuse": signalMisuse } } },
    rules: {
      "mnemo/signal-misuse": "error",
      eqeqeq: "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // `_name` says that a parameter is there for the signature's sake.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { module: "writable", require: "readonly", __dirname: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);
