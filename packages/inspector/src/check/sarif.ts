import type { CheckRow, Finding } from '../rules/finding.ts';

const LEVELS: Readonly<Record<Finding['severity'], string>> = { error: 'error', warning: 'warning', info: 'note' };

/** The source of the findings. */
export interface SarifSource {
  /** The name of the server. */
  readonly server: string;
  /** The version of the program that writes the report. */
  readonly version: string;
  /** The trace that findings cite, relative to the folder in which the report is read. */
  readonly trace?: string;
}

function resultOf(finding: Finding, { server, trace }: SarifSource): object {
  const { rule, severity, message, subject, fix, blame, evidence } = finding;
  const [first] = evidence;
  return {
    ruleId: rule,
    level: LEVELS[severity],
    message: { text: fix === undefined ? message : `${message} ${fix}` },
    locations: [
      {
        logicalLocations: [
          { fullyQualifiedName: subject === undefined ? server : `${server}/${subject}`, kind: 'object' },
        ],
        // The first line of a trace file is its head, so line n of the trace is line n + 1 of the file.
        physicalLocation:
          trace === undefined || first === undefined
            ? undefined
            : { artifactLocation: { uri: trace }, region: { startLine: first + 1 } },
      },
    ],
    properties: { blame, evidence },
  };
}

/**
 * The findings of rows as SARIF 2.1.0 (JSON), which code hosts read. With a `trace` in `source`, findings have the line in its
 * file.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { runChecks, sarifReport } from '@tenon/inspector';
 *
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const { rows } = await runChecks(target, { groups: ['lint'], by: 'my tool 1.0' }, AbortSignal.timeout(60_000));
 * await writeFile('report.sarif', sarifReport({ server: 'weather', version: '1.0.0' }, rows));
 * ```
 */
export function sarifReport(source: SarifSource, rows: readonly CheckRow[]): string {
  const findings = rows.flatMap((row) => row.findings);
  const rules = new Map<string, Finding>();
  for (const finding of findings) if (!rules.has(finding.rule)) rules.set(finding.rule, finding);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'tenon check',
            version: source.version,
            rules: [...rules].map(([id, { clause }]) => ({ id, helpUri: clause })),
          },
        },
        results: findings.map((finding) => resultOf(finding, source)),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}
