import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckRow } from '@tenon/inspector';
import type { CommandLine } from '../command-line/command-line.ts';
import type { Failure } from '../failure/failure.ts';
import { writeReport } from '../failure/file-failures.ts';
import { version } from '../version.ts';

/** The file as a URI for SARIF: relative to the current folder, or absolute. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split(sep).map(encodeURIComponent).join('/');
}

/**
 * Writes the reports of `--junit` and `--sarif`. `file`: the trace that findings cite. Returns the failure of the first report that cannot
 * be written.
 */
export async function writeReports(
  line: CommandLine,
  name: string,
  rows: readonly CheckRow[],
  file: string | undefined,
): Promise<Failure | undefined> {
  const { junitReport, sarifReport } = await import('@tenon/inspector');
  const failures: (Failure | undefined)[] = [];
  const junit = line.value('junit');
  if (junit !== undefined) failures.push(writeReport(junit, junitReport(name, rows)));
  const sarif = line.value('sarif');
  if (sarif !== undefined) {
    const source = { server: name, version: version(), trace: file === undefined ? undefined : uriOf(file) };
    failures.push(writeReport(sarif, sarifReport(source, rows)));
  }
  return failures.find((failure) => failure !== undefined);
}
