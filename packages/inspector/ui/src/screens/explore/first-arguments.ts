import { useEffect, useState } from 'react';
import { memberText } from '../../../../src/values/json-text.ts';
import type { Offer } from '../../store/lists.ts';

/** `optional`: with everything that may be left out, too. Another `seed` gives other values. */
export interface SampleKind {
  readonly optional?: boolean;
  readonly seed?: number;
}

/** The arguments that a person finds when an item is opened first: valid samples for a tool, nothing else. Undefined: not ready yet. */
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

/** Arguments that the schema of a tool allows. A schema without a sample: the form begins empty, and says what is missing. */
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
