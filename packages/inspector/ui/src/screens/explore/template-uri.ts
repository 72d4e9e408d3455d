import { parseTemplate, type UriTemplate } from 'tenon/schema';
import { useMemo } from 'react';
import type { Offer } from '../../store/lists.ts';
import { argumentValues } from './request-of.ts';

/** A parsed URI template. Undefined: it is invalid. */
export function templateOf(text: string): UriTemplate | undefined {
  try {
    return parseTemplate(text);
  } catch {
    return undefined;
  }
}

/** Expands a template with these values. Empty fields are left out. */
function expand(template: UriTemplate, args: string): string | undefined {
  const values = Object.fromEntries([...argumentValues(args)].filter(([, value]) => value !== ''));
  try {
    return template.expand(values);
  } catch {
    return undefined;
  }
}

/** The expanded URI of a template. Undefined for other items. */
export function useTemplateUri({ kind, id }: Offer, args: string): string | undefined {
  return useMemo(() => {
    if (kind !== 'templates') return undefined;
    const template = templateOf(id);
    return template === undefined ? undefined : expand(template, args);
  }, [kind, id, args]);
}
