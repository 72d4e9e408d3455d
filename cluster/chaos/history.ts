// What clients tried, and what became of it. The invariants are checked from this and from the file of effects, and from nothing else.

/** What a client did. */
export type ActionKind = 'echo' | 'steps' | 'charge' | 'think' | 'act' | 'task' | 'resume' | 'login' | 'refresh';

/** What a failed call said: nothing was done, or it may have been. */
export type Claim = 'not done' | 'unknown';

export interface Attempt {
  readonly client: string;
  readonly kind: ActionKind;
  /** Names the attempt, and what it does; no other attempt has it. */
  readonly name: string;
  /** Undefined: it was acknowledged. */
  readonly failure?: { readonly claim: Claim; readonly message: string } | undefined;
}

/** A task whose handle a client has seen. */
export interface StartedTask {
  readonly name: string;
  readonly tool: 'work' | 'rework';
  /** What `client.task` needs. */
  readonly handle: unknown;
  /** How it ended, once it is known: its value, or its error. */
  ends: string[];
}

/** Everything that is known of a run. */
export class History {
  readonly attempts: Attempt[] = [];
  readonly tasks: StartedTask[] = [];
  /** What must never happen, and was seen by a client. */
  readonly violations: string[] = [];
  #last = 0;

  newName(client: string, kind: ActionKind): string {
    return `${client}/${kind}-${++this.#last}`;
  }

  get acknowledged(): number {
    return this.attempts.filter(({ failure }) => failure === undefined).length;
  }

  /** How many attempts there were of a kind by a client, as text. */
  counts(): string[] {
    const groups = Map.groupBy(this.attempts, ({ client, kind }) => `${client.replace(/ \d+$/, '')} ${kind}`);
    return [...groups].toSorted().map(([group, all]) => {
      const good = all.filter(({ failure }) => failure === undefined).length;
      return `${group}: ${good} of ${all.length} acknowledged`;
    });
  }

  /** The failures by their message, the most frequent first. */
  failures(): string[] {
    const groups = new Map<string, number>();
    for (const { client, kind, failure } of this.attempts) {
      if (failure === undefined) continue;
      const text = `${client.replace(/ \d+$/, '')} ${kind}, ${failure.claim}: ${failure.message.replaceAll(/[\d.]+|[0-9a-f-]{36}/g, '#').slice(0, 140)}`;
      groups.set(text, (groups.get(text) ?? 0) + 1);
    }
    return [...groups].toSorted(([, a], [, b]) => b - a).map(([text, count]) => `${count} × ${text}`);
  }
}
