import type { Internals } from '../define.ts';

const KNOWN = new WeakMap<Internals, { readonly generation: number; readonly offers: boolean }>();

/** Does a tool of this server run as a task? A capability that was offered once stays offered, because clients know about it. */
export function offersTasks(of: Internals): boolean {
  const known = KNOWN.get(of);
  const { generation } = of.tools;
  if (known?.offers === true || known?.generation === generation) return known.offers;
  let offers = of.providers.some(({ tasks }) => tasks === true);
  for (const { tool } of of.tools.allCompiled()) {
    const { taskSupport = 'forbidden' } = tool.options;
    if (taskSupport !== 'forbidden') offers = true;
  }
  KNOWN.set(of, { generation, offers });
  return offers;
}
