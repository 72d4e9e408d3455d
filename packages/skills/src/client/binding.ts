import { digestOf } from '../digest.ts';
import type { SkillEntry } from '../entry.ts';

/**
 * The value to which an approval of a skill is bound: a digest of its URI, and of the URIs and digests of all its files. It changes if any
 * of them changes. Store it with your own name of the server, because other servers may have a skill with the same URI. Undefined for a
 * dynamic skill, whose approval cannot be stored.
 *
 * @example
 * ```ts
 * import { bindingOf, type SkillEntry } from '@tenon/skills/client';
 *
 * const approvals = new Map<string, string>();
 * async function isApproved(server: string, entry: SkillEntry) {
 *   const binding = await bindingOf(entry);
 *   return binding !== undefined && approvals.get(JSON.stringify([server, entry.uri])) === binding;
 * }
 * ```
 */
export async function bindingOf({ uri, resources }: SkillEntry): Promise<string | undefined> {
  if (resources === 'dynamic') return undefined;
  const pairs = resources.map(({ uri: at, digest }) => [at, digest]).sort(([a], [b]) => (a! < b! ? -1 : 1));
  return digestOf(new TextEncoder().encode(JSON.stringify([uri, pairs])));
}
