import { createRequire } from 'node:module';

/** Who writes a trace: this package, and which version of it. */
export function recordedBy(): string {
  const { name, version } = createRequire(import.meta.url)('@tenon/inspector/package.json') as {
    name: string;
    version: string;
  };
  return `${name} ${version}`;
}
