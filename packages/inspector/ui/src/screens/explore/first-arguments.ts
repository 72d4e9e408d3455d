import { useEffect, useState } from 'react';
import { memberText } from '../../../../src/values/json-text.ts';
import type { Offer } from '../../store/lists.ts';

/** `optional`: includes optional properties. Another `seed` gives other values. */
export interface SampleKind {
  readonly optional?: boolean;
  readonly seed?: number;
}

/** The initial arguments of an item: valid samples for a tool, otherwise none. Undefined: not ready yet. */
export function useFirstArguments({ kind, text }: Offer): string | undefined {
  const [first, setFirst] = useState(kind === 'tools' ? undefined : '{}');
  useEffect(() => {
    if (kind !== 'tools') return;
    let there = true;
    void sampleArguments(text).then((sample) => {
      if (there) setFirst(sample);
    });
    return () => {
      there = false;
    };
  }, [kind, text]);
  return first;
}

/** Valid arguments for a tool. If its schema has no sample, they may be invalid, and the form shows why. */
export async function sampleArguments(tool: string, options: SampleKind = {}): Promise<string> {
  try {
    const schema = memberText(tool, 'inputSchema');
    if (schema === undefined) return '{}';
    const { sampleText } = await import('../../form/sample.ts');
    return sampleText(schema, options);
  } catch {
    return '{}';
  }
}
