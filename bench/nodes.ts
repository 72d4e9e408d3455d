// The Nodes that run what is measured: the one that runs this, and Node 20 from the packages of this folder.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export interface Runtime {
  readonly path: string;
  /** Such as `v24.1.0`. */
  readonly version: string;
}

const MAJOR = process.versions.node.split('.')[0]!;
const ALL = ['20', MAJOR];

function pathOf(wanted: string): string | undefined {
  if (wanted === MAJOR) return process.execPath;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const folder = `node_modules/node${wanted}-${process.platform.replace('win32', 'win')}-${process.arch}`;
  const path = /^\d+$/.test(wanted) ? fileURLToPath(new URL(`${folder}/bin/${file}`, import.meta.url)) : wanted;
  return existsSync(path) ? path : undefined;
}

/** Finds Nodes: `20,24`, or paths. Without any it is all that are there. */
export function findNodes(list: string): Runtime[] {
  const wanted = list === '' ? ALL.filter((major) => pathOf(major) !== undefined) : list.split(',');
  return wanted.map((each) => {
    const path = pathOf(each);
    if (path === undefined) throw new Error(`There is no Node ${each} for this machine; --node also takes a path`);
    return { path, version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() };
  });
}
