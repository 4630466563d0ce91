/** The files of a new project, by path. */
import { bench, credits, proofs } from "./sources.ts";
import { ci, eslintConfig, gitignore, manifest, readme, tsconfig, vitestConfig } from "./settings.ts";

/** @param name of the package @param tarball where the language is installed from, as a path in the project */
export const projectFiles = (name: string, tarball: string): Readonly<Record<string, string>> => ({
  "package.json": manifest(name, tarball),
  "tsconfig.json": tsconfig,
  "eslint.config.js": eslintConfig,
  "vitest.config.ts": vitestConfig,
  ".gitignore": gitignore,
  "README.md": readme(name),
  "src/credits.ts": credits,
  "src/proofs.ts": proofs,
  "test/credits.test.ts": bench,
  ".github/workflows/ci.yml": ci,
});
