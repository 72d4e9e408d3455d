// The legs that are run, and the checks that cannot succeed.

/** Checks that cannot succeed, by scenario and name, with the reason. */
export const EXCUSED: ReadonlyMap<string, string> = new Map([
  ['http-standard-headers:ClientMcpMethodHeader_initialize', 'a client of 2026-07-28 sends no initialize'],
  [
    'http-standard-headers:ClientMcpMethodHeader_notifications_initialized',
    'a client of 2026-07-28 sends no notifications/initialized',
  ],
  ['tasks-status-notifications:TasksStatusNotificationsScenario', 'the suite always skips it'],
]);

/** One run of the suite. */
export interface Leg {
  readonly name: string;
  readonly side: 'server' | 'client' | 'authorization';
  /** The suite's arguments that run it. */
  readonly args: readonly string[];
  /** The suite's arguments that list its scenarios. */
  readonly list: readonly string[];
}

function scored(side: 'server' | 'client', revision: string): Leg {
  return {
    name: `${side} ${revision}`,
    side,
    args: ['--requirements', revision],
    list: ['--requirements', revision],
  };
}
function older(side: 'server' | 'client', revision: string): Leg {
  return {
    name: `${side} ${revision}`,
    side,
    args: ['--suite', 'all', '--spec-version', revision],
    list: [`--${side}`, '--spec-version', revision],
  };
}

export const LEGS: readonly Leg[] = [
  scored('server', '2025-11-25'),
  scored('server', '2026-07-28'),
  older('server', '2025-06-18'),
  older('server', '2025-03-26'),
  scored('client', '2025-11-25'),
  scored('client', '2026-07-28'),
  older('client', '2025-06-18'),
  older('client', '2025-03-26'),
  ...['2026-07-28', '2025-03-26'].map((revision): Leg => ({
    name: `authorization server ${revision}`,
    side: 'authorization',
    args: ['--spec-version', revision],
    list: ['--authorization', '--spec-version', revision],
  })),
];
