// A node of the cluster in a process of its own.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Limits } from 'tenon';
import { ENDS_WITH_PARENT } from '../scripts/lib/ends-with-parent.ts';
import type { Fault } from './app.ts';
import type { ProtectedEndpoint } from './protected.ts';

/** What all nodes share. */
export interface Shared {
  /** Undefined: each node has its own, in memory. */
  readonly store: string | undefined;
  readonly bus: string | undefined;
  /** The file in which effects are counted. */
  readonly effects?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** A second endpoint that requires a login. Default: none. */
  readonly protectedEndpoint?: ProtectedEndpoint | undefined;
  /** Each request says whose it is, in the header `x-user`. Default: all are unknown. */
  readonly users?: boolean | undefined;
  /** Gets what nodes write to stderr. */
  readonly onError?: ((text: string) => void) | undefined;
}

export class NodeProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** The ports of the endpoint and of the protected one, if there is one. Resolves when it listens. */
  readonly ports: Promise<readonly number[]>;
  readonly ended: Promise<void>;

  constructor({ store, bus, effects, limits = {}, faults, protectedEndpoint, users, onError }: Shared) {
    const env: Record<string, string | undefined> = {
      ...process.env,
      CLUSTER_STORE: store,
      CLUSTER_BUS: bus,
      CLUSTER_EFFECTS: effects,
      CLUSTER_FAULTS: faults?.join(','),
      CLUSTER_LIMITS: JSON.stringify(limits),
      CLUSTER_USERS: users === true ? 'yes' : undefined,
      CLUSTER_RESOURCE: protectedEndpoint?.resource,
      CLUSTER_ISSUER: protectedEndpoint?.issuer,
    };
    const args = [...ENDS_WITH_PARENT, join(import.meta.dirname, 'node.ts')];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.#child = child;
    child.stdin.on('error', () => {});
    let errorOutput = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-2_000);
      (onError ?? ((all) => process.stderr.write(all)))(text);
    });
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
    this.ports = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (line) => resolve(line.split(' ').map(Number)));
      void this.ended.then(() => reject(new Error(`The node ended before it listened: ${errorOutput}`)));
    });
    this.ports.catch(() => {});
  }

  /** The port of the endpoint. */
  get port(): Promise<number> {
    const port = this.ports.then(([first]) => first!);
    // Whoever does not wait for it learns of the end of the node in another way.
    port.catch(() => {});
    return port;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends it as abruptly as a power cut, or as a deployment does: `SIGTERM`. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.ended;
  }
}
