/**
 * The file of a worker beside the module at `url`, an `import.meta.url`: `name.ts` in the sources. In a built package the file is an entry, and
 * the module is in a chunk, one folder below.
 */
export function entryFile(name: string, url: string): URL {
  return new URL(url.endsWith('.ts') ? `./${name}.ts` : `../${name}.js`, url);
}
